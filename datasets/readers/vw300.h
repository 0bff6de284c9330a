// 300-VW: videos with 68 landmarks per frame (Shen et al., ICCV workshops 2015).
//
// Official layout: NNN/vid.avi and NNN/annot/000001.pts, 000002.pts, ... Frames count from 1, here
// too. A frame without .pts is not annotated and belongs to no clip. Annotations are read at once,
// frames on demand, because the videos do not fit in memory.
//
// Item: "NNN/000001". Person: the video "NNN", since the set does not say which videos show the
// same person.
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

/// Reads all videos, sorted by name. UsageError: the folder does not exist or has no video; vid.avi
/// or annot/ is missing; a .pts is malformed.
std::vector<AnnotatedVideo> read_vw300(const std::filesystem::path& folder);

/// Returns all issues that read_vw300() refuses. Decodes every video to find those that do not open
/// or end before their last annotated frame. Empty: the set is complete.
std::vector<Issue> verify_vw300(const std::filesystem::path& folder);

/// Returns the first frames of non-overlapping clips of `length` annotated frames.
std::vector<std::int64_t> find_clip_starts(const AnnotatedVideo& video, std::int64_t length);

/// Reads frames of one video on demand. Clips in ascending order are decoded in one pass. Going
/// back restarts the video: seeking is inexact in many codecs.
class ClipReader {
 public:
  /// UsageError: the video does not open.
  explicit ClipReader(const AnnotatedVideo& video);
  ~ClipReader();
  /// Reads frames first, ..., first + count - 1, counted from 1. UsageError: a frame is not
  /// annotated or not in the video.
  LandmarkFrames read(std::int64_t first, std::int64_t count,
                      const std::optional<FaceCrop>& crop = std::nullopt);

 private:
  struct Decoder;
  AnnotatedVideo video_;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace reprise::datasets
