// Filters on the estimates of another method, each angle on its own. Their noise, and their motion where FilterFacts leave it open, is the
// likeliest for that method's estimates of the validation clips; no true angle is looked at. Only what is tuned on the test looks, and at the
// test itself: no tuning can do better.
#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

#include "baselines/trackers/kalman.h"
#include "baselines/trackers/methods.h"
#include "core/error.h"
#include "metrics/pose.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/names.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using baselines::AngleNoise;
using baselines::AngleTrack;
using baselines::Motion;

/// Axis `a` of [N, T, 3] as N tracks.
std::vector<std::vector<double>> tracks_of(const at::Tensor& poses, std::int64_t a) {
  const auto angle = poses.select(-1, a).to(at::kDouble).contiguous();
  std::vector<std::vector<double>> tracks;
  for (std::int64_t n = 0; n < angle.size(0); ++n) {
    const auto* row = angle.const_data_ptr<double>() + n * angle.size(1);
    tracks.emplace_back(row, row + angle.size(1));
  }
  return tracks;
}

at::Tensor filtered(const at::Tensor& poses, const std::function<baselines::AngleTracker(std::int64_t axis)>& tracker) {
  auto out = at::empty(poses.sizes(), at::kDouble);
  for (std::int64_t a = 0; a < 3; ++a) {
    const auto track = tracker(a);
    const auto tracks = tracks_of(poses, a);
    for (std::size_t n = 0; n < tracks.size(); ++n)
      out[static_cast<std::int64_t>(n)].select(-1, a).copy_(at::tensor(track(tracks[n]).angle, at::kDouble));
  }
  return out;
}

constexpr std::size_t yaw = 1;

struct Filter {
  Motion motion;
  AngleNoise noise;
};

/// The method's motion, or else the likelier one; with its likeliest noise.
Filter likely_filter(const FilterFacts& facts, const std::vector<std::vector<double>>& tracks, double rate_variance) {
  const auto with = [&](Motion motion) {
    return Filter{motion, baselines::most_likely_noise(motion, tracks, {.rate_variance = rate_variance})};
  };
  if (facts.motion) return with(*facts.motion);
  const auto position = with(Motion::ConstantPosition), velocity = with(Motion::ConstantVelocity);
  const auto likelihood = [&](const Filter& filter) { return baselines::log_likelihood(filter.motion, filter.noise, tracks); };
  return likelihood(position) > likelihood(velocity) ? position : velocity;
}

baselines::AngleTracker tracker_of(const baselines::TrackerMethod& tracker, const Filter& filter, const CellContext& context) {
  return tracker.whole({.motion = filter.motion,
                        .noise = filter.noise,
                        .particles = context.settings.integer("filter.particles"),
                        .seed = seed_of({"dynamic_face", "particles", std::to_string(context.record.cell.seed)})});
}

double total_error(const Filter& filter, const std::vector<std::vector<double>>& estimated, const std::vector<std::vector<double>>& truth) {
  double sum = 0;
  for (std::size_t n = 0; n < estimated.size(); ++n) {
    const auto track = baselines::track_angle(filter.motion, filter.noise, estimated[n]);
    for (std::size_t t = 0; t < track.angle.size(); ++t) sum += std::abs(track.angle[t] - truth[n][t]);
  }
  return sum;
}

/// The motion and the q for r = 1 that give the least error against the truth: a filter's gain depends on q / r alone.
Filter best_filter(const at::Tensor& poses, const at::Tensor& truth, std::int64_t a, double rate_variance) {
  const auto estimated = tracks_of(poses, a), true_angles = tracks_of(truth, a);
  Filter best{};
  double least = INFINITY;
  for (const auto motion : {Motion::ConstantPosition, Motion::ConstantVelocity})
    for (double exponent = -6; exponent <= 3; exponent += 0.25) {
      const Filter filter{motion, {std::pow(10.0, exponent), 1, rate_variance}};
      const auto error = total_error(filter, estimated, true_angles);
      if (error < least) least = error, best = filter;
    }
  return best;
}

}  // namespace

void run_filter(CellContext& context) {
  const auto& facts = method_named(context.record.cell.method).filter.value();
  const auto& tracker = find_named(baselines::trackers(), "tracker", facts.tracker);
  const auto measured = read_estimates(context, facts.of);
  const auto rate_variance = context.settings.number("filter.rate_variance");
  std::vector<Filter> likely;
  for (std::int64_t a = 0; a < 3; ++a) {
    likely.push_back(likely_filter(facts, tracks_of(measured.at("validation"), a), rate_variance));
    const auto axis = datasets::angle_names[static_cast<std::size_t>(a)];
    for (const auto& [name, value] : {std::pair{"q", likely.back().noise.q}, {"r", likely.back().noise.r}})
      context.record.metrics.push_back({fmt::format("{}_{}", name, axis), value, "deg^2", records::Direction::Neither, ""});
  }
  Estimates estimates;
  for (const auto& [part, poses] : measured) {
    const auto truth = read_clips(context, "pose", part).truth.pose;
    estimates[part] = filtered(poses, [&](std::int64_t a) {
      const auto used = facts.tuned_on_test ? best_filter(poses, truth, a, rate_variance) : likely[static_cast<std::size_t>(a)];
      return tracker_of(tracker, used, context);
    });
  }
  records::Curves curves;
  measure_pose(estimates, context, curves);
  // What one fixed linear filter does is what it makes of an impulse; one that is tuned on each part is not one filter.
  const bool one_filter = tracker.linear && tracker.causal() && !facts.tuned_on_test;
  if (one_filter)
    note_impulse(filtered(impulse(), [&](std::int64_t a) { return tracker_of(tracker, likely[static_cast<std::size_t>(a)], context); }),
                 curves);
  if (one_filter && facts.motion == Motion::ConstantVelocity) {
    note_weights(baselines::in_common_basis(baselines::filter_form(likely[yaw].noise)), "", context.record);
    note_weights(baselines::in_common_basis(baselines::prediction_form(likely[yaw].noise)), "_prediction", context.record);
  }
  context.store.write_curves(context.record.cell, curves);
  write_estimates(context, estimates);
}

}  // namespace reprise::reproduce::dynamic_face_study
