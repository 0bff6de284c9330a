// Filters on the estimates of another method. Each angle, or coordinate of a point, is filtered
// alone.
//
// All filters are tuned for the least error on validation clips, as networks are: noise, motion
// model where FilterTraits leave it open, and options of trackers without a model. Maximum
// likelihood is no substitute. Estimates fail for some frames in a row, which no Gaussian of one
// variance describes, and the most likely filter smooths too little. Filters with tuned_on_test are
// tuned on the test itself: a bound that no tuning exceeds.
#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

#include "baselines/trackers/kalman.h"
#include "baselines/trackers/methods.h"
#include "core/error.h"
#include "experiments/names.h"
#include "experiments/sequence_training.h"
#include "metrics/pose.h"
#include "reproduce/dynamic_face/cells.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using baselines::AngleNoise;
using baselines::AngleTracker;
using baselines::Motion;
using baselines::TrackerMethod;
using baselines::TrackerOptions;

/// Splits axis `a` of [N, T, 3] into N tracks.
std::vector<std::vector<double>> split_tracks(const at::Tensor& poses, std::int64_t a) {
  std::vector<std::vector<double>> tracks;
  for (const auto& angle : poses.select(-1, a).unbind(0)) tracks.push_back(values_of(angle));
  return tracks;
}

using AngleSeries = std::vector<double>;

/// Filters each of the N K tracks of [N, T, K] alone. `track` gets a track, its axis k and its clip
/// n.
at::Tensor filter_tracks(
    const at::Tensor& values,
    const std::function<AngleSeries(const AngleSeries& x, std::int64_t k, std::int64_t n)>& track) {
  auto out = at::empty(values.sizes(), at::kDouble);
  for (std::int64_t k = 0; k < values.size(-1); ++k) {
    const auto tracks = split_tracks(values, k);
    for (std::size_t n = 0; n < tracks.size(); ++n) {
      const auto sequence = static_cast<std::int64_t>(n);
      out[sequence].select(-1, k).copy_(at::tensor(track(tracks[n], k, sequence), at::kDouble));
    }
  }
  return out;
}

/// Index of the yaw in (pitch, yaw, roll).
constexpr std::size_t yaw = 1;

/// Motion model and noise of a filter.
struct Filter {
  Motion motion;
  AngleNoise noise;
};

/// Returns the sum of absolute errors over all tracks and frames.
double total_error(const AngleTracker& tracker, const std::vector<AngleSeries>& estimated,
                   const std::vector<AngleSeries>& truth) {
  double sum = 0;
  for (std::size_t n = 0; n < estimated.size(); ++n) {
    const auto track = tracker(estimated[n]);
    for (std::size_t t = 0; t < track.angle.size(); ++t)
      sum += std::abs(track.angle[t] - truth[n][t]);
  }
  return sum;
}

/// Tunes a filter for the least error: motion (the given one, or the better of both), q, and with a
/// gate also r. Without a gate r is the most likely one: the gain depends on q / r alone. A gate
/// depends on r itself, and the most likely r includes the outliers, so fractions of it are tried.
Filter tune_filter(const FilterTraits& traits, const TrackerMethod& tracker,
                   const std::vector<AngleSeries>& estimated, const std::vector<AngleSeries>& truth,
                   double rate_variance) {
  // A particle filter approximates the Kalman filter, so it gets the noise tuned for the exact one.
  const auto& tuned = tracker.linear
                          ? tracker
                          : find_named(baselines::trackers(), "tracker", std::string("kalman"));
  // Gates in standard deviations of the innovation; 0: none. Fractions of r. Grids of this study,
  // without a published source.
  const auto gates = traits.gated ? std::vector{2.0, 3.0, 4.0, 6.0, 8.0} : std::vector{0.0};
  const auto r_fractions = traits.gated ? std::vector{0.03, 0.1, 0.3, 1.0, 3.0} : std::vector{1.0};
  // q / r from 1e-6 (gain about 0.001: hardly moves) to 1e3 (gain about 1: no smoothing).
  constexpr double lowest_exponent = -6;
  constexpr double highest_exponent = 3;
  constexpr double exponent_step = 0.25;
  Filter best{};
  double least = INFINITY;
  for (const auto motion : {Motion::ConstantPosition, Motion::ConstantVelocity}) {
    if (motion != traits.motion.value_or(motion)) continue;
    const auto likely =
        baselines::estimate_noise(motion, estimated, {.rate_variance = rate_variance}).r;
    for (const double gate : gates)
      for (const double fraction : r_fractions)
        for (double exponent = lowest_exponent; exponent <= highest_exponent;
             exponent += exponent_step) {
          const double r = fraction * likely;
          const Filter filter{.motion = motion,
                              .noise = {.q = std::pow(10.0, exponent) * r,
                                        .r = r,
                                        .rate_variance = rate_variance,
                                        .gate = gate}};
          const auto error = total_error(
              tuned.full_track({.motion = filter.motion, .noise = filter.noise}), estimated, truth);
          if (error < least) {
            least = error;
            best = filter;
          }
        }
  }
  return best;
}

