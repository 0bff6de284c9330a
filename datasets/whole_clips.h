// Clips as long as their videos, for generators that learn lengths too (document mocogan, paragraph
// 54: κ ~ p_K).
//
// Of a video of V frames a clip has every n-th:
//     frames s, s + n, s + 2 n, ...,      s drawn from 0, ..., min(n, V - (T - 1) n) - 1
// so that it has T frames or more. Of a clip with more than L of them, L on end are kept, their
// place drawn. What is drawn depends on the seed and the video's item alone. A video of fewer than
// (T - 1) n + 1 frames is an error: no frame is shown twice to make it longer.
//
// Faces: the largest face of the first frame that has one, the centre of its box and `margin` times
// the longest side of it are the window of the whole clip, so that a head which moves does so in
// the clip too (transforms/face_windows.h).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "datasets/videos.h"

namespace reprise::datasets {

struct FaceCut {
  double margin = 1.5;
  std::filesystem::path detector = {};  ///< as open_face_detector()
};

struct WholeClipOptions {
  std::int64_t least = 16;     ///< T
  std::int64_t every_nth = 1;  ///< n
  std::int64_t longest = 64;   ///< L
  std::int64_t size = 64;      ///< pixels a side, of squeezed() frames or of windows
  std::optional<FaceCut> face = {};
};

struct WholeClips {
  LabelledClips
      clips;  ///< colour: [N, K, S, S, 3], K the frames of the longest; shorter clips go on black
  at::Tensor lengths;  ///< [N], int64, from T to L
};

/// A clip of each of these videos, in this order. The same for any number of threads. UsageError:
/// T, n or S below 1, L < T, a margin that is not above 0; an index that is not there; videos that
/// do not open, are damaged, end too early, are too short or show no face: counted, five named,
/// each with what was expected.
WholeClips read_whole_clips(const VideoSet& set, const std::vector<std::int64_t>& indices,
                            const WholeClipOptions& options, std::uint64_t seed);

}  // namespace reprise::datasets
