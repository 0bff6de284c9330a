// The frames of a recording, in order, whatever it is stored as:
//
//     a video file       video_files.h
//     a strip            a .png whose square frames lie side by side or below one another
//     a folder           of pictures, one a frame (media_files.h)
//
// Frames are RGB and as they are shown (images.h, video_files.h).
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
  /// UsageError: nothing is there; a video that does not open; a .png that is not a strip of
  /// squares; a folder without pictures.
  explicit FrameReader(const std::filesystem::path& source);
  /// Goes to the next frame; false at the end.
  bool next();
  /// The frame that next() went to: uint8 [H, W, 3], RGB. UsageError: it cannot be decoded; a
  /// picture of another size than the folder's first (both named).
  at::Tensor frame();

 private:
  void open_strip();
  at::Tensor picture();

  std::filesystem::path source_;
  std::optional<VideoReader> video_;
  std::vector<std::filesystem::path> pictures_;
  at::Tensor strip_;                ///< [H, W, 3]
  std::vector<std::int64_t> size_;  ///< of the first picture read
  std::int64_t at_ = -1, count_ = 0;
};

}  // namespace reprise::datasets
