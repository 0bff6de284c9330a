// Pictures and clips generated or translated by a program in any language. Labels, landmarks and
// poses: datasets/predictions.h.
//
// - pictures: a folder of images in the order of their names (formats/media_files.h), or a uint8
//   .npy of [N, H, W] or [N, H, W, 3]
// - clips: a folder with one video or one folder of images per clip, or a uint8 .npy of
//   [N, T, H, W, 3]
//
// Values are pixels, 0 to 255. Floating-point arrays are refused: their white may be 1 or 255.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>

namespace reprise::datasets {

/// Reads pictures as [N, H, W, 3], uint8, RGB; gray becomes RGB. UsageError: the path does not
/// exist; a folder has no images; a .npy has another shape or type. UsageError: images differ in
/// size (the first one is named, with both sizes); read_image() refuses one.
at::Tensor read_predicted_pictures(const std::filesystem::path& path);

/// Reads clips as [N, T, H, W, 3], uint8, RGB. UsageError: as read_predicted_pictures(); clips
/// differ in length or size.
at::Tensor read_predicted_clips(const std::filesystem::path& path);

struct PairedPictures {
  at::Tensor predicted, truth;  ///< [N, H, W, 3], uint8; row i of one belongs to row i of the other
  bool by_order = false;        ///< pairs made by order, because the folders share no names
};

/// Reads predicted pictures together with the true ones.
///
/// Folders that share names (without endings, in any case) are paired by name. Folders that share
/// none, such as 1_fake.png and 1_real.png, are paired by order. Rows of a .npy are paired by
/// index. UsageError: as read_predicted_pictures(); a name occurs twice in a folder; pictures lack
/// a partner (named).
PairedPictures read_paired_pictures(const std::filesystem::path& predictions,
                                    const std::filesystem::path& truth);

}  // namespace reprise::datasets
