// The decoder of adversarial networks: a code becomes 4 x 4 values per channel, whose side
// transposed convolutions with kernels of 4 double up to S. With n = log2(S) - 2: widths 2^(n-1) f,
// ..., 2f, f, then the channels; batch norm and ReLU after each but the last, after which there is
// nothing (who uses it has tanh there). Of clips, the first step gives T / 2^n frames and the
// others double these too. With a larger `depth` than n, depth - n steps of 1 x 1 and 2^n f
// channels come first: at small S the code's values are then combined as often as at S = 64 (what
// is where in which colour is a product of them).
//
// With `grid` the first step has no weights of each place's own: the code and the place's
// coordinates (y and x from -1 to 1, of clips t before them) go through steps of 1 x 1, the same
// everywhere, depth - n of them and one of 2^(n-1) f channels. What has been learned of a colour at
// one place then holds at all (Watters et al. 2019: spatial broadcast decoder).
//
// The modules count as MoCoGAN's release has them: 0 transposed convolution, 1 batch norm, 2 ReLU,
// 3 transposed convolution, .... At S = 64 and f = 64 these are its 512, 256, 128, 64, 3. Source:
// Radford et al. 2016 (DCGAN); of clips, Vondrick et al. 2016.
#pragma once
#include <torch/nn/modules/container/sequential.h>

#include "models/adversarial/convolution.h"

namespace reprise::models {

struct DecoderOptions {
  std::int64_t inputs = 60;  ///< of the code
  std::int64_t side = 64;    ///< S: a power of two from 8
  std::int64_t frames = 0;   ///< T of clips; 0: pictures
  std::int64_t channels = 3;
  std::int64_t width = 64;  ///< f
  std::int64_t depth = 0;   ///< steps with batch norm; 0: n
  bool grid =
      false;  ///< the code meets the coordinates of places; else every place has weights of its own
};

/// [N, inputs, 1, 1] -> [N, C, S, S], or [N, inputs, 1, 1, 1] -> [N, C, T, S, S]. UsageError: a
/// side that is not a power of two from 8; frames that do not halve n times; a depth below n; a
/// count below 1.
torch::nn::Sequential decoder(const DecoderOptions& options);

}  // namespace reprise::models
