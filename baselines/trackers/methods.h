// The registry of trackers of angles, for `reprise track` and study dynamic_face.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "baselines/trackers/angle_track.h"
#include "baselines/trackers/linear_gaussian.h"
#include "training/method_info.h"
#include "training/tracker.h"

namespace reprise::baselines {

/// Options of a tracker of one angle.
struct TrackerOptions {
  Motion motion = Motion::ConstantVelocity;
  AngleNoise noise = {};
  std::int64_t particles = 1000;
  std::uint64_t seed = 0;   ///< seed of the particle filter
  std::int64_t frames = 3;  ///< length of the moving average, frames
  double cutoff = 0.1;      ///< one-euro filter: cutoff at rest, cycles per frame
  double beta = 0.1;        ///< one-euro filter: increase of the cutoff, cycles per degree
};

struct TrackerMethod {
  training::MethodInfo info;
  /// True: the tracker uses the options `motion` and `noise`, which can be estimated from
  /// measurements.
  bool has_model = true;
  /// True: the estimates are a linear function of the measurements, so that an impulse response can
  /// describe the filter. False: the particle filter and the one-euro filter.
  bool linear = true;
  /// Makes a tracker that gets the measurements of a whole track at once. It can also return its
  /// standard deviations.
  std::function<AngleTracker(const TrackerOptions&)> full_track;
  /// Makes a tracker that gets one measurement per call. Empty: the method is not causal.
  std::function<AngleStep(const TrackerOptions&)> step = nullptr;
  bool causal() const { return step != nullptr; }
};

/// Lists the trackers: "kalman", "particle", "moving_average", "one_euro", "smoother".
const std::vector<TrackerMethod>& trackers();

/// Tracks K angles in parallel, each with its own options: [K] -> [K], degrees.
std::unique_ptr<training::Tracker> make_tracker(const TrackerMethod& method,
                                                const std::vector<TrackerOptions>& options);

}  // namespace reprise::baselines