/// Returns the options that a tracker without a motion model is tuned over.
std::vector<TrackerOptions> candidate_options(const TrackerMethod& tracker) {
  std::vector<TrackerOptions> all;
  // Grids of this study. Moving average: frames. One-euro filter: cutoff in cycles per frame (0.5
  // is the highest frequency), and beta in cycles per degree (0: constant cutoff).
  if (tracker.info.id == "moving_average")
    for (const std::int64_t frames : {2, 3, 4, 6, 8, 12}) all.push_back({.frames = frames});
  else
    for (const double cutoff : {0.02, 0.05, 0.1, 0.2, 0.4})
      for (const double beta : {0.0, 0.003, 0.01, 0.03, 0.1, 0.3})
        all.push_back({.cutoff = cutoff, .beta = beta});
  return all;
}

/// Returns the options with the least error against the ground truth.
TrackerOptions tune_without_model(const TrackerMethod& tracker,
                                  const std::vector<AngleSeries>& estimated,
                                  const std::vector<AngleSeries>& truth) {
  TrackerOptions best;
  double least = INFINITY;
  for (const auto& options : candidate_options(tracker)) {
    const auto error = total_error(tracker.full_track(options), estimated, truth);
    if (error < least) {
      least = error;
      best = options;
    }
  }
  return best;
}

/// Records a tuned value. It is a setting, so it has no direction.
void record_value(const std::string& name, double value, const char* unit, CellContext& context) {
  context.record.metrics.push_back({.name = name,
                                    .value = value,
                                    .unit = unit,
                                    .direction = records::Direction::Neither,
                                    .protocol = ""});
}

/// Reads the true poses of a part from the clips of network "pose".
at::Tensor read_true_poses(const CellContext& context, const std::string& part) {
  return read_clips(context, "pose", part).truth.pose;
}

/// Runs a trivial baseline: the mean training pose, or the previous estimate.
void run_trivial(const std::string& tracker, const Estimates& measured, CellContext& context) {
  const auto mean =
      read_true_poses(context, "training").to(at::kDouble).mean(std::vector<std::int64_t>{0, 1});
  Estimates estimates;
  for (const auto& [part, poses] : measured)
    // "held" repeats the first estimate, and is one frame late from then on.
    estimates[part] =
        tracker == "constant"
            ? mean.expand(poses.sizes()).contiguous()
            : at::cat({poses.slice(1, 0, 1), poses.slice(1, 0, poses.size(1) - 1)}, 1);
  records::Curves curves;
  measure_pose(estimates, context, curves);
  context.store.write_curves(context.record.cell, curves);
}

/// Splits all coordinates of [N, T, K] into tracks.
std::vector<AngleSeries> split_all_tracks(const at::Tensor& points) {
  std::vector<AngleSeries> all;
  for (std::int64_t k = 0; k < points.size(-1); ++k)
    for (auto& track : split_tracks(points, k)) all.push_back(std::move(track));
  return all;
}

/// Filters landmarks [N, T, 136] or 3-D landmarks [N, T, 204]. Each coordinate is filtered alone,
/// with one noise for all.
void run_points(const Method& method, const TrackerMethod& tracker, const Estimates& measured,
                CellContext& context) {
  const auto& validation = measured.at("validation");
  const bool in_3d = method.output() == Output::Landmarks3d;
  const auto true_points = [&](const std::string& part) {
    const auto truth = read_clips(context, method.network, part).truth;
    return in_3d ? truth.landmarks_3d : truth.landmarks;
  };
  // The prior variance of the velocity is the mean squared step of the estimates, per frame^2.
  const auto tuned = tune_filter(*method.filter, tracker, split_all_tracks(validation),
                                 split_all_tracks(true_points("validation").flatten(2)),
                                 validation.diff(1, 1).square().mean().item<double>());
  record_value("q", tuned.noise.q, "", context);
  record_value("r", tuned.noise.r, "", context);
  const auto track = tracker.full_track({.motion = tuned.motion, .noise = tuned.noise});
  for (const auto& part : context.settings.texts("test.kinds")) {
    const auto points = filter_tracks(
        measured.at(part),
        [&](const AngleSeries& x, std::int64_t, std::int64_t) { return track(x).angle; });
    if (in_3d)
      record_landmark_error_3d(
          metrics::landmark_error_3d(extract_landmarks_3d(points), true_points(part)) *
              millimetres_per_decimetre,
          part, context.record);
    else
      measure_points(points.unflatten(-1, {68, 2}), true_points(part), part, context);
  }
  context.store.write_curves(context.record.cell, {});
}

/// Filter on poses. Each angle has its own options, tuned on validation or on each test part.
class AngleFilter {
 public:
  AngleFilter(const FilterTraits& traits, const TrackerMethod& tracker, const Estimates& measured,
              CellContext& context)
      : traits_(traits), tracker_(tracker), measured_(measured), context_(context) {}

  void run();

