#include "training/windows.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace reprise::training {
namespace {

/// Returns the indices of the frames of the window that starts at `first`.
at::Tensor frames_from(std::int64_t first, const WindowOptions& options) {
  return at::arange(first, first + (options.frames - 1) * options.every_nth + 1, options.every_nth,
                    at::kLong);
}

}  // namespace

std::int64_t window_count(std::int64_t clip_frames, const WindowOptions& options) {
  const auto [frames, every_nth] = options;
  if (frames < 1 || every_nth < 1)
    throw UsageError(fmt::format("windows of {} frames, every {}th of a clip", frames, every_nth),
                     "both are 1 or more");
  // A division, since the product of T - 1 and n could overflow.
  if (clip_frames < 1 || (frames - 1) > (clip_frames - 1) / every_nth)
    throw UsageError(fmt::format("a clip has {} frames, and a window takes {} of them, {} apart",
                                 clip_frames, frames, every_nth),
                     "leave out shorter clips, or take fewer frames or a smaller step");
  return clip_frames - (frames - 1) * every_nth;
}

at::Tensor all_windows(const at::Tensor& clip, const WindowOptions& options) {
  const auto count = window_count(clip.size(0), options);
  std::vector<at::Tensor> windows;
  windows.reserve(static_cast<std::size_t>(count));
  for (std::int64_t first = 0; first < count; ++first)
    windows.push_back(clip.index_select(0, frames_from(first, options)));
  return at::stack(windows);
}

at::Tensor draw_windows(const at::Tensor& clips, const WindowOptions& options, Random& random,
                        const at::Tensor& lengths) {
  const auto n = clips.size(0);
  const auto frames = clips.size(1);
  if (lengths.defined() && (lengths.dim() != 1 || lengths.size(0) != n))
    throw UsageError(
        fmt::format("lengths have the shape {} for {} clips", c10::str(lengths.sizes()), n),
        "give one length per clip");
  // All first frames are drawn before any clip is cut.
  auto firsts = at::empty({n}, at::kLong);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto length = lengths.defined() ? lengths[i].item<std::int64_t>() : frames;
    if (length > frames)
      throw UsageError(
          fmt::format("clip {} has {} frames by its length, but {} are there", i, length, frames),
          "give the lengths of these clips");
    // The error of window_count() does not know which clip is too short.
    std::int64_t count = 0;
    try {
      count = window_count(length, options);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("clip {}: {}", i, error.problem()), error.fix());
    }
    firsts[i] = random.below(count);
  }
  std::vector<at::Tensor> windows;
  windows.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    windows.push_back(clips[i].index_select(
        0, frames_from(firsts[i].item<std::int64_t>(), options).to(clips.device())));
  return n == 0 ? at::empty_like(clips.slice(1, 0, options.frames)) : at::stack(windows);
}

LengthHistogram::LengthHistogram(const std::vector<std::int64_t>& lengths) : lengths_(lengths) {
  if (lengths_.empty())
    throw UsageError("a histogram of no clip lengths", "give the lengths of the training clips");
  if (const auto least = std::ranges::min(lengths_); least < 1)
    throw UsageError(fmt::format("a clip of {} frames", least), "give lengths of 1 or more");
}

double LengthHistogram::probability(std::int64_t length) const {
  return static_cast<double>(std::ranges::count(lengths_, length)) /
         static_cast<double>(lengths_.size());
}

std::int64_t LengthHistogram::sample(Random& random) const {
  // A random clip's length has the distribution of the histogram.
  return lengths_[static_cast<std::size_t>(
      random.below(static_cast<std::int64_t>(lengths_.size())))];
}

}  // namespace reprise::training
