// Landscapes by day and by night: photographs (day_night), pieces cut out of them, and landscapes drawn by a generator.
//
//     day_night    day/*.jpg and night/*.jpg: photographs of any sizes (.jpeg and .png too)
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/random.h"
#include "datasets/landmarks.h"

namespace reprise::datasets {

/// The label: 0 is day, 1 is night.
struct Landscapes {
  at::Tensor images;  ///< [N, H, W, 3], uint8, RGB
  at::Tensor labels;  ///< [N], int64
  std::int64_t size() const { return labels.defined() ? labels.size(0) : 0; }
};

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
Landscapes landscape_crops(const LandscapePhotos& photos, const std::vector<std::int64_t>& indices, std::int64_t n, std::int64_t size,
                           const Random& random);

/// n drawn landscapes: a sky that fades from its top to the horizon, with sun or with moon and stars; three ranges of hills, each the sum
/// of five sines, darker the nearer they are; a meadow with a grain. Lengths go with the height, so that a wide picture has more hills, not
/// wider ones: each of its pieces could be a picture of its own, but for the one sun or moon.
///
/// Each two landscapes are one of day and one of night, in a drawn order. Landscape i depends on neither n nor the number of threads.
/// UsageError: n < 0; a side outside 8 to 4096.
Landscapes drawn_landscapes(std::int64_t n, std::int64_t height, std::int64_t width, std::uint64_t seed);

}  // namespace reprise::datasets
