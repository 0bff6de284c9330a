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
  std::int64_t frames = 3;  ///< frames of the moving average
  double cutoff = 0.1;      ///< one-euro filter: cutoff at rest, cycles per frame
  double beta = 0.1;        ///< one-euro filter: increase of the cutoff, cycles per degree
};

struct TrackerMethod {
  training::MethodInfo info;
  /// True: has motion and noise, which can be estimated from measurements.
  bool has_model = true;
  /// True: the impulse response determines the filter; false: it is random.
  bool linear = true;
  /// Makes the tracker of a full track, with the tracker's own standard deviations.
  std::function<AngleTracker(const TrackerOptions&)> full_track;
  /// Makes the streaming tracker. Empty: not causal.
  std::function<AngleStep(const TrackerOptions&)> step = nullptr;
  bool causal() const { return step != nullptr; }
};

/// "kalman", "particle", "moving_average", "one_euro", "smoother".
const std::vector<TrackerMethod>& trackers();

/// Tracks K angles in parallel, each with its own options: [K] -> [K], degrees.
std::unique_ptr<training::Tracker> make_tracker(const TrackerMethod& method,
                                                const std::vector<TrackerOptions>& options);

}  // namespace reprise::baselines
