// Windows of clips: what a discriminator of frames (S_1) and one of short clips (S_T) see, and how
// long generated clips are to be.
//
// Of a clip of K frames, S_T takes T frames of which each lies n after the one before it:
//     frames s, s + n, ..., s + (T - 1) n,    s = 0, 1, ..., K - (T - 1) n - 1
// so there are K - (T - 1) n windows, K - T + 1 for n = 1, each as likely. T = 1: any frame. The
// length κ of a clip is drawn from p_K, the histogram of the training clips' lengths (document
// mocogan, eq 1 to 6).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/random.h"

namespace reprise::training {

struct WindowOptions {
  std::int64_t frames = 16;    ///< T
  std::int64_t every_nth = 1;  ///< n
};

/// Number of windows. UsageError: T or n below 1; a clip of fewer than (T - 1) n + 1 frames (both
/// numbers are said).
std::int64_t window_count(std::int64_t clip_frames, const WindowOptions& options);
/// All windows of a clip: [K, ...] -> [windows, T, ...], by their first frame. UsageError: as
/// window_count().
at::Tensor all_windows(const at::Tensor& clip, const WindowOptions& options);
/// One window of each clip, drawn: [N, K, ...] -> [N, T, ...]. lengths: [N], int64, how many frames
/// of each clip count; not defined: all. UsageError: as window_count() (the clip is named); lengths
/// of another number, or beyond K.
at::Tensor drawn_windows(const at::Tensor& clips, const WindowOptions& options, Random& random,
                         const at::Tensor& lengths = {});

/// p_K.
class LengthHistogram {
 public:
  /// UsageError: no length; a length below 1.
  explicit LengthHistogram(const std::vector<std::int64_t>& lengths);
  /// The fraction of clips with this length.
  double probability(std::int64_t length) const;
  std::int64_t sample(Random& random) const;

 private:
  std::vector<std::int64_t> lengths_;
};

}  // namespace reprise::training
