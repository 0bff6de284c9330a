// Photographs of landscapes by day and by night (day_night), and pieces cut out of them.
//
//     day_night    day/*.jpg and night/*.jpg: photographs of any sizes (.jpeg and .png too)
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/pictures.h"
#include "datasets/readers/photos.h"

namespace reprise::datasets {

/// item: "night/20151101_082503", sorted within day and within night, day first. Photographs are
/// webcams' of a few nights, so neighbours in time from one camera are near-duplicates: what must
/// not be in two parts of a split is a camera, with its whole time. It is told by the size of its
/// photographs: split_by(cameras(taken_at), ...).
struct LandscapePhotos : Photos {
  at::Tensor labels;  ///< [N], int64
};

/// A name for each photograph's camera by the sizes of photographs, "640x469". One camera's frames
/// were cut to 469 and to 471 lines: sizes that differ by at most `near` pixels a side are one
/// camera, and so is what a chain of them joins; it has the name of the least.
std::vector<std::string> cameras(const std::vector<std::string>& sizes, std::int64_t near = 2);

/// Read as read_photos() does. UsageError: no folder day or night; as there.
LandscapePhotos read_day_night(const std::filesystem::path& folder, std::int64_t shorter = 64);

/// What the reader refuses, photograph by photograph.
std::vector<Problem> verify_day_night(const std::filesystem::path& folder);

/// photo_crops() with their labels.
Pictures landscape_crops(const LandscapePhotos& photos, const std::vector<std::int64_t>& indices,
                         std::int64_t n, std::int64_t size, const Random& random);

}  // namespace reprise::datasets
