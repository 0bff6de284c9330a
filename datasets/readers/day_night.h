// Photographs of landscapes by day and by night (day_night), and pieces cut out of them.
//
//     day_night    day/*.jpg and night/*.jpg: photographs of any sizes (.jpeg and .png too)
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/random.h"
#include "datasets/pictures.h"
#include "datasets/problems.h"

namespace reprise::datasets {

/// Photographs of different widths. The unit of a split is the photograph: split_by(item, ...). Neighbours in time from one camera show
/// the same place.
struct LandscapePhotos {
  std::vector<at::Tensor> images;  ///< N times [H, W, 3], uint8, RGB
  at::Tensor labels;               ///< [N], int64
  std::vector<std::string> item;   ///< "night/20151101_082503": without ending, sorted within day and within night, day first
  std::int64_t size() const { return static_cast<std::int64_t>(images.size()); }
};

/// Each photograph is decoded once and shrunk, or enlarged, so that its shorter side has this many pixels (by area averaging when it
/// shrinks). UsageError: shorter < 1; no folder day or night, or none with a photograph; photographs that are damaged (counted, five
/// named).
LandscapePhotos read_day_night(const std::filesystem::path& folder, std::int64_t shorter = 64);

/// What the reader refuses, photograph by photograph.
std::vector<Problem> verify_day_night(const std::filesystem::path& folder);

/// n squares of size x size pixels, each from a photograph drawn among those of these indices and from a place drawn in it. Square i
/// depends on the photographs and i alone, not on n. UsageError: n < 0; no index, or one that is not there; a photograph smaller than the
/// square (named).
Pictures landscape_crops(const LandscapePhotos& photos, const std::vector<std::int64_t>& indices, std::int64_t n, std::int64_t size,
                         const Random& random);

}  // namespace reprise::datasets
