#include "datasets/scene/background.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"

namespace reprise::datasets {
namespace {

using Colour = std::array<float, 3>;

// Picture under construction, in floats, so that soft edges add up without steps.
struct Painting {
  std::int64_t height;
  std::int64_t width;
  std::vector<float> pixels;
  float* at(std::int64_t y, std::int64_t x) {
    return &pixels[static_cast<std::size_t>((y * width + x) * 3)];
  }
};

// Draws a brightness, and lets each channel deviate from it by the fraction `saturation`.
Colour draw_colour(Random& random, double low, double high, double saturation) {
  const double light = random.uniform(low, high);
  Colour c;
  for (auto& channel : c)
    channel = static_cast<float>(
        std::clamp(light * (1 + saturation * (2 * random.uniform() - 1)), 0.0, 255.0));
  return c;
}

// Fills the canvas with a gradient from top to bottom, tilted by `slant`.
void paint_gradient(Painting& canvas, const Colour& top, const Colour& bottom, float slant) {
  for (std::int64_t y = 0; y < canvas.height; ++y)
    for (std::int64_t x = 0; x < canvas.width; ++x) {
      const float t =
          std::clamp(static_cast<float>(y) / static_cast<float>(canvas.height) +
                         slant * (static_cast<float>(x) / static_cast<float>(canvas.width) - 0.5F),
                     0.0F, 1.0F);
      for (int c = 0; c < 3; ++c) canvas.at(y, x)[c] = top[c] + (bottom[c] - top[c]) * t;
    }
}

// Adds light and dark patches of about `patch` pixels: a lattice of random values, smoothly
// interpolated.
void paint_patches(Painting& canvas, float patch, const Colour& strength, Random& random) {
  // One lattice point beyond each end, for the interpolation of the last pixels.
  const auto columns = static_cast<std::int64_t>(static_cast<float>(canvas.width) / patch) + 2;
  const auto rows = static_cast<std::int64_t>(static_cast<float>(canvas.height) / patch) + 2;
  std::vector<float> lattice(static_cast<std::size_t>(rows * columns));
  for (auto& value : lattice) value = static_cast<float>(2 * random.uniform() - 1);
  // Smoothstep: zero slope at lattice points hides the lattice.
  const auto smooth = [](float t) { return t * t * (3 - 2 * t); };
  for (std::int64_t y = 0; y < canvas.height; ++y) {
    const float fy = static_cast<float>(y) / patch;
    const auto iy = static_cast<std::int64_t>(fy);
    const float ty = smooth(fy - static_cast<float>(iy));
    for (std::int64_t x = 0; x < canvas.width; ++x) {
      const float fx = static_cast<float>(x) / patch;
      const auto ix = static_cast<std::int64_t>(fx);
      const float tx = smooth(fx - static_cast<float>(ix));
      const float* cell = &lattice[static_cast<std::size_t>(iy * columns + ix)];
      const float value = (cell[0] * (1 - tx) + cell[1] * tx) * (1 - ty) +
                          (cell[columns] * (1 - tx) + cell[columns + 1] * tx) * ty;
      for (int c = 0; c < 3; ++c) canvas.at(y, x)[c] += value * strength[c];
    }
  }
}

// Returns the fraction of a pixel inside [low, high], with ends softened over `soft` pixels.
float coverage(float x, float low, float high, float soft) {
  return std::clamp(std::min(x - low, high - x) / soft + 0.5F, 0.0F, 1.0F);
}

// Blends a rectangle with soft edges into the picture.
void paint_box(Painting& canvas, float left, float top, float right, float bottom, const Colour& c,
               float soft) {
  const auto y0 = std::max<std::int64_t>(0, static_cast<std::int64_t>(top - soft));
  const auto y1 = std::min(canvas.height - 1, static_cast<std::int64_t>(bottom + soft));
  const auto x0 = std::max<std::int64_t>(0, static_cast<std::int64_t>(left - soft));
  const auto x1 = std::min(canvas.width - 1, static_cast<std::int64_t>(right + soft));
  for (auto y = y0; y <= y1; ++y)
    for (auto x = x0; x <= x1; ++x) {
      const float share = coverage(static_cast<float>(y), top, bottom, soft) *
                          coverage(static_cast<float>(x), left, right, soft);
      for (int k = 0; k < 3; ++k) canvas.at(y, x)[k] += (c[k] - canvas.at(y, x)[k]) * share;
    }
}

// Blends a disc with a soft edge and an opacity into the picture.
void paint_disc(Painting& canvas, float cx, float cy, float radius, const Colour& c, float share,
                float soft) {
  const auto y0 = std::max<std::int64_t>(0, static_cast<std::int64_t>(cy - radius - soft));
  const auto y1 = std::min(canvas.height - 1, static_cast<std::int64_t>(cy + radius + soft));
  const auto x0 = std::max<std::int64_t>(0, static_cast<std::int64_t>(cx - radius - soft));
  const auto x1 = std::min(canvas.width - 1, static_cast<std::int64_t>(cx + radius + soft));
  for (auto y = y0; y <= y1; ++y)
    for (auto x = x0; x <= x1; ++x) {
      const float dx = static_cast<float>(x) - cx;
      const float dy = static_cast<float>(y) - cy;
      const float cover =
          share * std::clamp((radius - std::sqrt(dx * dx + dy * dy)) / soft + 0.5F, 0.0F, 1.0F);
      for (int k = 0; k < 3; ++k) canvas.at(y, x)[k] += (c[k] - canvas.at(y, x)[k]) * cover;
    }
}

void paint_indoors(Painting& canvas, float size, Random& random) {
  // A wall that is darker at its foot, and things on it, some with a frame.
  const auto wall = draw_colour(random, 90, 220, 0.2);
  paint_gradient(canvas, wall, {wall[0] * 0.75F, wall[1] * 0.75F, wall[2] * 0.75F},
                 static_cast<float>(random.uniform(-0.6, 0.6)));
  const auto things = 2 + random.below(5);
  for (std::int64_t i = 0; i < things; ++i) {
    const auto left = static_cast<float>(random.uniform(-0.2, 0.9)) * size;
    const auto top = static_cast<float>(random.uniform(-0.2, 0.8)) * size;
    const auto wide = static_cast<float>(random.uniform(0.1, 0.45)) * size;
    const auto high = static_cast<float>(random.uniform(0.1, 0.5)) * size;
    const float soft = size * static_cast<float>(random.uniform(0.015, 0.06));
    paint_box(canvas, left, top, left + wide, top + high, draw_colour(random, 30, 230, 0.35), soft);
    if (random.chance(0.6))
      paint_box(canvas, left + 0.15F * wide, top + 0.15F * high, left + 0.85F * wide,
                top + 0.85F * high, draw_colour(random, 60, 250, 0.3), soft);
  }
}

void paint_lights(Painting& canvas, float size, Random& random) {
  // Darkness with discs of light, which may overlap.
  const auto top = draw_colour(random, 10, 60, 0.4);
  const auto bottom = draw_colour(random, 10, 80, 0.4);
  paint_gradient(canvas, top, bottom, 0);
  const auto count = 6 + random.below(14);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<float>(random.uniform(0, 1)) * size;
    const auto y = static_cast<float>(random.uniform(0, 1)) * size;
    const auto radius = size * static_cast<float>(random.uniform(0.02, 0.09));
    const auto light = draw_colour(random, 120, 255, 0.6);
    paint_disc(canvas, x, y, radius, light, static_cast<float>(random.uniform(0.25, 0.7)),
               size * 0.02F);
  }
}

}  // namespace

