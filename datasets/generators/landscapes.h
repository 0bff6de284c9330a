// Landscapes by day and by night, drawn by a generator.
#pragma once
#include "datasets/pictures.h"

namespace reprise::datasets {

/// n drawn landscapes: a sky that fades from its top to the horizon, with sun or with moon and
/// stars; three ranges of hills, each the sum of five sines, darker the nearer they are; a meadow
/// with a grain. Lengths go with the height, so that a wide picture has more hills, not wider ones:
/// each of its pieces could be a picture of its own, but for the one sun or moon.
///
/// Each two landscapes are one of day and one of night, in a drawn order. Landscape i depends on
/// neither n nor the number of threads. UsageError: n < 0; a side outside 8 to 4096.
Pictures drawn_landscapes(std::int64_t n, std::int64_t height, std::int64_t width,
                          std::uint64_t seed);

}  // namespace reprise::datasets
