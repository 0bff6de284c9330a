// The decoder of adversarial networks: maps a code to a picture or clip of side S.
//
// The first step makes 4 x 4 values per channel. Transposed convolutions with kernels of 4 then
// double the side n = log2(S) - 2 times, at widths 2^(n-1) f, ..., 2f, f, then the channels. Batch
// norm and ReLU follow each step but the last. The caller applies tanh to the result. For clips,
// the first step gives T / 2^n frames and the others double the number of frames too.
//
// With `depth` > n, depth - n steps of 1 x 1 convolutions with 2^n f channels come first. At small
// S the code's values are then combined as often as at S = 64.
//
// With `grid`, all positions share the weights of the first step (Watters et al. 2019: spatial
// broadcast decoder). The code and the coordinates of the position (y and x from -1 to 1, for clips
// t first) pass through depth - n steps of 1 x 1 and one of 2^(n-1) f channels. A colour learned at
// one position then holds at all positions.
//
// Modules are numbered as in MoCoGAN's release: 0 transposed convolution, 1 batch norm, 2 ReLU, 3
// transposed convolution, .... At S = 64 and f = 64 the channels are the release's 512, 256, 128,
// 64, 3. Sources: Radford et al. 2016 (DCGAN); for clips, Vondrick et al. 2016.
#pragma once
#include <torch/nn/modules/container/sequential.h>

#include "models/adversarial/convolution.h"

namespace reprise::models {

struct DecoderOptions {
  std::int64_t inputs = 60;  ///< values of the code
  std::int64_t side = 64;    ///< S, pixels: a power of two from 8
  std::int64_t frames = 0;   ///< T of clips; 0: pictures
  std::int64_t channels = 3;
  std::int64_t width = 64;  ///< f
  std::int64_t depth = 0;   ///< steps with batch norm; 0: n
  /// The code is combined with the coordinates of positions; else each position has its own
  /// weights.
  bool grid = false;
};

/// Makes the network [N, inputs, 1, 1] -> [N, C, S, S], or [N, inputs, 1, 1, 1] -> [N, C, T, S, S].
/// UsageError: a side that is not a power of two from 8; frames that do not halve n times; a depth
/// below n; a count below 1.
torch::nn::Sequential make_decoder(const DecoderOptions& options);

}  // namespace reprise::models
