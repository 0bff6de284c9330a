#include "datasets/generators/map_scenes.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <ranges>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "datasets/scene/colour.h"
#include "datasets/scene/sensor_noise.h"

namespace reprise::datasets {
namespace {

enum Ground : std::uint8_t { Land, Park, Water, Road, Building };

/// Whole pixels: left and top are within, right and bottom are not.
struct Plot {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
};

/// Lengths are in parts of the side, x to the right and y down, but for plots.
class MapGround {
 public:
  MapGround(int side, Random& random)
      : side_(side),
        ground_(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), Land) {
    // Later grounds cover earlier ones, so roads run over water and parks.
    const auto parks = 1 + random.below(2);
    for (std::int64_t i = 0; i < parks; ++i) park(random);
    if (random.chance(0.6)) random.chance(0.5) ? lake(random) : river(random);
    const auto across = 1 + random.below(2);
    const auto along = 1 + random.below(2);
    for (std::int64_t i = 0; i < across; ++i) road(true, random);
    for (std::int64_t i = 0; i < along; ++i) road(false, random);
    // Twenty attempts; those without free land are skipped, which varies the number of buildings.
    for (int i = 0; i < 20; ++i) building(random);
  }

  Ground at(int x, int y) const {
    return ground_[static_cast<std::size_t>(y) * static_cast<std::size_t>(side_) +
                   static_cast<std::size_t>(x)];
  }
  const std::vector<Plot>& buildings() const { return buildings_; }

 private:
  template <typename Within>
  void cover(Ground ground, const Within& within) {
    for (int y = 0; y < side_; ++y)
      for (int x = 0; x < side_; ++x)
        // Pixel centres, in parts of the side.
        if (within((x + 0.5) / side_, (y + 0.5) / side_)) set(x, y, ground);
  }
  void set(int x, int y, Ground ground) {
    ground_[static_cast<std::size_t>(y) * static_cast<std::size_t>(side_) +
            static_cast<std::size_t>(x)] = ground;
  }

  void park(Random& random) {
    const double x = random.uniform();
    const double y = random.uniform();
    const double wide = random.uniform(0.1, 0.22);
    const double high = random.uniform(0.1, 0.22);
    cover(Park,
          [&](double px, double py) { return std::abs(px - x) < wide && std::abs(py - y) < high; });
  }
  void lake(Random& random) {
    const double x = random.uniform();
    const double y = random.uniform();
    const double wide = random.uniform(0.12, 0.28);
    const double high = random.uniform(0.12, 0.28);
    cover(Water,
          [&](double px, double py) { return std::hypot((px - x) / wide, (py - y) / high) < 1; });
  }
  void river(Random& random) {
    const bool across = random.chance(0.5);
    const double middle = random.uniform(0.2, 0.8);
    const double bend = random.uniform(0.03, 0.12);
    const double phase = random.uniform(0, 2 * std::numbers::pi);
    const double half = random.uniform(0.04, 0.08);
    cover(Water, [&](double px, double py) {
      const double along = across ? px : py;
      const double beside = across ? py : px;
      return std::abs(beside - middle - bend * std::sin(2 * std::numbers::pi * along + phase)) <
             half;
    });
  }
  void road(bool across, Random& random) {
    const double from = random.uniform(0.05, 0.95);
    const double slope = random.uniform(-0.15, 0.15);
    const double half = random.uniform(0.03, 0.055);
    cover(Road, [&](double px, double py) {
      return std::abs((across ? py : px) - from - slope * ((across ? px : py) - 0.5)) < half;
    });
  }
  /// Places a building if its plot and the pixels around it are land.
  void building(Random& random) {
    const auto length = [&] {
      // A building of one pixel would not be visible.
      return std::max(2, static_cast<int>(std::lround(side_ * random.uniform(0.09, 0.22))));
    };
    const int wide = length();
    const int high = length();
    Plot plot;
    plot.left = static_cast<int>(random.below(side_ - wide + 1));
    plot.top = static_cast<int>(random.below(side_ - high + 1));
    plot.right = plot.left + wide;
    plot.bottom = plot.top + high;
    for (int y = std::max(0, plot.top - 1); y < std::min(side_, plot.bottom + 1); ++y)
      for (int x = std::max(0, plot.left - 1); x < std::min(side_, plot.right + 1); ++x)
        if (at(x, y) != Land) return;
    for (int y = plot.top; y < plot.bottom; ++y)
      for (int x = plot.left; x < plot.right; ++x) set(x, y, Building);
    buildings_.push_back(plot);
  }

