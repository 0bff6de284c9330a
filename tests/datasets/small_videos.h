// Videos written by the tests: MJPG in AVI, each frame of one gray, so that a frame tells its
// number.
#pragma once
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/videoio.hpp>
#include <string>

namespace reprise::datasets::testing_videos {

/// Frame n, counted from 0, is gray `first + step * n`; 64 x 48 pixels.
inline void write_video(const std::filesystem::path& file, int frames, int first = 0,
                        int step = 4) {
  std::filesystem::create_directories(file.parent_path());
  cv::VideoWriter writer(file.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 25, {64, 48});
  ASSERT_TRUE(writer.isOpened());
  for (int n = 0; n < frames; ++n)
    writer.write(cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(first + step * n)));
}

/// Mean of one frame of a clip.
inline double gray_of(const at::Tensor& frame) {
  return frame.to(at::kDouble).mean().item<double>();
}

}  // namespace reprise::datasets::testing_videos
