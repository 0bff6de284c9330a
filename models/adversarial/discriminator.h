// A discriminator of pictures or clips: a chain of convolutions with kernels of 4 that halves the
// side at each, down to 4 x 4, then one that sees all that is left. LeakyReLU 0.2 after each but
// the last; batch norm (or spectral normalisation of the kernels, or nothing) after each but the
// first and the last; instance noise before each but the last. With side S there are n = log2(S) -
// 2 halvings, of widths f, 2f, 4f, ...
//
//     Time of clips     along time                                      of T frames is left   who
//     Valid             kernel 4, stride 1, no padding, n times         T - 3 n               MoCoGAN's D_V
//     Halved            kernel 4, stride 2, padding 1, n times          T / 2^n               VGAN, TGAN
// With `patch`, the n-th halving gives the logits itself: 4 x 4 of them a picture, each of which
// sees a part (of clips, 4 x 4 per frame that is left; the last step's noise is of pictures alone).
//
// Weights are named and laid out as MoCoGAN's release has them: "main.N", N counting noise,
// convolution, norm and activation. At S = 64, f = 64, T = 16 the shapes are the release's.
// Sources: Radford et al. 2016 (DCGAN); Tulyakov et al. 2018; Vondrick et al. 2016.
#pragma once
#include <torch/nn/modules/container/sequential.h>

#include "models/adversarial/convolution.h"

namespace reprise::models {

enum class Normalisation { Batch, Spectral, None };
enum class ClipTime { Valid, Halved };

struct DiscriminatorOptions {
  std::int64_t side = 64;  ///< S: a power of two from 8
  std::int64_t channels = 3;
  std::int64_t frames = 0;  ///< T of clips; 0: pictures
  std::int64_t width = 64;  ///< f
  std::int64_t outputs =
      1;               ///< more than one: the first is the logit, the others are those of classes
  bool patch = false;  ///< with one output
  ClipTime time = ClipTime::Valid;
  Normalisation normalisation = Normalisation::Batch;
};

class DiscriminatorImpl : public torch::nn::Module {
 public:
  /// UsageError: a side that is not a power of two from 8; too few frames, or with Halved none that
  /// halves n times; a patch of several outputs; a count below 1.
  explicit DiscriminatorImpl(const DiscriminatorOptions& options);
  /// x: [N, C, S, S] or [N, C, T, S, S] -> [N, outputs], of patches [N, positions]. noise: one
  /// value, or not defined. UsageError: another shape.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& noise = {});

 private:
  DiscriminatorOptions options_;
  torch::nn::Sequential main_;
  std::vector<InstanceNoise> noises_;
};
TORCH_MODULE(Discriminator);

/// log2(side) - 2. UsageError: the side is not a power of two from 8.
std::int64_t halvings(std::int64_t side);

}  // namespace reprise::models
