// The registry of trackers of angles: what `reprise track` offers, and what study dynamic_face
// filters estimates with.
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

/// Of one angle.
struct TrackerOptions {
  Motion motion = Motion::ConstantVelocity;
  AngleNoise noise = {};
  std::int64_t particles = 1000;
  std::uint64_t seed = 0;   ///< of the particles
  std::int64_t frames = 3;  ///< of the moving average
  double cutoff = 0.1;      ///< of the one-euro filter at rest, cycles per frame
  double beta = 0.1;        ///< of the one-euro filter, cycles per degree
};

struct TrackerMethod {
  training::MethodInfo info;
  /// Has motion and noise, which can be found from measurements.
  bool has_model = true;
  /// A linear filter is known by what it makes of an impulse; a particle filter draws.
  bool linear = true;
  /// Of a whole track, with the tracker's own standard deviations.
  std::function<AngleTracker(const TrackerOptions&)> whole;
  /// Frame by frame. None: not causal.
  std::function<AngleStep(const TrackerOptions&)> step = nullptr;
  bool causal() const { return step != nullptr; }
};

/// "kalman", "particle", "moving_average", "one_euro", "smoother".
const std::vector<TrackerMethod>& trackers();

/// K angles side by side, each with its own options: [K] -> [K], degrees.
std::unique_ptr<training::Tracker> make_tracker(const TrackerMethod& method,
                                                const std::vector<TrackerOptions>& options);

}  // namespace reprise::baselines
