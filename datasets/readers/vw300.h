// 300-VW: videos with 68 landmarks a frame (Shen et al., ICCV workshops 2015).
//
// Official layout: NNN/vid.avi and NNN/annot/000001.pts, 000002.pts, ...: frames are counted from
// 1, here too. A frame without .pts is not annotated and is in no clip. The videos do not fit in
// memory, so annotations are read at once and frames when they are asked for.
//
// Item: "NNN/000001". Person: the video "NNN"; the set does not say when two videos show the same
// person.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/landmarks.h"

namespace reprise::datasets {

struct AnnotatedVideo {
  std::string name;
  std::filesystem::path file;
  std::vector<std::int64_t> frames;  ///< annotated frames, counted from 1, ascending
  at::Tensor landmarks;              ///< [frames, 68, 2], float32
};

/// All videos, sorted by name. UsageError: no such folder, no video in it; a missing vid.avi or
/// annot/; a .pts that does not parse.
std::vector<AnnotatedVideo> read_vw300(const std::filesystem::path& folder);

/// What read_vw300() refuses, and, by decoding every video: one that does not open, or ends before
/// its last annotated frame. Empty: the set is whole.
std::vector<Problem> verify_vw300(const std::filesystem::path& folder);

/// First frames of the clips of `length` frames, all annotated, that do not overlap.
std::vector<std::int64_t> clip_starts(const AnnotatedVideo& video, std::int64_t length);

/// Frames of one video on demand. Clips in ascending order are decoded in one pass; going back
/// starts the video again: no seeking, since seeking lands beside the frame asked for in many
/// codecs.
class ClipReader {
 public:
  /// UsageError: the video does not open.
  explicit ClipReader(const AnnotatedVideo& video);
  ~ClipReader();
  /// Frames first, ..., first + count - 1, counted from 1. UsageError: a frame that is not
  /// annotated, or that the video does not have.
  LandmarkFrames read(std::int64_t first, std::int64_t count,
                      const std::optional<FaceCrop>& crop = std::nullopt);

 private:
  struct Decoder;
  AnnotatedVideo video_;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace reprise::datasets