void paint_background(std::uint8_t* image, std::int64_t height, std::int64_t width,
                      Random& random) {
  Painting canvas{height, width, std::vector<float>(static_cast<std::size_t>(height * width * 3))};
  const auto size = static_cast<float>(std::max(height, width));
  const auto patches = [&](double share, double strength) {
    const auto s = static_cast<float>(strength);
    const Colour colours{s, s * static_cast<float>(random.uniform(0.7, 1.1)),
                         s * static_cast<float>(random.uniform(0.6, 1))};
    paint_patches(canvas, std::max(1.5F, size * static_cast<float>(share)), colours, random);
  };
  // Sky or wall, room, lights, foliage: equally frequent.
  switch (random.below(4)) {
    case 0: {
      const auto top = draw_colour(random, 110, 240, 0.25);
      const auto bottom = draw_colour(random, 60, 220, 0.25);
      paint_gradient(canvas, top, bottom, static_cast<float>(random.uniform(-0.5, 0.5)));
      patches(0.3, 22);
      break;
    }
    case 1:
      paint_indoors(canvas, size, random);
      break;
    case 2:
      paint_lights(canvas, size, random);
      break;
    default: {
      const auto top = draw_colour(random, 60, 170, 0.5);
      const auto bottom = draw_colour(random, 30, 130, 0.5);
      paint_gradient(canvas, top, bottom, 0);
      // Three scales of patches, like leaves and branches.
      for (const double share : {0.35, 0.15, 0.06}) patches(share, random.uniform(12, 38));
    }
  }
  for (std::size_t i = 0; i < canvas.pixels.size(); ++i)
    image[i] = static_cast<std::uint8_t>(std::clamp(canvas.pixels[i], 0.0F, 255.0F));
}

at::Tensor background(std::int64_t height, std::int64_t width, Random& random) {
  if (height < 1 || width < 1)
    throw UsageError("a background of " + std::to_string(height) + " x " + std::to_string(width) +
                         " pixels cannot be painted",
                     "choose sides of at least 1 pixel");
  auto image = at::empty({height, width, 3}, at::kByte);
  paint_background(image.data_ptr<std::uint8_t>(), height, width, random);
  return image;
}

}  // namespace reprise::datasets
