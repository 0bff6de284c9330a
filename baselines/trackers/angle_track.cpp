#include "baselines/trackers/angle_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace reprise::baselines {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t longest_gap = 1'000'000;  // frames; bounds memory

/// Frames [first, end) of one run of the tracker.
struct Segment {
  std::size_t first, end;
};

/// Splits the frames where a new track begins: at gaps, with Gap::Restart.
std::vector<Segment> cut_into_segments(Gap gap, const std::vector<std::int64_t>& frame) {
  std::vector<Segment> out;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const bool begins = i == 0 || (gap == Gap::Restart && frame[i] != frame[i - 1] + 1);
    if (i > 0 && frame[i] <= frame[i - 1])
      throw UsageError(fmt::format("frame {} follows frame {}", frame[i], frame[i - 1]),
                       "give each frame once, in order of time");
    if (!begins && frame[i] - frame[i - 1] > longest_gap)
      throw UsageError(
          fmt::format("between frames {} and {} lie more than a million", frame[i - 1], frame[i]),
          "restart the tracker after a gap: gap=restart");
    if (begins) out.push_back({i, i});
    out.back().end = i + 1;
  }
  return out;
}

}  // namespace

Gap parse_gap(const std::string& name) {
  if (name == "predict") return Gap::Predict;
  if (name == "restart") return Gap::Restart;
  throw UsageError("there is no gap mode '" + name + "'", "use predict or restart");
}

AngleTrack make_unknown_track(std::size_t frames) {
  return {std::vector<double>(frames, nan), std::vector<double>(frames, nan)};
}

std::size_t find_first_number(const std::vector<double>& x) {
  return static_cast<std::size_t>(
      std::find_if(x.begin(), x.end(), [](double v) { return std::isfinite(v); }) - x.begin());
}

AngleTrack track_across_gaps(Gap gap, const std::vector<std::int64_t>& frame,
                             const std::vector<double>& x, const AngleTracker& tracker) {
  auto out = make_unknown_track(x.size());
  for (const auto& [first, end] : cut_into_segments(gap, frame)) {
    // Every frame of the segment, NaN where nothing was measured.
    std::vector<double> every(static_cast<std::size_t>(frame[end - 1] - frame[first]) + 1, nan);
    for (auto i = first; i < end; ++i)
      every[static_cast<std::size_t>(frame[i] - frame[first])] = x[i];
    const auto track = tracker(every);
    for (auto i = first; i < end; ++i) {
      out.angle[i] = track.angle[static_cast<std::size_t>(frame[i] - frame[first])];
      out.std_dev[i] = track.std_dev[static_cast<std::size_t>(frame[i] - frame[first])];
    }
  }
  return out;
}

}  // namespace reprise::baselines
