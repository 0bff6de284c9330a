// A discriminator of pictures or clips: a chain of convolutions with kernels of 4.
//
// n = log2(S) - 2 convolutions halve the side S down to 4 x 4, with widths f, 2f, 4f, .... The last
// convolution covers all that is left. LeakyReLU 0.2 follows each but the last. Batch norm (or
// spectral normalisation of the kernels, or nothing) follows each but the first and the last.
// Instance noise precedes each but the last.
//
//     ClipTime    kernels along time                             frames left of T    used by
//     Valid       kernel 4, stride 1, no padding, n times        T - 3 n             MoCoGAN's D_V
//     Halved      kernel 4, stride 2, padding 1, n times         T / 2^n             VGAN, TGAN
// With `patch`, the n-th halving gives the logits: 4 x 4 per picture (for clips, per remaining
// frame), each of which covers a part. Only pictures then have noise before the last step.
//
// Weights have the names and shapes of MoCoGAN's release: "main.N", where N counts noise,
// convolution, norm and activation. At S = 64, f = 64, T = 16 all shapes are the release's.
// Sources: Radford et al. 2016 (DCGAN); Tulyakov et al. 2018; Vondrick et al. 2016.
#pragma once
#include <torch/nn/modules/container/sequential.h>

#include "models/adversarial/convolution.h"

namespace reprise::models {

enum class Normalisation { Batch, Spectral, None };
enum class ClipTime { Valid, Halved };

struct DiscriminatorOptions {
  std::int64_t side = 64;  ///< S, pixels: a power of two from 8
  std::int64_t channels = 3;
  std::int64_t frames = 0;  ///< T of clips; 0: pictures
  std::int64_t width = 64;  ///< f
  /// Values per item: the first is the logit of being real, the others are logits of the classes.
  std::int64_t outputs = 1;
  bool patch = false;  ///< one logit per patch; needs one output
  ClipTime time = ClipTime::Valid;
  Normalisation normalisation = Normalisation::Batch;
};

class DiscriminatorImpl : public torch::nn::Module {
 public:
  /// UsageError: a side that is not a power of two from 8; too few frames; with Halved, frames that
  /// do not halve n times; a patch discriminator with several outputs; a count below 1.
  explicit DiscriminatorImpl(const DiscriminatorOptions& options);
  /// Maps [N, C, S, S] or [N, C, T, S, S] to [N, outputs], with `patch` to [N, positions].
  /// noise: standard deviation of the instance noise, one value or undefined. UsageError: another
  /// shape.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& noise = {});

 private:
  DiscriminatorOptions options_;
  torch::nn::Sequential main_;
  std::vector<InstanceNoise> noises_;
};
TORCH_MODULE(Discriminator);

/// Number of halvings n = log2(side) - 2. UsageError: the side is not a power of two from 8.
std::int64_t count_halvings(std::int64_t side);

}  // namespace reprise::models
