#include "datasets/generators/moving_shapes.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"

namespace reprise::datasets {
namespace {

/// Random parameters of a clip, independent of its class; lengths in sides of the picture.
struct Shape {
  explicit Shape(Random& random) {
    square = random.chance(0.5);
    half = random.uniform(0.07, 0.14);
    // A vivid colour: one channel full, one low, one anywhere.
    const auto order = random.permutation(3);
    const std::array<double, 3> levels{random.uniform(200, 255), random.uniform(20, 255),
                                       random.uniform(20, 90)};
    for (std::size_t i = 0; i < 3; ++i) colour[static_cast<std::size_t>(order[i])] = levels[i];
    ground = random.uniform(0, 24);
    // Keeps the shape 2 % of the side away from the border.
    const double most = 0.5 - half - 0.02;
    // The middle of the oscillation leaves room for it on both sides.
    swing = random.uniform(0.15, most);
    along = 0.5 + random.uniform(-1, 1) * (most - swing);
    across = 0.5 + random.uniform(-1, 1) * most;
    cycles = random.uniform(0.5, 1.5);
    phase = random.uniform();
  }
  bool square;
  double half;
  double ground;
  double swing;
  double along;
  double across;
  double cycles;
  double phase;
  std::array<double, 3> colour{};
};

void paint(const Shape& shape, double x, double y, int size, std::uint8_t* image) {
  const double half = shape.half * size;
  // Coverage of a pixel whose centre is `d` from the middle of the square.
  const auto cover = [half](double d) { return std::clamp(half + 0.5 - std::abs(d), 0.0, 1.0); };
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column, image += 3) {
      const double dx = column + 0.5 - x * size;
      const double dy = row + 0.5 - y * size;
      const double fraction = shape.square ? cover(dx) * cover(dy) : cover(std::hypot(dx, dy));
      for (std::size_t c = 0; c < 3; ++c)
        image[c] = static_cast<std::uint8_t>(
            std::lround(shape.ground + (shape.colour[c] - shape.ground) * fraction));
    }
}

}  // namespace

LabelledClips generate_moving_shapes(std::int64_t n, std::int64_t frames, int size,
                                     std::uint64_t seed) {
  if (n < 0) throw UsageError(fmt::format("{} clips were requested", n), "request 0 or more");
  require_clip(frames, 0);
  if (size < 8 || size > 1024)
    throw UsageError(fmt::format("shapes of {} pixels cannot be drawn", size),
                     "choose a size from 8 to 1024");
  const Random whole(seed);
  LabelledClips set;
  set.classes = {"horizontal", "vertical"};
  set.colour = at::empty({n, frames, size, size, 3}, at::kByte);
  set.labels = at::empty({n}, at::kLong);
  auto* labels = set.labels.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < n; ++i) {
    // Two consecutive clips have both classes, in random order.
    labels[i] = (i + whole.split("classes", i / 2).below(2)) % 2;
    set.item.push_back(fmt::format("shape{:06}", i));
  }
  // Each clip counts as one person, so splits by person are splits by clip.
  set.person = set.item;
  auto* pixels = set.colour.data_ptr<std::uint8_t>();
  parallel_items(n, at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    auto random = whole.split("shape", i);
    const Shape shape(random);
    for (std::int64_t t = 0; t < frames; ++t) {
      const double turns =
          shape.cycles * static_cast<double>(t) / static_cast<double>(frames) + shape.phase;
      const double along = shape.along + shape.swing * std::sin(2 * std::numbers::pi * turns);
      // The classes differ in the axis alone; everything else is drawn alike.
      const bool horizontal = labels[i] == 0;
      paint(shape, horizontal ? along : shape.across, horizontal ? shape.across : along, size,
            pixels + (i * frames + t) * size * size * 3);
    }
  });
  return set;
}

}  // namespace reprise::datasets
