#include "datasets/scene/sensor_noise.h"

#include <algorithm>
#include <cmath>

namespace reprise::datasets {
namespace {

/// Returns the sum of two uniform 16-bit numbers, scaled to mean 0 and standard deviation 1.
float triangular_noise(std::uint64_t bits) {
  // sqrt(6) / 2^16: the sum of two uniform numbers below 2^16 has the standard deviation 2^16 /
  // sqrt(6).
  constexpr float scale = 2.4494897F / 65536;
  return (static_cast<float>(bits & 0xffff) + static_cast<float>(bits >> 16 & 0xffff) - 65535) *
         scale;
}

}  // namespace

void add_grain(std::uint8_t* values, std::size_t count, float std_dev, std::uint64_t grain) {
  const std::uint64_t start = mix_bits(grain);
  // One hash of 64 bits serves two values of 32 bits each.
  for (std::size_t i = 0; i < count; i += 2) {
    const auto bits = mix_bits(start + i);
    for (std::size_t k = 0; k < 2 && i + k < count; ++k) {
      const float value =
          static_cast<float>(values[i + k]) + std_dev * triangular_noise(bits >> 32 * k) + 0.5F;
      values[i + k] = static_cast<std::uint8_t>(std::clamp(value, 0.0F, 255.0F));
    }
  }
}

void sense_depth(const float* metres, int size, const DepthRange& range, std::uint64_t grain,
                 std::uint8_t* values) {
  // Metres; deeper edges may lose their pixels.
  constexpr float step = 0.04F;
  const std::uint64_t start = mix_bits(grain);
  const auto differs = [](float a, float b) {
    return std::abs(a - b) > step && std::min(a, b) < 1e6F;
  };
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(size) +
                     static_cast<std::size_t>(x);
      const float z = metres[i];
      values[i] = 0;
      // 0: nothing within the range, or infinity.
      if (!(z < range.far)) continue;
      const auto bits = mix_bits(start + i);
      const bool edge = (x > 0 && differs(z, metres[i - 1])) ||
                        (x + 1 < size && differs(z, metres[i + 1])) ||
                        (y > 0 && differs(z, metres[i - static_cast<std::size_t>(size)])) ||
                        (y + 1 < size && differs(z, metres[i + static_cast<std::size_t>(size)]));
      // 77 of 256: 30 % of the pixels at edges have no measurement.
      if (edge && (bits >> 32 & 0xff) < 77) continue;
      // The deviation grows with the square of the distance: 2.5 mm at 0.5 m.
      const float seen = z + 0.01F * z * z * triangular_noise(bits);
      values[i] = static_cast<std::uint8_t>(
          std::clamp(255 * (range.far - seen) / (range.far - range.near) + 0.5F, 1.0F, 255.0F));
    }
}

}  // namespace reprise::datasets
