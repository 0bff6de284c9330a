#include "models/diffusion/inversion.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

#include "core/error.h"
#include "models/diffusion/methods.h"
#include "training/adam.h"

namespace reprise::models {
namespace {

using torch::Tensor;

void check_finite(const Tensor& x_0) {
  const auto good = x_0.isfinite().reshape({x_0.size(0), -1}).all(1);
  if (good.all().item<bool>()) return;
  const auto bad = good.logical_not().nonzero();
  throw Error(
      fmt::format(
          "{} of {} images to invert hold values that are not finite, the first at index {}",
          bad.size(0), x_0.size(0), bad[0][0].item<std::int64_t>()),
      "check the renderer: a representation whose fit diverged needs a lower learning rate");
}

void check_epsilon(const Tensor& epsilon, const Tensor& x_0) {
  if (!epsilon.defined() || epsilon.sizes() != x_0.sizes())
    throw UsageError(
        fmt::format("noise of shape {} for images of shape {}",
                    epsilon.defined() ? c10::str(epsilon.sizes()) : "none", c10::str(x_0.sizes())),
        "give draw_unit_noise(x_0, generator)");
}

/// Solves the probability-flow ODE upwards from sigma_min to sigma.
Tensor invert_by_ode(Denoiser& D, Tensor x, double sigma, const InversionOptions& options,
                     const Tensor& labels) {
  check_sigma(options.sigma_min, "the ODE's start (sigma_min)");
  if (options.steps < 1 || options.sigma_min >= sigma)
    throw UsageError(fmt::format("an ODE of {} steps from sigma_min = {} up to sigma = {}",
                                 options.steps, options.sigma_min, sigma),
                     "give at least one step, and a sigma_min below sigma");
  // The ODE needs no gradient, whatever mode the caller is in.
  const torch::NoGradGuard no_gradient;
  // N steps have N + 1 levels.
  const auto grid =
      sigma_grid(options.steps + 1, options.sigma_min, sigma, options.grid, options.rho);
  for (std::size_t i = 0; i + 1 < grid.size(); ++i)
    x = ode_step(D, x, grid[i], grid[i + 1], options.solver, labels);
  return x;
}

/// Minimises |D'(x; sigma) - x_0|^2 over x with Adam, from the given x.
Tensor invert_by_backprop(Denoiser& D, const Tensor& x_0, Tensor x, double sigma,
                          const InversionOptions& options, const Tensor& labels) {
  if (options.adam_steps < 1 || !(std::isfinite(options.rate) && options.rate > 0))
    throw UsageError(
        fmt::format("{} steps of Adam at a rate of {} sigma", options.adam_steps, options.rate),
        "give at least one step, and a rate above 0");
  if (c10::InferenceMode::is_enabled())
    throw Error("backprop inversion was called in InferenceMode, where no gradient is recorded",
                "call it under torch::NoGradGuard, or under no guard");
  // Callers may run under NoGradGuard.
  const torch::AutoGradMode with_gradient(true);
  // A copy, because Adam changes x in place.
  x = x.detach().clone().contiguous().requires_grad_();
  // x varies on the scale of sigma, so the rate is stated in units of it.
  training::Adam adam({{{x}, options.rate * sigma}}, 0);
  for (std::int64_t i = 0; i < options.adam_steps; ++i) {
    // The mean per item and the sum over items: Adam's step of an item is independent of the
    // others.
    const auto loss = (D(x, sigma, labels) - x_0).square().flatten(1).mean(1).sum();
    // Only x gets a gradient, not the weights of D'.
    x.mutable_grad() = torch::autograd::grad({loss}, {x})[0];
    adam.step(1);
  }
  return x.detach();
}

}  // namespace

training::Inverter naive_inverter(const InversionOptions& /*options*/) {
  return [](Denoiser& /*D_aux*/, const Tensor& x_0, double sigma, const Tensor& epsilon,
            const Tensor& /*labels*/) { return x_0 + sigma * epsilon; };
}

training::Inverter ode_inverter(const InversionOptions& options) {
  return
      [options](Denoiser& D_aux, const Tensor& x_0, double sigma, const Tensor& /*epsilon*/,
                const Tensor& labels) { return invert_by_ode(D_aux, x_0, sigma, options, labels); };
}

training::Inverter noised_ode_inverter(const InversionOptions& options) {
  return [options](Denoiser& D_aux, const Tensor& x_0, double sigma, const Tensor& epsilon,
                   const Tensor& labels) {
    return invert_by_ode(D_aux, x_0 + options.sigma_min * epsilon, sigma, options, labels);
  };
}

training::Inverter backprop_inverter(const InversionOptions& options) {
  return [options](Denoiser& D_aux, const Tensor& x_0, double sigma, const Tensor& epsilon,
                   const Tensor& labels) {
    return invert_by_backprop(D_aux, x_0, x_0 + sigma * epsilon, sigma, options, labels);
  };
}

Tensor invert(Denoiser& D_aux, const Tensor& x_0, double sigma, const InversionOptions& options,
              const Tensor& epsilon, const Tensor& labels) {
  const auto& method = find_inversion_method(options.method);
  check_sigma(sigma, "an inversion");
  check_finite(x_0);
  if (method.draws_noise) check_epsilon(epsilon, x_0);
  return method.make(options)(D_aux, x_0.detach(), sigma, epsilon, labels);
}

}  // namespace reprise::models
