// Filters on the estimates of another method, each angle, or each coordinate of a point, on its
// own. All are tuned for the least error on the validation clips, as networks are chosen: the noise
// of a model, its motion where FilterFacts leave it open, what else a tracker without a model has.
// (The likeliest noise is no good choice here: estimates go wrong for some frames at a time, which
// no Gaussian of one variance does, and the likeliest filter smooths too little.) What is tuned on
// the test looks at the test itself: no tuning can do better.
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

/// Axis `a` of [N, T, 3] as N tracks.
std::vector<std::vector<double>> split_tracks(const at::Tensor& poses, std::int64_t a) {
  std::vector<std::vector<double>> tracks;
  for (const auto& angle : poses.select(-1, a).unbind(0)) tracks.push_back(values_of(angle));
  return tracks;
}

using Tracked = std::vector<double>;

/// values: [N, T, K]; each of the N K tracks on its own.
at::Tensor filter_tracks(
    const at::Tensor& values,
    const std::function<Tracked(const Tracked& x, std::int64_t k, std::int64_t n)>& track) {
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

constexpr std::size_t yaw = 1;

struct Filter {
  Motion motion;
  AngleNoise noise;
};

double total_error(const AngleTracker& tracker, const std::vector<Tracked>& estimated,
                   const std::vector<Tracked>& truth) {
  double sum = 0;
  for (std::size_t n = 0; n < estimated.size(); ++n) {
    const auto track = tracker(estimated[n]);
    for (std::size_t t = 0; t < track.angle.size(); ++t)
      sum += std::abs(track.angle[t] - truth[n][t]);
  }
  return sum;
}

/// With the least error against the truth: the method's motion, or else either; r the likeliest,
/// and q in parts of it, since a filter's gain depends on q / r alone. A gate depends on r too: the
/// likeliest r holds the outliers that it is to keep out, so that parts of it are tried.
Filter tuned_filter(const FilterFacts& facts, const TrackerMethod& tracker,
                    const std::vector<Tracked>& estimated, const std::vector<Tracked>& truth,
                    double rate_variance) {
  // Particles are the Kalman filter's, but for chance.
  const auto& tuned = tracker.linear
                          ? tracker
                          : find_named(baselines::trackers(), "tracker", std::string("kalman"));
  Filter best{};
  double least = INFINITY;
  for (const auto motion : {Motion::ConstantPosition, Motion::ConstantVelocity}) {
    if (motion != facts.motion.value_or(motion)) continue;
    const auto likely =
        baselines::most_likely_noise(motion, estimated, {.rate_variance = rate_variance}).r;
    for (const double gate : facts.gated ? std::vector{2.0, 3.0, 4.0, 6.0, 8.0} : std::vector{0.0})
      for (const double part :
           facts.gated ? std::vector{0.03, 0.1, 0.3, 1.0, 3.0} : std::vector{1.0})
        for (double exponent = -6; exponent <= 3; exponent += 0.25) {
          const double r = part * likely;
          const Filter filter{motion, {std::pow(10.0, exponent) * r, r, rate_variance, gate}};
          const auto error = total_error(
              tuned.whole({.motion = filter.motion, .noise = filter.noise}), estimated, truth);
          if (error < least) least = error, best = filter;
        }
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
      for (const double beta : {0.0, 0.003, 0.01, 0.03, 0.1, 0.3})
        all.push_back({.cutoff = cutoff, .beta = beta});
  return all;
}

TrackerOptions least_error(const TrackerMethod& tracker, const std::vector<Tracked>& estimated,
                           const std::vector<Tracked>& truth) {
  TrackerOptions best;
  double least = INFINITY;
  for (const auto& options : choices_of(tracker)) {
    const auto error = total_error(tracker.whole(options), estimated, truth);
    if (error < least) least = error, best = options;
  }
  return best;
}

void note(const std::string& name, double value, const char* unit, CellContext& context) {
  context.record.metrics.push_back({name, value, unit, records::Direction::Neither, ""});
}

at::Tensor true_poses(const CellContext& context, const std::string& part) {
  return read_clips(context, "pose", part).truth.pose;
}

/// A trivial baseline, which tracks nothing.
void run_trivial(const std::string& tracker, const Estimates& measured, CellContext& context) {
  const auto mean =
      true_poses(context, "training").to(at::kDouble).mean(std::vector<std::int64_t>{0, 1});
  Estimates estimates;
  for (const auto& [part, poses] : measured)
    estimates[part] =
        tracker == "constant"
            ? mean.expand(poses.sizes()).contiguous()
            : at::cat({poses.slice(1, 0, 1), poses.slice(1, 0, poses.size(1) - 1)}, 1);
  records::Curves curves;
  measure_pose(estimates, context, curves);
  context.store.write_curves(context.record.cell, curves);
}

/// All coordinates of [N, T, K].
std::vector<Tracked> split_all_tracks(const at::Tensor& points) {
  std::vector<Tracked> all;
  for (std::int64_t k = 0; k < points.size(-1); ++k)
    for (auto& track : split_tracks(points, k)) all.push_back(std::move(track));
  return all;
}

/// Landmarks [N, T, 136] or places [N, T, 204]: each coordinate on its own, the noise that of all.
void run_points(const Method& method, const TrackerMethod& tracker, const Estimates& measured,
                CellContext& context) {
  const auto& validation = measured.at("validation");
  const bool in_space = method.output() == Output::Places;
  const auto true_points = [&](const std::string& part) {
    const auto truth = read_clips(context, method.network, part).truth;
    return in_space ? truth.places : truth.landmarks;
  };
  const auto tuned = tuned_filter(*method.filter, tracker, split_all_tracks(validation),
                                  split_all_tracks(true_points("validation").flatten(2)),
                                  validation.diff(1, 1).square().mean().item<double>());
  note("q", tuned.noise.q, "", context);
  note("r", tuned.noise.r, "", context);
  const auto track = tracker.whole({.motion = tuned.motion, .noise = tuned.noise});
  for (const auto& part : context.settings.texts("test.kinds")) {
    const auto points =
        filter_tracks(measured.at(part),
                      [&](const Tracked& x, std::int64_t, std::int64_t) { return track(x).angle; });
    if (in_space)
      note_places(metrics::place_error(places_of(points), true_points(part)) * millimetres, part,
                  context.record);
    else
      measure_points(points.unflatten(-1, {68, 2}), true_points(part), part, context);
  }
  context.store.write_curves(context.record.cell, {});
}

/// A filter on poses: each angle has its own settings, chosen on validation, or on each part of the
/// test itself.
class AngleFilter {
 public:
  AngleFilter(const FilterFacts& facts, const TrackerMethod& tracker, const Estimates& measured,
              CellContext& context)
      : facts_(facts), tracker_(tracker), measured_(measured), context_(context) {}

  void run();

 private:
  TrackerOptions tune(const std::string& part, std::int64_t a) const;
  void note_options(std::int64_t a) const;
  at::Tensor track(const std::string& part, const at::Tensor& poses) const;
  /// What it does is what it makes of an impulse. A filter that is tuned on each part, or leaves
  /// out measurements, is not one linear filter.
  bool is_one_linear_filter() const {
    return tracker_.has_model && tracker_.linear && tracker_.causal() && !facts_.tuned_on_test &&
           !facts_.gated;
  }
  void measure_response(records::Curves& curves) const;

  const FilterFacts& facts_;
  const TrackerMethod& tracker_;
  const Estimates& measured_;
  CellContext& context_;
  std::vector<TrackerOptions> options_ = {};  ///< of each angle
};

/// The settings of angle `a` with the least error on a part.
TrackerOptions AngleFilter::tune(const std::string& part, std::int64_t a) const {
  const auto estimated = split_tracks(measured_.at(part), a),
             truth = split_tracks(true_poses(context_, part), a);
  if (!tracker_.has_model) return least_error(tracker_, estimated, truth);
  const auto tuned = tuned_filter(facts_, tracker_, estimated, truth,
                                  context_.settings.number("filter.rate_variance"));
  return {.motion = tuned.motion,
          .noise = tuned.noise,
          .particles = context_.settings.integer("filter.particles")};
}

void AngleFilter::note_options(std::int64_t a) const {
  const auto& options = options_[static_cast<std::size_t>(a)];
  const auto axis = datasets::angle_names[static_cast<std::size_t>(a)];
  if (tracker_.has_model) {
    note(fmt::format("q_{}", axis), options.noise.q, "deg^2", context_);
    note(fmt::format("r_{}", axis), options.noise.r, "deg^2", context_);
    if (facts_.gated)
      note(fmt::format("gate_{}", axis), options.noise.gate, "deviations", context_);
  } else if (tracker_.info.id == "moving_average") {
    note(fmt::format("frames_{}", axis), static_cast<double>(options.frames), "frames", context_);
  } else {
    note(fmt::format("cutoff_{}", axis), options.cutoff, "cycles a frame", context_);
    note(fmt::format("beta_{}", axis), options.beta, "cycles a degree", context_);
  }
}

/// Every track draws its own particles.
at::Tensor AngleFilter::track(const std::string& part, const at::Tensor& poses) const {
  const auto seed = std::to_string(context_.record.cell.seed);
  return filter_tracks(poses, [&](const Tracked& x, std::int64_t a, std::int64_t n) {
    auto options = options_[static_cast<std::size_t>(a)];
    options.seed =
        seed_of({"dynamic_face", "particles", seed, part, std::to_string(a), std::to_string(n)});
    return tracker_.whole(options)(x).angle;
  });
}

void AngleFilter::measure_response(records::Curves& curves) const {
  note_impulse(track("impulse", impulse()), curves);
  if (facts_.motion != Motion::ConstantVelocity) return;
  note_gain([&](const at::Tensor& x) { return track("gain", x); }, curves);
  const auto& noise = options_[yaw].noise;
  note_weights(baselines::in_common_basis(baselines::filter_form(noise)), "", context_.record);
  note_weights(baselines::in_common_basis(baselines::prediction_form(noise)), "_prediction",
               context_.record);
}

void AngleFilter::run() {
  for (std::int64_t a = 0; a < 3; ++a) {
    options_.push_back(tune("validation", a));
    if (!facts_.tuned_on_test) note_options(a);
  }
  Estimates estimates;
  for (const auto& [part, poses] : measured_) {
    for (std::int64_t a = 0; facts_.tuned_on_test && a < 3; ++a) {
      auto& used = options_[static_cast<std::size_t>(a)];
      used = tune(part, a);
      note(fmt::format("q_over_r_{}_{}", datasets::angle_names[static_cast<std::size_t>(a)], part),
           used.noise.q / used.noise.r, "", context_);
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
  const auto& facts = method.filter.value();
  const auto measured = read_estimates(context, facts.of);
  if (tracks_nothing(facts.tracker)) return run_trivial(facts.tracker, measured, context);
  const auto& tracker = find_named(baselines::trackers(), "tracker", facts.tracker);
  if (gives_pose(method.output())) return AngleFilter(facts, tracker, measured, context).run();
  run_points(method, tracker, measured, context);
}

}  // namespace reprise::reproduce::dynamic_face_study
