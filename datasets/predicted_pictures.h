// Pictures and clips as a generator or a translator in any language leaves them. Labels, landmarks and poses: datasets/predictions.h.
//
//     pictures   a folder of images (.png, .jpg, .jpeg, .bmp; numbers in their names by value), or a .npy of [N, H, W] or [N, H, W, 3], uint8
//     clips      a folder with one video (datasets/formats/video_files.h) or one folder of images per clip, or a .npy of [N, T, H, W, 3]
//
// Values are pixels, 0 to 255; an array of floats is refused, since nothing says whether its white is 1 or 255.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>

namespace reprise::datasets {

/// [N, H, W, 3], uint8, RGB; gray becomes RGB. UsageError: there is nothing at the path; a folder without images; images of several sizes (the
/// first that differs is named, with both sizes); a .npy of another shape or type; what read_image() refuses.
at::Tensor read_predicted_pictures(const std::filesystem::path& path);

/// [N, T, H, W, 3], uint8, RGB. UsageError: as above; clips of several lengths or sizes.
at::Tensor read_predicted_clips(const std::filesystem::path& path);

}  // namespace reprise::datasets