 private:
  TrackerOptions tune(const std::string& part, std::int64_t a) const;
  void record_options(std::int64_t a) const;
  at::Tensor track(const std::string& part, const at::Tensor& poses) const;
  /// Returns whether one impulse response describes the filter. It does not if options differ
  /// between parts, or if a gate drops measurements.
  bool is_one_linear_filter() const {
    return tracker_.has_model && tracker_.linear && tracker_.causal() && !traits_.tuned_on_test &&
           !traits_.gated;
  }
  void measure_response(records::Curves& curves) const;

  const FilterTraits& traits_;
  const TrackerMethod& tracker_;
  const Estimates& measured_;
  CellContext& context_;
  std::vector<TrackerOptions> options_ = {};  ///< options per angle
};

/// Returns the options of angle `a` with the least error on a part.
TrackerOptions AngleFilter::tune(const std::string& part, std::int64_t a) const {
  const auto estimated = split_tracks(measured_.at(part), a);
  const auto truth = split_tracks(read_true_poses(context_, part), a);
  if (!tracker_.has_model) return tune_without_model(tracker_, estimated, truth);
  const auto tuned = tune_filter(traits_, tracker_, estimated, truth,
                                 context_.settings.number("filter.rate_variance"));
  return {.motion = tuned.motion,
          .noise = tuned.noise,
          .particles = context_.settings.integer("filter.particles")};
}

/// Records the tuned options of an angle.
void AngleFilter::record_options(std::int64_t a) const {
  const auto& options = options_[static_cast<std::size_t>(a)];
  const auto axis = datasets::angle_names[static_cast<std::size_t>(a)];
  if (tracker_.has_model) {
    record_value(fmt::format("q_{}", axis), options.noise.q, "deg^2", context_);
    record_value(fmt::format("r_{}", axis), options.noise.r, "deg^2", context_);
    if (traits_.gated)
      record_value(fmt::format("gate_{}", axis), options.noise.gate, "deviations", context_);
  } else if (tracker_.info.id == "moving_average") {
    record_value(fmt::format("frames_{}", axis), static_cast<double>(options.frames), "frames",
                 context_);
  } else {
    record_value(fmt::format("cutoff_{}", axis), options.cutoff, "cycles a frame", context_);
    record_value(fmt::format("beta_{}", axis), options.beta, "cycles a degree", context_);
  }
}

/// Filters poses [N, T, 3]. Each track has its own particles.
at::Tensor AngleFilter::track(const std::string& part, const at::Tensor& poses) const {
  const auto seed = std::to_string(context_.record.cell.seed);
  return filter_tracks(poses, [&](const AngleSeries& x, std::int64_t a, std::int64_t n) {
    auto options = options_[static_cast<std::size_t>(a)];
    options.seed =
        seed_of({"dynamic_face", "particles", seed, part, std::to_string(a), std::to_string(n)});
    return tracker_.full_track(options)(x).angle;
  });
}

/// Records the impulse response and, of a constant-velocity filter, its gain and weights.
void AngleFilter::measure_response(records::Curves& curves) const {
  record_impulse(track("impulse", make_impulse()), curves);
  // The linear RNN of eq 2 has two states, as the constant-velocity filter: these are compared.
  if (traits_.motion != Motion::ConstantVelocity) return;
  record_gain([&](const at::Tensor& x) { return track("gain", x); }, curves);
  const auto& noise = options_[yaw].noise;
  record_tracker_weights(baselines::to_common_basis(baselines::filter_form(noise)), "",
                         context_.record);
  record_tracker_weights(baselines::to_common_basis(baselines::prediction_form(noise)),
                         "_prediction", context_.record);
}

void AngleFilter::run() {
  for (std::int64_t a = 0; a < 3; ++a) {
    options_.push_back(tune("validation", a));
    if (!traits_.tuned_on_test) record_options(a);
  }
  Estimates estimates;
  for (const auto& [part, poses] : measured_) {
    // The bound replaces the options by those that are best on this very part.
    for (std::int64_t a = 0; traits_.tuned_on_test && a < 3; ++a) {
      auto& options = options_[static_cast<std::size_t>(a)];
      options = tune(part, a);
      record_value(
          fmt::format("q_over_r_{}_{}", datasets::angle_names[static_cast<std::size_t>(a)], part),
          options.noise.q / options.noise.r, "", context_);
    }
    estimates[part] = track(part, poses);
  }
  records::Curves curves;
  measure_pose(estimates, context_, curves);
  if (is_one_linear_filter()) measure_response(curves);
  context_.store.write_curves(context_.record.cell, curves);
  write_estimates(context_, estimates);
}

}  // namespace

void run_filter(CellContext& context) {
  const auto& method = method_named(context.record.cell.method);
  const auto& traits = method.filter.value();
  const auto measured = read_estimates(context, traits.of);
  if (is_trivial(traits.tracker)) return run_trivial(traits.tracker, measured, context);
  const auto& tracker = find_named(baselines::trackers(), "tracker", traits.tracker);
  if (gives_pose(method.output())) return AngleFilter(traits, tracker, measured, context).run();
  run_points(method, tracker, measured, context);
}

}  // namespace reprise::reproduce::dynamic_face_study
