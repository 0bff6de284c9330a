// Pairs of pictures of one scene, side by side in one file, as in pix2pix (Isola et al. 2017).
//
//     maps    train/N.jpg and val/N.jpg, 1200 x 600: left the aerial view, right its map
//     others  facades, cityscapes, edges2shoes: any folder of files of even width
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/issues.h"

namespace reprise::datasets {

struct AlignedPairs {
  at::Tensor left, right;         ///< [N, S, S, 3], uint8, RGB; pair i shows one scene
  std::vector<std::string> item;  ///< path below the folder, without ending
};

/// Reads all pictures below the folder (formats/media_files.h), sorted. Each half is resized to
/// size x size pixels. UsageError: size < 1; the folder does not exist or has no picture; pictures
/// are damaged or of odd width (counted, five named).
AlignedPairs read_aligned_pairs(const std::filesystem::path& folder, std::int64_t size);

/// Returns all issues that the reader refuses, picture by picture.
std::vector<Issue> verify_aligned_pairs(const std::filesystem::path& folder);

}  // namespace reprise::datasets
