// The estimated track of an angle, and the treatment of missing frames.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace reprise::baselines {

struct AngleTrack {
  std::vector<double> angle;    ///< degrees; NaN: unknown
  std::vector<double> std_dev;  ///< standard deviation by the tracker, degrees; NaN: unknown
};

/// Returns a track of this length whose values are all NaN.
AngleTrack make_unknown_track(std::size_t frames);
/// Returns the index of the first value that is not NaN; x.size() if there is none.
std::size_t find_first_number(const std::vector<double>& x);

/// Tracks a whole track: maps the measurements of all frames (NaN: missing) to one estimate per
/// frame.
using AngleTracker = std::function<AngleTrack(const std::vector<double>& x)>;

/// Tracks frame by frame in constant memory: maps the measurement of the next frame (NaN: missing)
/// to its estimate. The estimate is NaN before the first measurement. Copies of the function share
/// their state.
using AngleStep = std::function<double(double x)>;

/// Treatment of a gap in the frame numbers. Predict: the skipped frames count as missing
/// measurements. Restart: a new track begins after the gap.
enum class Gap { Predict, Restart };
/// Parses "predict" or "restart". UsageError: another name.
Gap parse_gap(const std::string& name);

/// Tracks the measurements x[i] of the frames frame[i] (ascending). Returns one estimate per
/// measurement, and none for the skipped frames. UsageError: frames that do not ascend; with
/// Predict, neighbours more than a million frames apart (both are named).
AngleTrack track_across_gaps(Gap gap, const std::vector<std::int64_t>& frame,
                             const std::vector<double>& x, const AngleTracker& tracker);

}  // namespace reprise::baselines
