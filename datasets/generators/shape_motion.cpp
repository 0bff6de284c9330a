#include "datasets/generators/shape_motion.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"

namespace reprise::datasets {
namespace {

// Control points of a Bezier curve of degree 4 (header).
constexpr std::size_t anchors = 5;
/// Smallest value of the brightest channel.
constexpr double dimmest = 64;
/// Free border at both ends of the path, sides of the picture.
constexpr double margin = 1.5 / 64;

struct Place {
  double x;
  double y;
};

/// Random parameters of a clip; lengths in sides of the picture.
struct CurveShape {
  CurveShape(Random random, bool down, double scale) {
    square = random.chance(0.5);
    half = scale * random.uniform(1.0 / 16, 7.0 / 64);
    do {
      for (auto& channel : colour) channel = static_cast<std::uint8_t>(random.below(256));
      // Dark shapes would hardly be visible on black, so they are drawn again.
    } while (std::ranges::max(colour) < dimmest);
    const double across = random.uniform(half, 1 - half);
    // The path leads from the left to the right border; both ends lie at one height.
    curve.front() = {half + margin, across};
    curve.back() = {1 - half - margin, across};
    for (std::size_t i = 1; i + 1 < anchors; ++i) {
      curve[i].x = random.uniform(half, 1 - half);
      curve[i].y = random.uniform(half, 1 - half);
    }
    // The second class is the first with both axes exchanged.
    if (down)
      for (auto& anchor : curve) std::swap(anchor.x, anchor.y);
  }
  /// Evaluates the curve at 0 <= u <= 1 by De Casteljau's algorithm.
  Place at(double u) const {
    auto points = curve;
    for (std::size_t left = anchors; left > 1; --left)
      for (std::size_t i = 0; i + 1 < left; ++i)
        points[i] = {points[i].x + u * (points[i + 1].x - points[i].x),
                     points[i].y + u * (points[i + 1].y - points[i].y)};
    return points[0];
  }
  bool square;
  double half;
  std::array<std::uint8_t, 3> colour{};
  std::array<Place, anchors> curve{};
};

/// Returns the fraction of the pixel in `row` and `column` that a shape with centre x, y covers;
/// lengths in pixels.
double pixel_coverage(bool square, double half, double x, double y, std::int64_t row,
                      std::int64_t column) {
  // Half a pixel more than the shape's half width, minus the distance: linear across the edge.
  const auto cover = [half](double d) { return std::clamp(half + 0.5 - std::abs(d), 0.0, 1.0); };
  const double dx = static_cast<double>(column) + 0.5 - x;
  const double dy = static_cast<double>(row) + 0.5 - y;
  return square ? cover(dx) * cover(dy) : cover(std::hypot(dx, dy));
}

/// Calls paint(clip, pixel, covered) for every pixel of every frame, clips side by side; pixels are
/// counted through the whole set.
template <typename Paint>
void for_every_pixel(const ShapeMotion& set, const Paint& paint) {
  const auto frames = set.path.size(1);
  const auto size = set.clips.colour.size(2);
  const auto* xy = set.path.data_ptr<double>();
  const auto* half = set.half.data_ptr<double>();
  const auto* square = set.square.data_ptr<bool>();
  parallel_items(set.path.size(0), at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    auto pixel = i * frames * size * size;
    for (auto frame = i * frames; frame < (i + 1) * frames; ++frame)
      for (std::int64_t row = 0; row < size; ++row)
        for (std::int64_t column = 0; column < size; ++column, ++pixel) {
          const double share =
              pixel_coverage(square[i], half[i], xy[2 * frame], xy[2 * frame + 1], row, column);
          paint(i, pixel, set.hard_edges ? static_cast<double>(share >= 0.5) : share);
        }
  });
}

}  // namespace

at::Tensor ShapeMotion::mask() const {
  auto mask = at::empty(clips.colour.sizes().slice(0, 4), at::kFloat);
  auto* pixels = mask.data_ptr<float>();
  for_every_pixel(*this, [pixels](std::int64_t, std::int64_t pixel, double share) {
    pixels[pixel] = static_cast<float>(share);
  });
  return mask;
}

ShapeMotion generate_shape_motion(std::int64_t n, const ShapeMotionOptions& options,
                                  std::uint64_t seed) {
  const auto frames = options.frames;
  const auto size = options.size;
  if (n < 0) throw UsageError(fmt::format("{} clips were requested", n), "request 0 or more");
  require_clip(frames, 0);
  if (size < 8 || size > 1024)
    throw UsageError(fmt::format("shapes of {} pixels cannot be drawn", size),
                     "choose a size from 8 to 1024");
  if (!(options.scale >= 0.5 && options.scale <= 3))
    throw UsageError(fmt::format("shapes {} times as large cannot be drawn", options.scale),
                     "choose a scale from 0.5 to 3");
  const Random whole(seed);
  ShapeMotion set{.path = at::empty({n, frames, 2}, at::kDouble),
                  .half = at::empty({n}, at::kDouble),
                  .square = at::empty({n}, at::kBool),
                  .shape_colour = at::empty({n, 3}, at::kByte),
                  .hard_edges = options.hard_edges};
  set.clips.colour = at::empty({n, frames, size, size, 3}, at::kByte);
  set.clips.classes = {"right", "down"};
  set.clips.labels = at::empty({n}, at::kLong);
  for (std::int64_t i = 0; i < n; ++i) {
    // Two consecutive clips have both classes, in random order.
    const bool down = (i + whole.split("classes", i / 2).below(2)) % 2 == 1;
    const CurveShape shape(whole.split("shape", i), down, options.scale);
    set.clips.labels[i] = static_cast<std::int64_t>(down);
    set.clips.item.push_back(fmt::format("shape_motion{:06}", i));
    set.square[i] = shape.square;
    // Hard edges fall on whole pixels, as in the clips that the header describes.
    set.half[i] = options.hard_edges ? std::round(shape.half * size) : shape.half * size;
    for (std::int64_t c = 0; c < 3; ++c)
      set.shape_colour[i][c] = shape.colour[static_cast<std::size_t>(c)];
    auto* path = set.path.data_ptr<double>() + i * frames * 2;
    for (std::int64_t t = 0; t < frames; ++t) {
      const auto place =
          shape.at(frames == 1 ? 0 : static_cast<double>(t) / static_cast<double>(frames - 1));
      for (const double part : {place.x * size, place.y * size})
        *path++ = options.hard_edges ? std::round(part) : part;
    }
  }
  set.clips.person = set.clips.item;
  const auto* colours = set.shape_colour.data_ptr<std::uint8_t>();
  auto* pixels = set.clips.colour.data_ptr<std::uint8_t>();
  for_every_pixel(set, [=](std::int64_t i, std::int64_t pixel, double share) {
    for (std::int64_t c = 0; c < 3; ++c)
      pixels[3 * pixel + c] = static_cast<std::uint8_t>(std::lround(share * colours[3 * i + c]));
  });
  return set;
}

}  // namespace reprise::datasets
