#include "datasets/generators/landscapes.h"

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
#include "datasets/scene/sensor_noise.h"

namespace reprise::datasets {
namespace {

using LandscapeColour = std::array<double, 3>;  ///< r, g, b from 0 to 255.

LandscapeColour mix_colours(const LandscapeColour& a, const LandscapeColour& b, double t) {
  return {a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t};
}

/// Each channel up to `by` brighter or darker.
LandscapeColour vary_colour(LandscapeColour colour, double by, Random& random) {
  for (auto& channel : colour) channel += random.uniform(-by, by);
  return colour;
}

constexpr int ranges = 3;  // of hills, the farthest first; the last is the meadow

/// Line of a range of hills. x and y are in heights of the picture, so that its shape does not
/// depend on the width.
class Ridge {
 public:
  Ridge(double middle, double rise, double length, Random& random) : middle_(middle) {
    for (auto& wave : waves_) {
      // Each wave is about half as long and half as high as the one before, as in fractal terrain.
      wave = {rise * random.uniform(0.5, 1),
              2 * std::numbers::pi / (length * random.uniform(0.8, 1.25)),
              random.uniform(0, 2 * std::numbers::pi)};
      rise *= 0.55;
      length *= 0.5;
    }
  }
  double at(double x) const {
    double y = middle_;
    for (const auto& wave : waves_) y += wave.height * std::sin(wave.turns * x + wave.phase);
    return y;
  }

 private:
  struct Wave {
    double height = 0;
    double turns = 0;
    double phase = 0;
  };
  double middle_;
  std::array<Wave, 5> waves_;
};

/// Sun or moon; lengths in heights of the picture.
struct Disc {
  double x = 0;
  double y = 0;
  double radius = 0;
  double glow = 0;
  LandscapeColour colour{};
};

/// Random parameters of a landscape.
struct LandscapeScene {
  LandscapeScene(bool night, double width, Random& random) {
    // Colours of the sky's top and horizon; each scene varies them.
    top = night ? vary_colour({10, 14, 40}, 8, random) : vary_colour({70, 130, 205}, 25, random);
    horizon =
        night ? vary_colour({42, 46, 84}, 14, random) : vary_colour({190, 212, 232}, 18, random);
    const double height = random.uniform(0.42, 0.6);
    const LandscapeColour green =
        night ? vary_colour({16, 26, 26}, 6, random) : vary_colour({86, 132, 62}, 24, random);
    for (int i = 0; i < ranges; ++i) {
      // Each nearer range lies lower in the picture.
      const double nearness = static_cast<double>(i) / (ranges - 1);
      ridges.emplace_back(height + 0.17 * i, 0.075 - 0.015 * i, random.uniform(1.2, 2.0) - 0.2 * i,
                          random);
      // Far hills take the colour of the air before them.
      colours[static_cast<std::size_t>(i)] = mix_colours(horizon, green, 0.45 + 0.55 * nearness);
    }
    disc = {random.uniform(0.1, std::max(0.2, width - 0.1)), random.uniform(0.08, 0.32),
            random.uniform(0.035, 0.06), random.uniform(0.08, 0.16),
            night ? LandscapeColour{236, 236, 218} : LandscapeColour{255, 246, 196}};
    grain = static_cast<std::uint64_t>(random.below(std::int64_t{1} << 62));
    stars = night ? random.uniform(0.08, 0.3) : 0;
  }

