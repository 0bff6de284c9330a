// Landscapes by day and by night, generated.
#pragma once
#include "datasets/pictures.h"

namespace reprise::datasets {

/// Draws n landscapes.
///
/// A picture has a sky that fades from its top to the horizon, with sun, or with moon and stars.
/// Below are three ranges of hills, each the sum of five sines and darker the nearer it is, and a
/// meadow with grain. Lengths scale with the height: a wide picture has more hills, not wider ones.
/// Each of its crops could be a picture itself, except for the single sun or moon.
///
/// Each two landscapes are one by day and one by night, in random order. Landscape i depends on
/// neither n nor the number of threads. UsageError: n < 0; a side outside 8 to 4096.
Pictures draw_landscapes(std::int64_t n, std::int64_t height, std::int64_t width,
                         std::uint64_t seed);

/// Day and night of the same scenes, each uint8 [N, H, W, 3].
struct LandscapePairs {
  at::Tensor day;
  at::Tensor night;
};

/// Draws n landscapes twice, by day and by night, so that the truth of a translation is known.
///
/// Both pictures of a pair have the same hills and grain; the moon is where the sun was. Their
/// colours are independent, and stars are in the night only. Pair i depends on neither n nor the
/// number of threads. UsageError: as above.
LandscapePairs draw_landscape_pairs(std::int64_t n, std::int64_t height, std::int64_t width,
                                    std::uint64_t seed);

}  // namespace reprise::datasets
