// Colours of surfaces, and smooth functions of position that vary colours and shapes.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

namespace reprise::datasets {

/// Red, green and blue from 0 to 255.
using Colour = std::array<float, 3>;

/// Interpolates linearly: a at t = 0, b at t = 1.
Colour mix_colours(const Colour& a, const Colour& b, float t);
/// Returns smooth noise in [-1, 1] over the plane. It uses integers alone, so every machine agrees.
float value_noise(float x, float y, std::uint32_t seed);
/// Returns 0 below a, 1 above b, and a smooth transition between.
inline float smooth_step(float x, float a, float b) {
  const float t = std::clamp((x - a) / (b - a), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}
/// Returns exp(-x^2 / 2).
float bell(float x);

}  // namespace reprise::datasets
