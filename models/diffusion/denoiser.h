// A denoiser: what every diffusion model is here, be it a network, a closed form or a combination of others.
//
//     D(x; sigma) = E[x_0 | x_0 + sigma eps = x],   x_0 ~ data, eps ~ N(0, I)        what a denoiser estimates
//     score       = grad_x ln p(x; sigma) = (D(x; sigma) - x) / sigma^2              p(x; sigma): the density of x_0 + sigma eps
//
// x: [N, ...], any shape of one item. sigma: the level of the noise in x, in units of the data, one for all (no dimension) or one an item
// ([N]). labels: [N], int64, what each item is conditioned on; -1, or no tensor at all, is "on nothing".
// Sources: Karras et al. 2022, eq 2, 3; document langevin, eq 1, which uses D (main) and D' (auxiliary) alike.
#pragma once
#include <ATen/core/Generator.h>
#include <ATen/ops/cat.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <vector>

namespace reprise::models {

class Denoiser : public torch::nn::Module {
 public:
  /// D(x; sigma): the shape and type of x. Differentiable in x.
  virtual at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma, const at::Tensor& labels) = 0;

  at::Tensor operator()(const at::Tensor& x, const at::Tensor& sigma, const at::Tensor& labels = {}) { return forward(x, sigma, labels); }
  /// One level for all. UsageError: sigma is not a number above 0.
  at::Tensor operator()(const at::Tensor& x, double sigma, const at::Tensor& labels = {});
};

/// (D(x; sigma) - x) / sigma^2.
at::Tensor score(Denoiser& D, const at::Tensor& x, const at::Tensor& sigma, const at::Tensor& labels = {});

/// sigma so that it multiplies x: without dimension, or [N, 1, ..., 1]. UsageError: sigma is neither one number nor one an item of x.
at::Tensor sigma_beside(const at::Tensor& sigma, const at::Tensor& x);
/// UsageError: sigma is not a finite number above 0. `what` says whose level it is.
void check_sigma(double sigma, const char* what);

/// What use(part) gives for `batch` of n items at a time, put together: memory, not result. part(all) is these items of a tensor, and not
/// defined where `all` is not.
template <typename Use>
at::Tensor in_batches(std::int64_t n, std::int64_t batch, const Use& use) {
  std::vector<at::Tensor> all;
  for (std::int64_t i = 0; i < n; i += batch)
    all.push_back(use([=](const at::Tensor& whole) { return whole.defined() ? whole.slice(0, i, std::min(i + batch, n)) : whole; }));
  return at::cat(all);
}

/// eps ~ N(0, I), in the shape, type and place of x. Drawn on the CPU, so that a seed means the same noise wherever x is.
at::Tensor unit_noise(const at::Tensor& x, const at::Generator& generator);

}  // namespace reprise::models
