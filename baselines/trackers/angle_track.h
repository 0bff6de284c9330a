// An angle over time as a tracker gives it, and what a tracker does where frames are missing.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace reprise::baselines {

struct AngleTrack {
  std::vector<double> angle,
      deviation;  ///< degrees; the standard deviation is the tracker's own belief. NaN: nothing was known yet
};

/// Of so many frames, with nothing known.
AngleTrack unknown_track(std::size_t frames);
/// The first frame with a number, or x.size().
std::size_t first_number(const std::vector<double>& x);

/// Maps one value a frame (NaN: not measured) to an estimate for each.
using AngleTracker = std::function<AngleTrack(const std::vector<double>& x)>;

/// The same one frame at a time, in constant memory: takes a frame's value, gives its estimate, NaN
/// before the first number. Copies share their state.
using AngleStep = std::function<double(double x)>;

/// What a jump in the frame numbers means: frames without measurement to predict through, or a new
/// beginning.
enum class Gap { Predict, Restart };
/// "predict", "restart". UsageError: another name.
Gap gap_named(const std::string& name);

/// x[i] was measured at frame[i]; frames ascend. One estimate for each of them, none for the frames
/// between. UsageError: frames that do not ascend, or lie more than a million apart where they are
/// predicted through (both are named).
AngleTrack across_gaps(Gap gap, const std::vector<std::int64_t>& frame,
                       const std::vector<double>& x, const AngleTracker& tracker);

}  // namespace reprise::baselines
