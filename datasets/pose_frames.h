// Frames of videos with a head pose and landmarks each, as an external program gets them to learn
// from and to estimate.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::datasets {

struct PoseFrames {
  std::vector<at::Tensor> images;     ///< N times [S, S, 3], uint8, RGB
  at::Tensor pose;                    ///< [N, 3], float32: pitch, yaw, roll in degrees
  at::Tensor landmarks;               ///< [N, 68, 2], float32, pixels
  std::vector<std::string> sequence;  ///< "seed0/clean/00003"; its frames stand one after another
  std::vector<std::int64_t> frame;    ///< from 0
  std::int64_t size() const { return static_cast<std::int64_t>(images.size()); }
  /// "seed0/clean/00003/7"
  std::string item(std::size_t i) const { return sequence[i] + "/" + std::to_string(frame[i]); }
  /// The frames of these indices, in this order; images are shared, not copied.
  PoseFrames at(const std::vector<std::int64_t>& indices) const;
  /// Adds clips of T frames, named "NAME/00000", "NAME/00001", ...: [M, T, S, S, 3], [M, T, 3], [M,
  /// T, 68, 2]. Returns the indices of their frames.
  std::vector<std::int64_t> add(const std::string& name, const at::Tensor& clips,
                                const at::Tensor& poses, const at::Tensor& points);
};

}  // namespace reprise::datasets
