// Filters on the estimates of another method, each angle, or each coordinate of a point, on its own. Their noise, and their motion where
// FilterFacts leave it open, is the likeliest for that method's estimates of the validation clips; no true angle is looked at. Trackers
// without a model are tuned on true angles, of the validation clips. What is tuned on the test looks at the test itself: no tuning can do
// better.
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
using baselines::AngleTracker;
using baselines::Motion;
using baselines::TrackerMethod;
using baselines::TrackerOptions;

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

using Tracked = std::vector<double>;

/// values: [N, T, K]; each of the N K tracks on its own.
at::Tensor filtered(const at::Tensor& values, const std::function<Tracked(const Tracked& x, std::int64_t k, std::int64_t n)>& track) {
  auto out = at::empty(values.sizes(), at::kDouble);
  for (std::int64_t k = 0; k < values.size(-1); ++k) {
    const auto tracks = tracks_of(values, k);
    for (std::size_t n = 0; n < tracks.size(); ++n) {
      const auto sequence = static_cast<std::int64_t>(n);
      out[sequence].select(-1, k).copy_(at::tensor(track(tracks[n], k, sequence), at::kDouble));
    }
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

double total_error(const AngleTracker& tracker, const std::vector<Tracked>& estimated, const std::vector<Tracked>& truth) {
  double sum = 0;
  for (std::size_t n = 0; n < estimated.size(); ++n) {
    const auto track = tracker(estimated[n]);
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
      const auto error =
          total_error([&](const Tracked& x) { return baselines::track_angle(filter.motion, filter.noise, x); }, estimated, true_angles);
      if (error < least) least = error, best = filter;
    }
  return best;
}

/// What a tracker without a model is tuned over.
std::vector<TrackerOptions> choices_of(const TrackerMethod& tracker) {
  std::vector<TrackerOptions> all;
  if (tracker.info.id == "moving_average")
    for (const std::int64_t frames : {2, 3, 4, 6, 8, 12}) all.push_back({.frames = frames});
  else
    for (const double cutoff : {0.02, 0.05, 0.1, 0.2, 0.4})
      for (const double beta : {0.0, 0.003, 0.01, 0.03, 0.1, 0.3}) all.push_back({.cutoff = cutoff, .beta = beta});
  return all;
}

TrackerOptions least_error(const TrackerMethod& tracker, const at::Tensor& estimated, const at::Tensor& truth, std::int64_t a) {
  const auto measured = tracks_of(estimated, a), true_angles = tracks_of(truth, a);
  TrackerOptions best;
  double least = INFINITY;
  for (const auto& options : choices_of(tracker)) {
    const auto error = total_error(tracker.whole(options), measured, true_angles);
    if (error < least) least = error, best = options;
  }
  return best;
}

void note(const std::string& name, double value, const char* unit, CellContext& context) {
  context.record.metrics.push_back({name, value, unit, records::Direction::Neither, ""});
}

at::Tensor true_poses(const CellContext& context, const std::string& part) { return read_clips(context, "pose", part).truth.pose; }

/// What tracks nothing.
void run_null(const std::string& tracker, const Estimates& measured, CellContext& context) {
  const auto mean = true_poses(context, "training").to(at::kDouble).mean(std::vector<std::int64_t>{0, 1});
  Estimates estimates;
  for (const auto& [part, poses] : measured)
    estimates[part] = tracker == "constant" ? mean.expand(poses.sizes()).contiguous()
                                            : at::cat({poses.slice(1, 0, 1), poses.slice(1, 0, poses.size(1) - 1)}, 1);
  records::Curves curves;
  measure_pose(estimates, context, curves);
  context.store.write_curves(context.record.cell, curves);
}

/// Landmarks [N, T, 136] or places [N, T, 204]: each coordinate on its own, the noise that of all.
void run_points(const Method& method, const TrackerMethod& tracker, const Estimates& measured, CellContext& context) {
  const auto& validation = measured.at("validation");
  std::vector<Tracked> all;
  for (std::int64_t k = 0; k < validation.size(-1); ++k)
    for (auto& track : tracks_of(validation, k)) all.push_back(std::move(track));
  const auto likely = likely_filter(*method.filter, all, validation.diff(1, 1).square().mean().item<double>());
  note("q", likely.noise.q, "", context);
  note("r", likely.noise.r, "", context);
  const auto track = tracker.whole({.motion = likely.motion, .noise = likely.noise});
  for (const auto& part : context.settings.texts("test.kinds")) {
    const auto points = filtered(measured.at(part), [&](const Tracked& x, std::int64_t, std::int64_t) { return track(x).angle; });
    const auto truth = read_clips(context, method.network, part).truth;
    if (method.output() == Output::Places)
      note_places(metrics::place_error(places_of(points), truth.places) * millimetres, part, context.record);
    else
      measure_landmarks(points.unflatten(-1, {68, 2}), truth.landmarks, part, context);
  }
  context.store.write_curves(context.record.cell, {});
}

/// Poses.
void run_angles(const FilterFacts& facts, const TrackerMethod& tracker, const Estimates& measured, CellContext& context) {
  const auto rate_variance = context.settings.number("filter.rate_variance");
  const auto& cell = context.record.cell;
  std::vector<TrackerOptions> chosen;  // of each angle
  const auto& validation = measured.at("validation");
  for (std::int64_t a = 0; a < 3; ++a) {
    const auto axis = datasets::angle_names[static_cast<std::size_t>(a)];
    if (tracker.has_model) {
      const auto likely = likely_filter(facts, tracks_of(validation, a), rate_variance);
      chosen.push_back({.motion = likely.motion, .noise = likely.noise, .particles = context.settings.integer("filter.particles")});
    } else {
      chosen.push_back(least_error(tracker, validation, true_poses(context, "validation"), a));
    }
    if (facts.tuned_on_test) continue;
    if (tracker.has_model) {
      note(fmt::format("q_{}", axis), chosen.back().noise.q, "deg^2", context);
      note(fmt::format("r_{}", axis), chosen.back().noise.r, "deg^2", context);
    } else if (tracker.info.id == "moving_average") {
      note(fmt::format("frames_{}", axis), static_cast<double>(chosen.back().frames), "frames", context);
    } else {
      note(fmt::format("cutoff_{}", axis), chosen.back().cutoff, "cycles a frame", context);
      note(fmt::format("beta_{}", axis), chosen.back().beta, "cycles a degree", context);
    }
  }
  // every track draws particles of its own
  const auto track = [&](const std::string& part) {
    return [&, part](const Tracked& x, std::int64_t a, std::int64_t n) {
      auto options = chosen[static_cast<std::size_t>(a)];
      options.seed = seed_of({"dynamic_face", "particles", std::to_string(cell.seed), part, std::to_string(a), std::to_string(n)});
      return tracker.whole(options)(x).angle;
    };
  };
  Estimates estimates;
  for (const auto& [part, poses] : measured) {
    if (facts.tuned_on_test)
      for (std::int64_t a = 0; a < 3; ++a) {
        const auto best = best_filter(poses, true_poses(context, part), a, rate_variance);
        auto& used = chosen[static_cast<std::size_t>(a)];
        used.motion = best.motion, used.noise = best.noise;
        note(fmt::format("q_over_r_{}_{}", datasets::angle_names[static_cast<std::size_t>(a)], part), best.noise.q / best.noise.r, "",
             context);
      }
    estimates[part] = filtered(poses, track(part));
  }
  records::Curves curves;
  measure_pose(estimates, context, curves);
  // What one fixed linear filter does is what it makes of an impulse; one that is tuned on each part is not one filter.
  const bool one_filter = tracker.has_model && tracker.linear && tracker.causal() && !facts.tuned_on_test;
  if (one_filter) note_impulse(filtered(impulse(), track("impulse")), curves);
  if (one_filter && facts.motion == Motion::ConstantVelocity) {
    note_gain([&](const at::Tensor& x) { return filtered(x, track("gain")); }, curves);
    const auto& noise = chosen[yaw].noise;
    note_weights(baselines::in_common_basis(baselines::filter_form(noise)), "", context.record);
    note_weights(baselines::in_common_basis(baselines::prediction_form(noise)), "_prediction", context.record);
  }
  context.store.write_curves(cell, curves);
  write_estimates(context, estimates);
}

}  // namespace

void run_filter(CellContext& context) {
  const auto& method = method_named(context.record.cell.method);
  const auto& facts = method.filter.value();
  const auto measured = read_estimates(context, facts.of);
  const auto& null = null_trackers();
  if (std::find(null.begin(), null.end(), facts.tracker) != null.end()) return run_null(facts.tracker, measured, context);
  const auto& tracker = find_named(baselines::trackers(), "tracker", facts.tracker);
  if (gives_pose(method.output())) return run_angles(facts, tracker, measured, context);
  run_points(method, tracker, measured, context);
}

}  // namespace reprise::reproduce::dynamic_face_study
