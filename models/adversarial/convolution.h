// Building blocks of adversarial networks for pictures [N, C, H, W] and clips [N, C, T, H, W]:
// a convolution or transposed convolution without bias, optional spectral normalisation, and
// instance noise.
//
// Spectral normalisation (Miyato et al. 2018) divides the kernel W by its largest singular value.
// W is read as a matrix with one row per output channel. Each training pass does one step of power
// iteration:
//     v <- W^T u / |W^T u|,   u <- W v / |W v|,   sigma = u^T W v,   kernel = W / sigma
// u and v are the buffers "weight_u" and "weight_v". Evaluation mode does not change them.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "core/random.h"

namespace reprise::models {

struct ConvolutionOptions {
  std::int64_t in = 3, out = 64;
  std::vector<std::int64_t> kernel = {4, 4}, stride = {2, 2}, padding = {1, 1};
  bool transposed = false;
  bool spectral = false;
};

class ConvolutionImpl : public torch::nn::Module {
 public:
  explicit ConvolutionImpl(const ConvolutionOptions& options);
  at::Tensor forward(const at::Tensor& x);
  /// The kernel in use: weight, or weight / sigma. Shape [out, in, ...]; transposed: [in, out,
  /// ...].
  at::Tensor kernel();

  at::Tensor weight;

 private:
  ConvolutionOptions options_;
  at::Tensor u_, v_;
};
TORCH_MODULE(Convolution);

/// x + sigma n, n ~ N(0, 1) from torch's default generator. Returns x in evaluation mode, and where
/// sigma is undefined.
class InstanceNoiseImpl : public torch::nn::Module {
 public:
  at::Tensor forward(const at::Tensor& x);
  at::Tensor sigma;  ///< one value; undefined: no noise
};
TORCH_MODULE(InstanceNoise);

/// Draws weights with PyTorch's default initialisation.
/// Convolutions are uniform within 1 / sqrt(fan in), the number of values in one row of the weight.
/// A GRU is uniform within 1 / sqrt(d_M). Batch norm starts as the identity.
void draw_adversarial_weights(torch::nn::Module& network, Random& random);

}  // namespace reprise::models
