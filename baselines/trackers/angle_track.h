// The estimated track of an angle, and the treatment of missing frames.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace reprise::baselines {

struct AngleTrack {
  std::vector<double> angle;    ///< degrees; NaN: unknown
  std::vector<double> std_dev;  ///< the tracker's own standard deviation, degrees; NaN: unknown
};

/// A track of NaN.
AngleTrack make_unknown_track(std::size_t frames);
/// Index of the first value that is not NaN, or x.size().
std::size_t find_first_number(const std::vector<double>& x);

/// Maps one measurement per frame (NaN: missing) to an estimate for each.
using AngleTracker = std::function<AngleTrack(const std::vector<double>& x)>;

/// The streaming form in constant memory: maps a frame's measurement to its estimate, NaN before
/// the first number. Copies share their state.
using AngleStep = std::function<double(double x)>;

/// Meaning of a jump in frame numbers: Predict treats the frames between as missing measurements,
/// Restart begins a new track.
enum class Gap { Predict, Restart };
/// Parses "predict" or "restart". UsageError: another name.
Gap parse_gap(const std::string& name);

/// Tracks x[i] measured at frame[i] (ascending) and returns an estimate for each, none for the
/// frames between. UsageError: frames that do not ascend; with Predict, neighbours more than a
/// million frames apart (both are named).
AngleTrack track_across_gaps(Gap gap, const std::vector<std::int64_t>& frame,
                             const std::vector<double>& x, const AngleTracker& tracker);

}  // namespace reprise::baselines
