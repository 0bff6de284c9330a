// Clips as long as their videos, for generators that learn lengths too (document mocogan, paragraph
// 54: κ ~ p_K).
//
// A clip takes every n-th frame of a video of V frames:
//
//     frames s, s + n, s + 2 n, ...,      s drawn from 0, ..., min(n, V - (T - 1) n) - 1
//
// so that it has at least T frames. If it has more than L, a random segment of L frames is kept.
// Random numbers depend on the seed and the video's item alone. A video of fewer than (T - 1) n + 1
// frames is an error: no frame is repeated to lengthen it.
//
// Faces: the largest face of the first frame with a face sets one window for the whole clip. Its
// side is `margin` times the longest side of the face's box. Motion of the head is thus kept
// (transforms/face_windows.h).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "datasets/videos.h"

namespace reprise::datasets {

struct FirstFaceCrop {
  double margin = 1.5;
  std::filesystem::path detector = {};  ///< path for open_face_detector()
};

struct FullLengthClipOptions {
  std::int64_t least = 16;     ///< T, frames
  std::int64_t every_nth = 1;  ///< n
  std::int64_t longest = 64;   ///< L, frames
  std::int64_t size = 64;      ///< pixels per side, of resized frames or windows
  std::optional<FirstFaceCrop> face = {};
};

struct FullLengthClips {
  /// Colour: [N, K, S, S, 3], K frames of the longest clip; shorter clips are padded with black.
  LabelledClips clips;
  at::Tensor lengths;  ///< [N], int64, from T to L
};

/// Reads one clip per video, in this order, independent of the number of threads. UsageError: T, n
/// or S below 1; L < T; a margin that is not positive; an index out of range. UsageError: videos do
/// not open, are damaged, end too early, are too short or show no face (counted, five named, each
/// with the expectation).
FullLengthClips read_full_length_clips(const VideoSet& set,
                                       const std::vector<std::int64_t>& indices,
                                       const FullLengthClipOptions& options, std::uint64_t seed);

}  // namespace reprise::datasets