  std::vector<Ridge> ridges;
  std::array<LandscapeColour, ranges> colours;
  LandscapeColour top;
  LandscapeColour horizon;
  Disc disc;
  std::uint64_t grain = 0;
  double stars = 0;  ///< in a square of sky: the chance of one
};

/// Returns a uniform number in [0, 1) for a lattice point.
double hash_uniform(std::uint64_t grain, std::int64_t x, std::int64_t y) {
  return static_cast<double>(mix_bits(grain ^ mix_bits(static_cast<std::uint64_t>(y) << 32 ^
                                                       static_cast<std::uint64_t>(x))) >>
                             11) *
         0x1p-53;
}

LandscapeColour sky_colour(const LandscapeScene& scene, double x, double y, double pixel) {
  auto colour = mix_colours(scene.top, scene.horizon, std::clamp(y / 0.6, 0.0, 1.0));
  if (scene.stars > 0) {
    // A star at most in each square of a lattice; it stays within its square.
    // At least 5 pixels, so that stars in neighbouring squares do not touch.
    const double square = std::max(1.0 / 16, 5 * pixel);
    const auto column = static_cast<std::int64_t>(x / square);
    const auto row = static_cast<std::int64_t>(y / square);
    const auto chance = [&](std::uint64_t part) {
      return hash_uniform(scene.grain + part, column, row);
    };
    if (chance(1) < scene.stars) {
      // Between 0.3 and 0.7 of the square, so a star is not cut at its border.
      const double sx = (static_cast<double>(column) + 0.3 + 0.4 * chance(2)) * square;
      const double sy = (static_cast<double>(row) + 0.3 + 0.4 * chance(3)) * square;
      const double far = std::hypot(x - sx, y - sy) / std::max(1.2 * pixel, 0.008);
      colour =
          mix_colours(colour, {230, 230, 240}, (0.4 + 0.6 * chance(4)) * std::max(0.0, 1 - far));
    }
  }
  const auto& disc = scene.disc;
  const double far = std::hypot(x - disc.x, y - disc.y);
  colour =
      mix_colours(colour, disc.colour, 0.55 * std::exp(-(far / disc.glow) * (far / disc.glow)));
  return mix_colours(colour, disc.colour, std::clamp((disc.radius - far) / pixel + 0.5, 0.0, 1.0));
}

/// Lengths are in heights of the picture, so a scene looks alike at every resolution.
double pixel_length(std::int64_t height) { return 1 / static_cast<double>(height); }

LandscapeScene draw_scene(bool night, std::int64_t height, std::int64_t width, Random random) {
  return {night, static_cast<double>(width) * pixel_length(height), random};
}

/// Writes uint8 [H, W, 3] to `image`.
void paint(const LandscapeScene& scene, std::int64_t height, std::int64_t width,
           std::uint8_t* image) {
  const double pixel = pixel_length(height);
  for (std::int64_t column = 0; column < width; ++column) {
    const double x = (static_cast<double>(column) + 0.5) * pixel;
    std::array<double, ranges> ridge{};
    for (std::size_t i = 0; i < ranges; ++i) ridge[i] = scene.ridges[i].at(x);
    for (std::int64_t row = 0; row < height; ++row) {
      const double y = (static_cast<double>(row) + 0.5) * pixel;
      // Ranges are painted from far to near, each over those behind it.
      auto colour = y < ridge[0] + pixel ? sky_colour(scene, x, y, pixel) : scene.colours[0];
      for (std::size_t i = 0; i < ranges; ++i) {
        const double cover = std::clamp((y - ridge[i]) / pixel + 0.5, 0.0, 1.0);
        if (cover <= 0) continue;
        // Hills are darker at their foot, and the nearer they are, the more grain they show.
        const double shade =
            1 - 0.5 * std::min(0.5, y - ridge[i]) +
            (hash_uniform(scene.grain, column, row) - 0.5) * 0.06 * static_cast<double>(i + 1);
        const auto& plain = scene.colours[i];
        colour = mix_colours(colour, {plain[0] * shade, plain[1] * shade, plain[2] * shade}, cover);
      }
      for (std::size_t c = 0; c < 3; ++c)
        image[(row * width + column) * 3 + static_cast<std::int64_t>(c)] =
            static_cast<std::uint8_t>(std::lround(std::clamp(colour[c], 0.0, 255.0)));
    }
  }
}

void check_size(std::int64_t n, std::int64_t height, std::int64_t width) {
  if (n < 0) throw UsageError(fmt::format("{} landscapes were requested", n), "request 0 or more");
  if (height < 8 || width < 8 || height > 4096 || width > 4096)
    throw UsageError(fmt::format("a landscape of {} x {} pixels cannot be drawn", width, height),
                     "choose sides from 8 to 4096 pixels");
}

}  // namespace

Pictures draw_landscapes(std::int64_t n, std::int64_t height, std::int64_t width,
                         std::uint64_t seed) {
  check_size(n, height, width);
  const Random whole(seed);
  Pictures set{.images = at::empty({n, height, width, 3}, at::kByte),
               .labels = at::empty({n}, at::kLong)};
  auto* labels = set.labels.data_ptr<std::int64_t>();
  // Two consecutive pictures are one by day and one by night, in random order.
  for (std::int64_t i = 0; i < n; ++i) labels[i] = (i + whole.split("classes", i / 2).below(2)) % 2;
  auto* pixels = set.images.data_ptr<std::uint8_t>();
  parallel_items(n, at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    paint(draw_scene(labels[i] == 1, height, width, whole.split("landscape", i)), height, width,
          pixels + i * height * width * 3);
  });
  return set;
}

LandscapePairs draw_landscape_pairs(std::int64_t n, std::int64_t height, std::int64_t width,
                                    std::uint64_t seed) {
  check_size(n, height, width);
  const Random whole(seed);
  LandscapePairs pairs{.day = at::empty({n, height, width, 3}, at::kByte),
                       .night = at::empty({n, height, width, 3}, at::kByte)};
  auto* by_day = pairs.day.data_ptr<std::uint8_t>();
  auto* by_night = pairs.night.data_ptr<std::uint8_t>();
  parallel_items(n, at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    const auto day = draw_scene(false, height, width, whole.split("day", i));
    // The night takes the day's geometry and keeps its own colours.
    auto night = draw_scene(true, height, width, whole.split("night", i));
    night.ridges = day.ridges;
    night.grain = day.grain;
    night.disc.x = day.disc.x;
    night.disc.y = day.disc.y;
    night.disc.radius = day.disc.radius;
    paint(day, height, width, by_day + i * height * width * 3);
    paint(night, height, width, by_night + i * height * width * 3);
  });
  return pairs;
}

}  // namespace reprise::datasets
