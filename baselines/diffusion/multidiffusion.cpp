#include "baselines/diffusion/multidiffusion.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace reprise::baselines {
namespace {

using at::Tensor;

/// Runs D on a few items at a time.
class InBatches : public models::Denoiser {
 public:
  InBatches(models::Denoiser& D, std::int64_t batch) : D_(D), batch_(batch) {}

  Tensor forward(const Tensor& x, const Tensor& sigma, const Tensor& labels) override {
    return models::map_batches(x.size(0), batch_,
                               [&](const auto& part) { return D_(part(x), sigma, part(labels)); });
  }

 private:
  models::Denoiser& D_;
  std::int64_t batch_;
};

/// The denoiser D_canvas. The canvas cuts the windows and averages them.
class CanvasDenoiser : public models::Denoiser {
 public:
  CanvasDenoiser(models::Canvas& canvas, models::Denoiser& D, Tensor psi)
      : canvas_(canvas), D_(D), psi_(std::move(psi)) {}

  Tensor forward(const Tensor& x, const Tensor& sigma, const Tensor& labels) override {
    canvas_.content().copy_(x);
    canvas_.fit(psi_, D_(canvas_.render(psi_), sigma, models::rows_for_views(labels, psi_)));
    return canvas_.content().detach().clone();
  }

 private:
  models::Canvas& canvas_;
  models::Denoiser& D_;
  Tensor psi_;
};

/// Refuses wrong options before anything is sampled.
void check(const models::Canvas& canvas, const MultiDiffusionOptions& options,
           const Tensor& conditions) {
  if (options.batch < 1)
    throw UsageError(fmt::format("{} windows at once", options.batch), "request at least one");
  models::check_conditions(conditions, canvas.objects());
}

}  // namespace

void multidiffusion(models::Canvas& canvas, models::Denoiser& D,
                    const MultiDiffusionOptions& options, const at::Generator& generator,
                    const Tensor& conditions) {
  check(canvas, options, conditions);
  const at::NoGradGuard no_gradient;
  InBatches of_windows(D, options.batch);
  const auto stride =
      options.stride != 0 ? options.stride : std::max<std::int64_t>(1, canvas.window() / 4);
  CanvasDenoiser whole(canvas, of_windows, canvas.windows_every(stride));
  const auto noise =
      options.sampler.sigma_max * models::draw_unit_noise(canvas.content(), generator);
  canvas.content().copy_(models::edm_sample(whole, noise, options.sampler, generator, conditions));
}

void sample_independent_crops(models::Canvas& canvas, models::Denoiser& D,
                              const MultiDiffusionOptions& options, const at::Generator& generator,
                              const Tensor& conditions) {
  check(canvas, options, conditions);
  const at::NoGradGuard no_gradient;
  InBatches of_windows(D, options.batch);
  const auto psi = canvas.windows(0);
  const auto noise =
      options.sampler.sigma_max * models::draw_unit_noise(canvas.render(psi), generator);
  canvas.fit(psi, models::edm_sample(of_windows, noise, options.sampler, generator,
                                     models::rows_for_views(conditions, psi)));
}

}  // namespace reprise::baselines
