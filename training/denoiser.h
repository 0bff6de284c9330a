// A denoiser: what every diffusion model is here, be it a network, a closed form or a combination
// of others.
//
//     D(x; sigma) = E[x_0 | x_0 + sigma eps = x],   x_0 ~ data, eps ~ N(0, I)        what a denoiser estimates
//
// x: [N, ...], any shape of one item. sigma: the level of the noise in x, in units of the data, one
// for all (no dimension) or one an item ([N]). labels: [N], int64, what each item is conditioned
// on; -1, or no tensor at all, is "on nothing". Sources: Karras et al. 2022, eq 2; document
// langevin, eq 1, which uses D (main) and D' (auxiliary) alike. It stands in this room because the
// contract of inverters (training/inverter.h) is about what one does with a denoiser.
#pragma once
#include <torch/nn/module.h>

namespace reprise::training {

class Denoiser : public torch::nn::Module {
 public:
  /// D(x; sigma): the shape and type of x. Differentiable in x.
  virtual at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                             const at::Tensor& labels) = 0;

  at::Tensor operator()(const at::Tensor& x, const at::Tensor& sigma,
                        const at::Tensor& labels = {}) {
    return forward(x, sigma, labels);
  }
  /// One level for all. UsageError: sigma is not a number above 0.
  at::Tensor operator()(const at::Tensor& x, double sigma, const at::Tensor& labels = {});
};

/// UsageError: sigma is not a finite number above 0. `what` says whose level it is.
void check_sigma(double sigma, const char* what);

}  // namespace reprise::training
