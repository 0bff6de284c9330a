// Drawings of landmarks and poses on frames, for visual checks.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <filesystem>
#include <optional>

#include "datasets/transforms/face_windows.h"

namespace reprise::datasets {

/// Writes the frames of one clip from left to right as a PNG, with true landmarks in green and
/// predicted ones in red. frames: [T, S, S] gray or [T, S, S, 3], uint8. predicted, truth: [T, 68,
/// 2], pixels. Each frame is enlarged to at least 160 pixels. A clip of more than `most` frames is
/// sampled evenly. The same input gives the same bytes.
void write_landmark_strip(const std::filesystem::path& path, const at::Tensor& frames,
                          const at::Tensor& predicted, const at::Tensor& truth,
                          std::int64_t most = 4);

/// Draws a face's window, pose and landmarks into a frame (uint8 [H, W, 3], RGB, contiguous). The
/// window's border is white. Landmarks ([K, 2], pixels of the frame) are dots. With a pose (pitch,
/// yaw, roll in degrees), the axes of the head start at the window's centre. They are 0.4 sides
/// long, in orthographic projection:
///
/// - x: red, the picture's right at rest
/// - y: green, down
/// - z: blue, the viewing direction of the face
void draw_face(at::Tensor& frame, const FaceWindow& window,
               const std::optional<std::array<double, 3>>& pose,
               const std::optional<at::Tensor>& landmarks);

/// Draws a tracked head with the axes of `pose` above a chart of its mean error so far. frames:
/// uint8 [T, S, S, 3], RGB, enlarged to at least 144 pixels per side. pose, truth: [T, 3], degrees.
/// `most`: upper end of the chart, degrees. Returns uint8 [T, H, W, 3].
at::Tensor draw_tracked_frames(const at::Tensor& frames, const at::Tensor& pose,
                               const at::Tensor& truth, double most = 20);

}  // namespace reprise::datasets
