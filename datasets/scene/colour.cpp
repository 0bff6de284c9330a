#include "datasets/scene/colour.h"

#include <cmath>

namespace reprise::datasets {
namespace {

float hash(std::int32_t x, std::int32_t y, std::uint32_t seed) {
  auto h = static_cast<std::uint32_t>(x) * 0x9e3779b1U ^
           static_cast<std::uint32_t>(y) * 0x85ebca77U ^ seed * 0xc2b2ae3dU;
  h ^= h >> 15, h *= 0x2c1b3c6dU, h ^= h >> 12, h *= 0x297a2d39U, h ^= h >> 15;
  return static_cast<float>(h >> 8) / 8388608.0F - 1;
}

}  // namespace

float bell(float x) { return std::exp(-x * x / 2); }

float value_noise(float x, float y, std::uint32_t seed) {
  const float fx = std::floor(x);
  const float fy = std::floor(y);
  const auto ix = static_cast<std::int32_t>(fx);
  const auto iy = static_cast<std::int32_t>(fy);
  const float tx = smooth_step(x - fx, 0, 1);
  const float ty = smooth_step(y - fy, 0, 1);
  const float top = hash(ix, iy, seed) * (1 - tx) + hash(ix + 1, iy, seed) * tx;
  const float bottom = hash(ix, iy + 1, seed) * (1 - tx) + hash(ix + 1, iy + 1, seed) * tx;
  return top * (1 - ty) + bottom * ty;
}

Colour mix_colours(const Colour& a, const Colour& b, float t) {
  return {a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t};
}

}  // namespace reprise::datasets
