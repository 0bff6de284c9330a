// Landmarks and poses drawn on frames: pictures for a person to look at.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <filesystem>
#include <optional>

#include "datasets/transforms/face_windows.h"

namespace reprise::datasets {

/// One clip as a strip of its frames, left to right, each enlarged to at least 160 pixels: true
/// landmarks in green, predicted ones in red. frames: [T, S, S] gray or [T, S, S, 3], uint8;
/// predicted, truth: [T, 68, 2] pixels. PNG; the same input gives the same bytes. At most `most`
/// frames, evenly spread over the clip.
void write_landmark_strip(const std::filesystem::path& path, const at::Tensor& frames,
                          const at::Tensor& predicted, const at::Tensor& truth,
                          std::int64_t most = 4);

/// Draws into a frame (uint8 [H, W, 3], RGB, contiguous): the window's border in white; with a pose
/// (pitch, yaw, roll in degrees) the head's axes from the window's centre, 0.4 sides long, seen
/// from so far away that they do not shrink: x red (the picture's right at rest), y green (down), z
/// blue (where the face looks); landmarks ([K, 2], pixels of the frame) as dots.
void draw_face(at::Tensor& frame, const FaceWindow& window,
               const std::optional<std::array<double, 3>>& pose,
               const std::optional<at::Tensor>& landmarks);

/// A head as a tracker sees it: frames (uint8 [T, S, S, 3], RGB) enlarged to at least 144 pixels a
/// side, with the axes of `pose` as draw_face() has them, over a chart of the mean distance from
/// `truth` (both [T, 3], degrees) in all frames so far, `most` degrees high. Returns uint8 [T, H,
/// W, 3].
at::Tensor tracked_frames(const at::Tensor& frames, const at::Tensor& pose, const at::Tensor& truth,
                          double most = 20);

}  // namespace reprise::datasets
