// Frames of a recording, in order, from any kind of source:
//
//     a video file       video_files.h
//     a strip            a .png whose square frames lie side by side or stacked
//     a folder           pictures, one per frame (media_files.h)
//
// Frames are RGB and upright (images.h, video_files.h).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "datasets/formats/video_files.h"

namespace reprise::datasets {

class FrameReader {
 public:
  /// UsageError: the source does not exist; a video does not open; a .png is no strip of squares; a
  /// folder has no pictures.
  explicit FrameReader(const std::filesystem::path& source);
  /// Advances to the next frame. Returns false at the end.
  bool next();
  /// Returns the current frame: uint8 [H, W, 3], RGB. UsageError: it cannot be decoded; a picture
  /// differs in size from the folder's first (both named).
  at::Tensor frame();

 private:
  void open_strip();
  at::Tensor picture();

  std::filesystem::path source_;
  std::optional<VideoReader> video_;
  std::vector<std::filesystem::path> pictures_;
  at::Tensor strip_;                ///< [H, W, 3]
  std::vector<std::int64_t> size_;  ///< size of the first picture
  std::int64_t at_ = -1;
  std::int64_t count_ = 0;
};

}  // namespace reprise::datasets
