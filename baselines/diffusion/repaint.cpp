#include "baselines/diffusion/repaint.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace reprise::baselines {
namespace {

using at::Tensor;

/// Throws a UsageError if the options, the mask and the images do not fit together.
void check_inputs(const Tensor& x_0, const Tensor& mask, const RepaintOptions& options) {
  if (options.resamplings < 1)
    throw UsageError(fmt::format("RePaint with {} resamplings", options.resamplings),
                     "set resamplings to 1 or more; 1 only replaces the known part");
  if (!at::is_expandable_to(mask.sizes(), x_0.sizes()))
    throw UsageError(fmt::format("a mask of shape {} for images of shape {}",
                                 c10::str(mask.sizes()), c10::str(x_0.sizes())),
                     "give a mask that broadcasts to the images");
  if (options.start.defined() && options.start.sizes() != x_0.sizes())
    throw UsageError(fmt::format("a start of shape {} for images of shape {}",
                                 c10::str(options.start.sizes()), c10::str(x_0.sizes())),
                     "give a start of the shape of the images");
  if (!mask.eq(0).logical_or(mask.eq(1)).all().item<bool>())
    throw UsageError("a mask with values other than 0 and 1",
                     "give 1 where the image is known, 0 where it is not");
}

/// Takes one DDPM step from noise level sigma to `next` (formula in the header).
Tensor ddpm_step(models::Denoiser& D, const Tensor& x, double sigma, double next,
                 const at::Generator& generator, const Tensor& labels) {
  auto clean = D(x, sigma, labels);
  // Level 0 is the clean image.
  if (next == 0) return clean;
  const double r = next * next / (sigma * sigma);
  return clean + r * (x - clean) + next * std::sqrt(1 - r) * models::draw_unit_noise(x, generator);
}

}  // namespace

Tensor repaint(models::Denoiser& D, const Tensor& x_0, const Tensor& mask,
               const RepaintOptions& options, const at::Generator& generator,
               const Tensor& labels) {
  check_inputs(x_0, mask, options);
  const at::NoGradGuard no_gradient;
  const auto known = mask.to(x_0.device(), at::kBool);
  const auto sigmas = models::sampling_schedule(options.levels);
  const auto noise = [&] { return models::draw_unit_noise(x_0, generator); };
  auto x = at::where(known, x_0, options.start.defined() ? options.start : at::zeros_like(x_0)) +
           sigmas[0] * noise();
  for (std::size_t i = 0; i + 1 < sigmas.size(); ++i) {
    const double sigma = sigmas[i];
    const double next = sigmas[i + 1];
    for (std::int64_t u = 0; u < options.resamplings; ++u) {
      const auto unknown = options.stochastic
                               ? ddpm_step(D, x, sigma, next, generator, labels)
                               : models::ode_step(D, x, sigma, next, options.levels.solver, labels);
      // After the step x has noise level `next`, so the known part gets noise of that level too.
      x = at::where(known, x_0 + next * noise(), unknown);
      // Noise raises x to level sigma again, except after the last resampling.
      if (u + 1 < options.resamplings) x = x + std::sqrt(sigma * sigma - next * next) * noise();
    }
  }
  return x;
}

}  // namespace reprise::baselines
