#include "models/diffusion/likelihood.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <numbers>

#include "core/error.h"

namespace reprise::models {
namespace {

/// f and Hutchinson's estimate of the trace of its Jacobian.
struct Slope {
  at::Tensor f;      ///< [N, ...]
  at::Tensor trace;  ///< [N]
};

/// Evaluates f and the trace at x, with one gradient of D in x.
Slope compute_slope(Denoiser& D, const at::Tensor& x, double sigma, const at::Tensor& signs,
                    const at::Tensor& labels) {
  // Callers may run under NoGradGuard.
  const torch::AutoGradMode grad(true);
  const auto at = x.detach().requires_grad_(true);
  const auto f = (at - D(at, sigma, labels)) / sigma;
  // signs^T df/dx, one backward pass.
  const auto pulled = torch::autograd::grad({f}, {at}, {signs}).front();
  return {f.detach(), (pulled * signs).flatten(1).sum(1).to(at::kDouble)};
}

}  // namespace

at::Tensor random_signs(const at::Tensor& x, const at::Generator& generator) {
  return (at::randint(0, 2, x.sizes(), generator, at::kFloat) * 2 - 1).to(x.options());
}

at::Tensor negative_log_likelihood(Denoiser& D, const at::Tensor& x, const at::Tensor& signs,
                                   const LikelihoodOptions& options, const at::Tensor& mu,
                                   const at::Tensor& labels) {
  if (torch::InferenceMode::is_enabled())
    throw Error("a likelihood needs gradients, which InferenceMode does not record",
                "call it outside of InferenceMode");
  if (!signs.defined() || signs.sizes() != x.sizes())
    throw UsageError(
        fmt::format("signs of shape {} for items of shape {}",
                    signs.defined() ? c10::str(signs.sizes()) : "none", c10::str(x.sizes())),
        "draw them with random_signs(x)");
  if (options.steps < 1)
    throw UsageError(fmt::format("{} steps", options.steps), "ask for at least one");
  const auto sigmas =
      sigma_grid(options.steps + 1, options.sigma_min, options.sigma_max, Grid::Rho, options.rho);
  auto at = x.detach();
  at::Tensor integral =
      torch::zeros({x.size(0)}, at::TensorOptions(at::kDouble).device(x.device()));
  auto here = compute_slope(D, at, sigmas[0], signs, labels);
  // Heun's method for x and the integral, upwards.
  for (std::size_t i = 0; i + 1 < sigmas.size(); ++i) {
    const double step = sigmas[i + 1] - sigmas[i];
    const auto ahead = compute_slope(D, at + step * here.f, sigmas[i + 1], signs, labels);
    at = at + step / 2 * (here.f + ahead.f);
    integral += step / 2 * (here.trace + ahead.trace);
    // The last point needs no slope, because no step begins there.
    if (i + 2 < sigmas.size()) here = compute_slope(D, at, sigmas[i + 1], signs, labels);
  }
  const double variance =
      options.sigma_max * options.sigma_max + options.sigma_data * options.sigma_data;
  // ln p at sigma_max, approximately Gaussian around mu.
  const auto centred = (mu.defined() ? at - mu : at).flatten(1).to(at::kDouble);
  const auto d = static_cast<double>(centred.size(1));
  const auto log_end =
      -centred.square().sum(1) / (2 * variance) - d / 2 * std::log(2 * std::numbers::pi * variance);
  return -(log_end + integral) / d;
}

}  // namespace reprise::models
