#include "baselines/diffusion/score_distillation.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "training/adam.h"
#include "training/torch_generator.h"

namespace reprise::baselines {
namespace {

/// Refuses wrong options before the first step.
void check(const DistillationOptions& options, const at::Tensor& conditions, std::int64_t objects) {
  if (options.steps < 1)
    throw UsageError(fmt::format("{} steps of distillation", options.steps),
                     "request at least one");
  const double last = options.sigma_last.value_or(options.sigma_max);
  models::check_sigma(options.sigma_min, "a distillation (sigma_min)");
  if (!(std::isfinite(options.sigma_max) && options.sigma_max >= options.sigma_min &&
        last >= options.sigma_min))
    throw UsageError(fmt::format("levels from {} to {}, at last to {}", options.sigma_min,
                                 options.sigma_max, last),
                     "give ends that are not below sigma_min");
  models::check_conditions(conditions, objects);
}

}  // namespace

void distil(models::Representation& phi, models::Denoiser& D, const DistillationOptions& options,
            const at::Tensor& conditions,
            const std::function<void(const DistillationStep&)>& after) {
  check(options, conditions, phi.objects());
  training::Adam adam({{phi.parameters(), options.rate}}, 0);  // one Adam for all steps
  // Upper bound of the levels at each step.
  const auto tops =
      models::sigma_grid(options.steps, options.sigma_max,
                         options.sigma_last.value_or(options.sigma_max), models::Grid::Geometric);
  const Random streams(options.seed);
  for (std::int64_t number = 0; number < options.steps; ++number) {
    auto random = streams.split("views", number);
    const auto generator =
        training::torch_generator(streams.split("noise", number).below(INT64_MAX));
    DistillationStep step{.number = number, .psi = phi.views(random), .sigma = {}, .x_0 = {}};
    const torch::AutoGradMode with_gradient(true);
    adam.zero_grad();
    const auto rendered = phi.render(step.psi);
    models::check_finite_views(rendered.detach(), "rendering");
    at::Tensor gradient_of_x;
    {
      const torch::NoGradGuard no_gradient;
      step.x_0 = rendered.detach();
      // Levels are uniform in ln sigma.
      const double low = std::log(options.sigma_min),
                   high = std::log(tops[static_cast<std::size_t>(number)]);
      step.sigma = (low + (high - low) * at::rand({step.psi.size(0)}, generator, at::kDouble))
                       .exp()
                       .to(step.x_0.options());
      const auto sigma = models::broadcast_sigma(step.sigma, step.x_0);
      // The gradient skips D: it treats D's image as a constant target.
      auto gradient = step.x_0 - D(step.x_0 + sigma * models::draw_unit_noise(step.x_0, generator),
                                   step.sigma, models::rows_for_views(conditions, step.psi));
      if (options.weight == DistillationWeight::Noise) gradient = gradient / sigma;
      gradient_of_x = gradient / static_cast<double>(gradient[0].numel());
    }
    // The gradient with respect to x continues through the rendering to phi.
    rendered.backward(gradient_of_x);
    adam.step(1);
    if (after) after(step);
  }
}

}  // namespace reprise::baselines
