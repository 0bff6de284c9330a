#include "baselines/trackers/methods.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baselines/trackers/kalman.h"
#include "baselines/trackers/particle_filter.h"
#include "baselines/trackers/simple_filters.h"
#include "core/error.h"

namespace reprise::baselines {
namespace {

ParticleOptions particle_options(const TrackerOptions& options) {
  return {.particles = options.particles, .seed = options.seed};
}

/// Trackers of several angles, one per column of the measurements.
class AngleTrackers : public training::Tracker {
 public:
  AngleTrackers(const TrackerMethod& method, std::vector<TrackerOptions> options)
      : method_(method), options_(std::move(options)) {
    begin();
  }
  at::Tensor next(const at::Tensor& x) override {
    if (steps_.empty()) return Tracker::next(x);
    require_angles(x, 1);
    auto y = at::empty_like(x);
    for (std::size_t a = 0; a < steps_.size(); ++a) {
      const auto k = static_cast<std::int64_t>(a);
      y[k] = steps_[a](x[k].item<double>());
    }
    return y;
  }
  void restart() override { begin(); }
  at::Tensor track(const at::Tensor& x) override {
    require_angles(x, 2);
    begin();
    auto y = at::empty_like(x);
    for (std::size_t a = 0; a < options_.size(); ++a) {
      const auto column = x.select(1, static_cast<std::int64_t>(a)).contiguous();
      const auto* values = column.const_data_ptr<double>();
      const auto angle =
          method_.full_track(options_[a])(std::vector<double>(values, values + column.numel()))
              .angle;
      y.select(1, static_cast<std::int64_t>(a)).copy_(at::tensor(angle, at::kDouble));
    }
    return y;
  }

 private:
  void begin() {
    steps_.clear();
    if (!method_.causal()) return;
    for (const auto& options : options_) steps_.push_back(method_.step(options));
  }
  void require_angles(const at::Tensor& x, std::int64_t dimensions) const {
    if (x.dim() != dimensions || x.size(-1) != static_cast<std::int64_t>(options_.size()) ||
        x.scalar_type() != at::kDouble)
      throw UsageError(fmt::format("measurements of shape [{}] for {} angles",
                                   fmt::join(x.sizes(), ", "), options_.size()),
                       "give one float64 number per angle, NaN where it was not measured");
  }

  const TrackerMethod& method_;
  std::vector<TrackerOptions> options_;
  std::vector<AngleStep> steps_;
};

}  // namespace

const std::vector<TrackerMethod>& trackers() {
  using training::Role;
  static const std::vector<TrackerMethod> all{
      {.info = {.id = "kalman",
                .title = "Kalman",
                .role = Role::Baseline,
                .source = "Kalman 1960; document dynamic_face, eq 3",
                .cost = "a 2 x 2 update per angle and frame"},
       .full_track = [](const TrackerOptions& options) -> AngleTracker {
         return [=](const std::vector<double>& x) {
           return track_angle(options.motion, options.noise, x);
         };
       },
       .step =
           [](const TrackerOptions& options) {
             return track_angle_step(options.motion, options.noise);
           }},
      {.info = {.id = "particle",
                .title = "particle filter",
                .role = Role::Baseline,
                .source = "Gordon, Salmond, Smith 1993",
                .cost = "1000 particles per angle and frame"},
       .linear = false,
       .full_track = [](const TrackerOptions& options) -> AngleTracker {
         return [=](const std::vector<double>& x) {
           return particle_angle(options.motion, options.noise, particle_options(options), x);
         };
       },
       .step =
           [](const TrackerOptions& options) {
             return particle_angle_step(options.motion, options.noise, particle_options(options));
           }},
      {.info = {.id = "moving_average",
                .title = "moving average",
                .role = Role::Baseline,
                .source = "the mean of the last frames; knows no model",
                .cost = "a sum per angle and frame"},
       .has_model = false,
       .full_track = [](const TrackerOptions& options) -> AngleTracker {
         return [=](const std::vector<double>& x) {
           return run_over_track(moving_average_step(options.frames), x);
         };
       },
       .step = [](const TrackerOptions& options) { return moving_average_step(options.frames); }},
      {.info = {.id = "one_euro",
                .title = "one-euro filter",
                .role = Role::Baseline,
                .source = "Casiez, Roussel, Vogel 2012",
                .cost = "two means per angle and frame"},
       .has_model = false,
       .linear = false,
       .full_track = [](const TrackerOptions& options) -> AngleTracker {
         return [=](const std::vector<double>& x) {
           return run_over_track(one_euro_step(options.cutoff, options.beta), x);
         };
       },
       .step =
           [](const TrackerOptions& options) {
             return one_euro_step(options.cutoff, options.beta);
           }},
      {.info = {.id = "smoother",
                .title = "RTS smoother (not causal)",
                .role = Role::Bound,
                .source = "Rauch, Tung, Striebel 1965",
                .cost = "two 2 x 2 updates per angle and frame"},
       .full_track = [](const TrackerOptions& options) -> AngleTracker {
         return [=](const std::vector<double>& x) {
           return smooth_angle(options.motion, options.noise, x);
         };
       }},
  };
  return all;
}

std::unique_ptr<training::Tracker> make_tracker(const TrackerMethod& method,
                                                const std::vector<TrackerOptions>& options) {
  return std::make_unique<AngleTrackers>(method, options);
}

}  // namespace reprise::baselines
