// Noise of a camera and a depth sensor, from integers alone: the same grain gives the same noise.
#pragma once
#include <cstddef>
#include <cstdint>

namespace reprise::datasets {

/// Hashes a counter by SplitMix64, so that the noise of a pixel needs no earlier pixel.
inline std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

/// Adds triangular noise of mean 0 and this standard deviation to `count` values. It never exceeds
/// 2.45 standard deviations.
void add_grain(std::uint8_t* values, std::size_t count, float std_dev, std::uint64_t grain);

struct DepthRange {
  float near = 0, far = 1;  ///< metres
};

/// Converts depth to nearness in bytes, round(255 (far - z) / (far - near)), at least 1. It is 0
/// beyond `far`. metres: [size, size], infinity where nothing is. Noise has a standard deviation of
/// 2.5 mm (z / 0.5 m)^2. Three in ten pixels with a neighbour more than 4 cm nearer or farther are
/// 0.
void sense_depth(const float* metres, int size, const DepthRange& range, std::uint64_t grain,
                 std::uint8_t* values);

}  // namespace reprise::datasets
