// Pictures and clips as a generator or a translator in any language leaves them. Labels, landmarks
// and poses: datasets/predictions.h.
//
//     pictures   a folder of images in the order of their names (formats/media_files.h), or a .npy of [N, H, W] or [N, H, W, 3], uint8
//     clips      a folder with one video or one folder of images per clip, or a .npy of [N, T, H, W, 3]
//
// Values are pixels, 0 to 255; an array of floats is refused, since nothing says whether its white
// is 1 or 255.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>

namespace reprise::datasets {

/// [N, H, W, 3], uint8, RGB; gray becomes RGB. UsageError: there is nothing at the path; a folder
/// without images; images of several sizes (the first that differs is named, with both sizes); a
/// .npy of another shape or type; what read_image() refuses.
at::Tensor read_predicted_pictures(const std::filesystem::path& path);

/// [N, T, H, W, 3], uint8, RGB. UsageError: as above; clips of several lengths or sizes.
at::Tensor read_predicted_clips(const std::filesystem::path& path);

struct PairedPictures {
  at::Tensor predicted, truth;  ///< [N, H, W, 3], uint8; row i of one belongs to row i of the other
  bool by_order =
      false;  ///< names of the two folders do not tell which belong together: pairs are made by their order
};

/// Pictures with the true ones. Where the two folders share names without endings, in any case,
/// pairs are made by name, and a picture without a partner is an error. Where they share none
/// (1_fake.png, 1_real.png), pairs are made by order. Rows of a .npy count as they are. UsageError:
/// as read_predicted_pictures(); two pictures of a folder with one name; pictures without partner
/// (named).
PairedPictures read_paired_pictures(const std::filesystem::path& predictions,
                                    const std::filesystem::path& truth);

}  // namespace reprise::datasets