  int side_;
  std::vector<Ground> ground_;
  std::vector<Plot> buildings_;
};

/// Returns noise in [-1, 1), a function of grain and position.
float pixel_noise(std::uint64_t grain, int x, int y) {
  const auto bits = mix_bits(
      grain ^ mix_bits(static_cast<std::uint64_t>(y) << 32 ^ static_cast<std::uint64_t>(x)));
  // The upper 53 bits become a number in [0, 2), minus 1.
  return static_cast<float>(static_cast<double>(bits >> 11) * 0x1p-52 - 1);
}

/// Random appearance of a scene from the air.
class AerialView {
 public:
  AerialView(const MapGround& place, int side, Random& random)
      : place_(place),
        side_(side),
        roof_of_(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), -1) {
    static constexpr std::array<Colour, 5> tiles{
        {{150, 72, 58}, {124, 116, 110}, {84, 84, 92}, {188, 182, 172}, {120, 92, 70}}};
    light_ = static_cast<float>(random.uniform(0.85, 1.15));
    // Noise is a function of this number and the pixel, so pixels can be computed in any order.
    grain_ = static_cast<std::uint64_t>(random.below(std::int64_t{1} << 62));
    shadow_ = std::max(1, static_cast<int>(std::lround(side * random.uniform(0.03, 0.06))));
    for (const auto& plot : place.buildings()) {
      Colour roof =
          tiles[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(tiles.size())))];
      for (auto& channel : roof) channel += static_cast<float>(random.uniform(-14, 14));
      for (int y = plot.top; y < plot.bottom; ++y)
        for (int x = plot.left; x < plot.right; ++x)
          roof_of_[place_of(x, y)] = static_cast<int>(roofs_.size());
      roofs_.push_back(roof);
    }
  }

  Colour at(int x, int y) const {
    const float fine = pixel_noise(grain_, x, y);
    Colour colour = surface(x, y, fine);
    // Roofs are above the shadows of other buildings.
    if (place_.at(x, y) != Building && shaded(x, y))
      for (auto& channel : colour) channel *= 0.55F;
    for (auto& channel : colour)
      channel = std::clamp(channel * light_ + 2 * pixel_noise(grain_ + 1, x, y), 0.0F, 255.0F);
    return colour;
  }

 private:
  std::size_t place_of(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(side_) +
           static_cast<std::size_t>(x);
  }
  Colour surface(int x, int y, float fine) const {
    // 20 periods of the noise per side, at every resolution.
    const float step = 20.0F / static_cast<float>(side_);
    const float u = static_cast<float>(x) * step;
    const float v = static_cast<float>(y) * step;
    const float cloudy = value_noise(u, v, static_cast<std::uint32_t>(grain_));
    const auto shade = [](Colour colour, float by) {
      for (auto& channel : colour) channel += by;
      return colour;
    };
    switch (place_.at(x, y)) {
      case Land:
        return shade({146, 138, 104}, 10 * cloudy + 6 * fine);
      case Park:
        return shade({62, 96, 48}, 18 * cloudy + 10 * fine);
      case Water:
        return shade({38, 62, 84}, 3 * cloudy + fine);
      case Road:
        return shade({112, 112, 116}, 5 * fine);
      case Building:
        break;
    }
    return shade(roofs_[static_cast<std::size_t>(roof_of_[place_of(x, y)])], 3 * fine);
  }
  bool shaded(int x, int y) const {
    for (int d = 1; d <= shadow_; ++d)
      // The sun stands to the upper left, so a shadow falls along the diagonal.
      if (x >= d && y >= d && place_.at(x - d, y - d) == Building) return true;
    return false;
  }

  const MapGround& place_;
  int side_;
  std::vector<int> roof_of_;
  std::vector<Colour> roofs_;
  float light_ = 1;
  std::uint64_t grain_ = 0;
  int shadow_ = 1;
};

}  // namespace

at::Tensor map_palette() {
  auto palette = at::empty({std::ssize(map_colours), 3}, at::kByte);
  std::ranges::copy(map_colours | std::views::join, palette.data_ptr<std::uint8_t>());
  return palette;
}

MapScenes draw_map_scenes(std::int64_t n, int side, std::uint64_t seed) {
  if (n < 0) throw UsageError(fmt::format("{} scenes were requested", n), "request 0 or more");
  if (side < 16 || side > 1024)
    throw UsageError(fmt::format("scenes of {} pixels cannot be drawn", side),
                     "choose a side from 16 to 1024");
  const Random whole(seed);
  MapScenes scenes{.map = at::empty({n, side, side, 3}, at::kByte),
                   .aerial = at::empty({n, side, side, 3}, at::kByte),
                   .classes = at::empty({n, side, side}, at::kByte)};
  auto* map = scenes.map.data_ptr<std::uint8_t>();
  auto* aerial = scenes.aerial.data_ptr<std::uint8_t>();
  auto* classes = scenes.classes.data_ptr<std::uint8_t>();
  parallel_items(n, at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    Random random = whole.split("scene", i);
    const MapGround place(side, random);
    const AerialView seen(place, side, random);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const auto at = (i * side + y) * side + x;
        const auto ground = place.at(x, y);
        const auto colour = seen.at(x, y);
        classes[at] = ground;
        for (std::size_t c = 0; c < 3; ++c) {
          map[3 * at + static_cast<std::int64_t>(c)] = map_colours[ground][c];
          aerial[3 * at + static_cast<std::int64_t>(c)] =
              static_cast<std::uint8_t>(std::lround(colour[c]));
        }
      }
  });
  return scenes;
}

}  // namespace reprise::datasets
