// Windows of clips: the inputs of an image discriminator (S_1) and a clip discriminator (S_T), and
// the lengths of generated clips.
//
// S_T takes T frames of a clip of K frames, each n after the one before it:
//     frames s, s + n, ..., s + (T - 1) n,    s = 0, 1, ..., K - (T - 1) n - 1
// All K - (T - 1) n windows are equally likely; T = 1 takes any frame. The length κ of a generated
// clip is drawn from p_K, the histogram of the lengths of the training clips (document mocogan,
// eq 1 to 6).
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

/// Number of windows of a clip. UsageError: T or n below 1; a clip of fewer than (T - 1) n + 1
/// frames (names both numbers).
std::int64_t window_count(std::int64_t clip_frames, const WindowOptions& options);
/// All windows of a clip, [K, ...] to [windows, T, ...], ordered by first frame.
/// UsageError: as window_count().
at::Tensor all_windows(const at::Tensor& clip, const WindowOptions& options);
/// Draws one window of each clip, [N, K, ...] to [N, T, ...]. lengths: [N], int64, valid frames of
/// each clip; undefined: all. UsageError: as window_count() (names the clip); a wrong number of
/// lengths, or a length beyond K.
at::Tensor draw_windows(const at::Tensor& clips, const WindowOptions& options, Random& random,
                        const at::Tensor& lengths = {});

/// The distribution p_K of clip lengths.
class LengthHistogram {
 public:
  /// UsageError: no length; a length below 1.
  explicit LengthHistogram(const std::vector<std::int64_t>& lengths);
  /// Fraction of clips with this length.
  double probability(std::int64_t length) const;
  std::int64_t sample(Random& random) const;

 private:
  std::vector<std::int64_t> lengths_;
};

}  // namespace reprise::training
