// Contract of a denoiser, the common form of all diffusion models here: networks, closed forms, and
// combinations of them.
//
//     D(x; sigma) estimates E[x_0 | x_0 + sigma eps = x],   x_0 ~ data, eps ~ N(0, I)
//
// x: [N, ...], with items of any shape. sigma: noise level of x in units of the data, a scalar or
// [N]. labels: [N], int64, the condition of each item; -1, or no tensor, is unconditional.
//
// Sources: Karras et al. 2022, eq 2; document langevin, eq 1, which uses D (main) and D'
// (auxiliary) alike. The class is in this layer because the contract of inverters
// (training/inverter.h) uses it.
#pragma once
#include <torch/nn/module.h>

namespace reprise::training {

class Denoiser : public torch::nn::Module {
 public:
  /// D(x; sigma), with the shape and type of x. Differentiable in x.
  virtual at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                             const at::Tensor& labels) = 0;

  at::Tensor operator()(const at::Tensor& x, const at::Tensor& sigma,
                        const at::Tensor& labels = {}) {
    return forward(x, sigma, labels);
  }
  /// D(x; sigma) with one level for all items. UsageError: sigma is not a number above 0.
  at::Tensor operator()(const at::Tensor& x, double sigma, const at::Tensor& labels = {});
};

/// UsageError: sigma is not a finite number above 0. `what` names the level in the message.
void check_sigma(double sigma, const char* what);

}  // namespace reprise::training
