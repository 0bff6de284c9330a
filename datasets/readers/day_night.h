// Photographs of landscapes by day and by night (day_night), and random crops of them.
//
//     day_night    day/*.jpg and night/*.jpg: photographs of any size (.jpeg and .png too)
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/pictures.h"
#include "datasets/readers/photos.h"

namespace reprise::datasets {

/// Photographs with labels, sorted within day and within night, day first. An item is, for example,
/// "night/20151101_082503".
///
/// Photographs come from webcams over a few nights. Neighbours in time from one camera are
/// near-duplicates, so a camera must not occur in two parts of a split. The size of a photograph
/// identifies its camera: split_by(identify_cameras(photo_size), ...).
struct LandscapePhotos : Photos {
  at::Tensor labels;  ///< [N], int64
};

/// Returns the name of each photograph's camera, by the sizes of photographs ("640x469"). One
/// camera's frames were cut to 469 and to 471 lines. Sizes that differ by at most `near` pixels per
/// side are therefore one camera, transitively. It is named by its smallest size.
std::vector<std::string> identify_cameras(const std::vector<std::string>& sizes,
                                          std::int64_t near = 2);

/// Reads photographs as read_photos() does. UsageError: the folder day or night is missing; as
/// read_photos().
LandscapePhotos read_day_night(const std::filesystem::path& folder, std::int64_t shorter = 64);

/// Returns all issues that the reader refuses, photograph by photograph.
std::vector<Issue> verify_day_night(const std::filesystem::path& folder);

/// Returns crop_photos() with labels.
Pictures crop_landscapes(const LandscapePhotos& photos, const std::vector<std::int64_t>& indices,
                         std::int64_t n, std::int64_t size, const Random& random);

}  // namespace reprise::datasets
