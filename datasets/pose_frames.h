// Frames of videos with head poses and landmarks, as exported for an external method.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::datasets {

struct PoseFrames {
  std::vector<at::Tensor> images;  ///< N times [S, S, 3], uint8, RGB
  at::Tensor pose;                 ///< [N, 3], float32: pitch, yaw, roll in degrees
  at::Tensor landmarks;            ///< [N, 68, 2], float32, pixels
  /// For example "seed0/clean/00003"; frames of a sequence are adjacent.
  std::vector<std::string> sequence;
  std::vector<std::int64_t> frame;  ///< from 0
  std::int64_t size() const { return static_cast<std::int64_t>(images.size()); }
  /// Returns "SEQUENCE/FRAME", for example "seed0/clean/00003/7".
  std::string item(std::size_t i) const { return sequence[i] + "/" + std::to_string(frame[i]); }
  /// Returns the frames of these indices, in this order. Images are shared, not copied.
  PoseFrames at(const std::vector<std::int64_t>& indices) const;
  /// Adds clips of T frames under the names "NAME/00000", "NAME/00001", ... and returns the indices
  /// of their frames. Shapes:
  /// - clips: [M, T, S, S, 3]
  /// - poses: [M, T, 3]
  /// - points: [M, T, 68, 2]
  std::vector<std::int64_t> add(const std::string& name, const at::Tensor& clips,
                                const at::Tensor& poses, const at::Tensor& points);
};

}  // namespace reprise::datasets
