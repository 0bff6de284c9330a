// Pairs of pictures of one scene, side by side in one file, as pix2pix has them (Isola et al.
// 2017).
//
//     maps    train/N.jpg and val/N.jpg, 1200 x 600: the left half is seen from the air, the right half is its map
//     others  facades, cityscapes, edges2shoes: any folder of files of even width
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/problems.h"

namespace reprise::datasets {

struct AlignedPairs {
  at::Tensor left, right;         ///< [N, S, S, 3], uint8, RGB; pair i shows one scene
  std::vector<std::string> item;  ///< path below the folder, without ending
};

/// All pictures below the folder (formats/media_files.h), sorted, each half squeezed to size x size
/// pixels. UsageError: size < 1; no such folder, or no picture in it; pictures that are damaged or
/// of odd width (counted, five named).
AlignedPairs read_aligned_pairs(const std::filesystem::path& folder, std::int64_t size);

/// What the reader refuses, picture by picture.
std::vector<Problem> verify_aligned_pairs(const std::filesystem::path& folder);

}  // namespace reprise::datasets
