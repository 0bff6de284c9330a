#include "models/diffusion/noise_level.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace reprise::models {

double mmse(Denoiser& D, const at::Tensor& x_0, double sigma, const at::Tensor& epsilon,
            const at::Tensor& labels) {
  const at::NoGradGuard no_gradient;
  return (D(x_0 + sigma * epsilon, sigma, labels) - x_0).square().mean().item<double>();
}

at::Tensor noise_level(Denoiser& D, const at::Tensor& x, double sigma, double error,
                       const at::Tensor& labels) {
  if (!(std::isfinite(error) && error >= 0))
    throw UsageError(fmt::format("an error of {} of the denoiser", error),
                     "give what mmse() measures on clean data at the same sigma");
  const at::NoGradGuard no_gradient;
  return ((x - D(x, sigma, labels)).square().flatten(1).mean(1) + error).sqrt();
}

}  // namespace reprise::models
