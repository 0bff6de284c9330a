// Colours of surfaces, and the smooth functions by which they and forms change from place to place.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

namespace reprise::datasets {

/// r, g, b from 0 to 255.
using Colour = std::array<float, 3>;

/// a at t = 0, b at t = 1.
Colour mixed(const Colour& a, const Colour& b, float t);
/// Smooth noise in [-1, 1] over the plane, from integers alone: the same on every machine.
float value_noise(float x, float y, std::uint32_t seed);
/// 0 below a, 1 above b, smooth between.
inline float smooth_step(float x, float a, float b) {
  const float t = std::clamp((x - a) / (b - a), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}
/// exp(-x^2 / 2)
float bell(float x);

}  // namespace reprise::datasets
