// What a camera and a depth sensor add to a picture, from integers alone: the same grain gives the
// same noise.
#pragma once
#include <cstddef>
#include <cstdint>

namespace reprise::datasets {

/// SplitMix64: a counter turned into noise, so that any pixel's value can be had without those
/// before it.
inline std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

/// Adds noise of mean 0 and this standard deviation (triangular, so never more than 2.45 standard
/// deviations) to each of `count` values.
void add_grain(std::uint8_t* values, std::size_t count, float deviation, std::uint64_t grain);

struct DepthRange {
  float near = 0, far = 1;  ///< metres
};

/// metres: [size, size], infinity where there is nothing. values: 8-bit nearness, round(255 (far -
/// z) / (far - near)) within [1, 255], 0 beyond `far`. Noise of standard deviation 2.5 mm (z / 0.5
/// m)^2; three in ten pixels with a neighbour more than 4 cm nearer or farther are 0.
void sense_depth(const float* metres, int size, const DepthRange& range, std::uint64_t grain,
                 std::uint8_t* values);

}  // namespace reprise::datasets
