// What adversarial networks are made of, for pictures [N, C, H, W] and clips [N, C, T, H, W] alike:
// a convolution or a transposed one without bias, with or without spectral normalisation; and
// instance noise.
//
// Spectral normalisation (Miyato et al. 2018): the kernel W, as a matrix of a row per output
// channel, is divided by its largest singular value, which one step of power iteration per training
// pass follows:
//     v <- W^T u / |W^T u|,   u <- W v / |W v|,   sigma = u^T W v,   the convolution has W / sigma
// u and v are buffers, "weight_u" and "weight_v"; in evaluation mode they stay.
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
  /// The kernel that is used: weight, or weight / sigma. [out, in, ...], transposed: [in, out,
  /// ...].
  at::Tensor kernel();

  at::Tensor weight;

 private:
  ConvolutionOptions options_;
  at::Tensor u_, v_;
};
TORCH_MODULE(Convolution);

/// x + sigma n, n ~ N(0, 1) from torch's default generator, in training mode; x where sigma was not
/// given.
class InstanceNoiseImpl : public torch::nn::Module {
 public:
  at::Tensor forward(const at::Tensor& x);
  at::Tensor sigma;  ///< one value, or not defined
};
TORCH_MODULE(InstanceNoise);

/// Weights as torch draws them: uniform within 1 / sqrt(fan in), fan in being the values in a row
/// of the weight; of a GRU, all within 1 / sqrt(d_M); batch norm starts as the identity.
void draw_adversarial(torch::nn::Module& network, Random& random);

}  // namespace reprise::models
