#include "datasets/generators/solids.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/text.h"
#include "datasets/generators/solid_mesh.h"
#include "datasets/scene/renderer.h"
#include "datasets/scene/tubes.h"

namespace reprise::datasets {
namespace {

constexpr double degree = std::numbers::pi / 180;
// The cube's corners are farthest from the centre, at 0.8 sqrt(3) = 1.39 sizes.
constexpr double reach = 1.4;  // radius of the ball around any solid, in its sizes

struct ShapeName {
  const char* one;
  const char* two;
};
constexpr std::array<ShapeName, 5> shape_names{{{"cube", "cubes"},
                                                {"ball", "balls"},
                                                {"cone", "cones"},
                                                {"cylinder", "cylinders"},
                                                {"ring", "rings"}}};

struct NamedColour {
  const char* name;
  Colour rgb;
};
// 8-bit red, green and blue.
constexpr std::array<NamedColour, 6> colours{{{"red", {214, 40, 38}},
                                              {"green", {44, 156, 54}},
                                              {"blue", {40, 76, 208}},
                                              {"yellow", {238, 204, 36}},
                                              {"purple", {142, 52, 170}},
                                              {"cyan", {44, 188, 200}}}};

/// Axes of the camera in the world frame.
struct Axes {
  std::array<double, 3> right;
  std::array<double, 3> down;
  std::array<double, 3> forward;
};

Axes camera_axes(double azimuth, double elevation) {
  const double a = azimuth * degree;
  const double e = elevation * degree;
  // Right, down and forward as in the header; forward points from the camera to the origin.
  const double ca = std::cos(a);
  const double sa = std::sin(a);
  const double ce = std::cos(e);
  const double se = std::sin(e);
  return {{-sa, ca, 0}, {se * ca, se * sa, -ce}, {-ce * ca, -ce * sa, -se}};
}

/// World to camera.
class SolidView {
 public:
  explicit SolidView(const Axes& axes)
      : right_(point(axes.right)), down_(point(axes.down)), forward_(point(axes.forward)) {}
  Point direction(const Point& p) const {
    return {dot(p, right_), dot(p, down_), dot(p, forward_)};
  }
  Point place(const Point& p) const {
    return direction(p) + Point{0, 0, static_cast<float>(solid_distance)};
  }

 private:
  static Point point(const std::array<double, 3>& p) {
    return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
  }
  Point right_;
  Point down_;
  Point forward_;
};

void require_scene(const SolidScene& scene, double elevation) {
  if (scene.count != 1 && scene.count != 2)
    throw UsageError(fmt::format("a scene of {} solids", scene.count), "give it 1 or 2");
  if (!(std::abs(elevation) <= 90))
    throw UsageError(fmt::format("an elevation of {} degrees", elevation), "choose -90 to 90");
  for (int i = 0; i < scene.count; ++i) {
    const auto& solid = scene.placed[static_cast<std::size_t>(i)];
    // The tolerance allows a solid that touches the ball, in spite of rounding.
    if (!(solid.size > 0 && std::hypot(solid.x, solid.y) + reach * solid.size <= 1 + 1e-6 &&
          std::isfinite(solid.turn)))
      throw UsageError(
          fmt::format("a solid of size {} at ({}, {}) reaches out of the ball of radius 1",
                      solid.size, solid.x, solid.y),
          "keep its distance from the origin plus 1.4 sizes within 1");
  }
}

void require_size(int size) {
  if (size < 8 || size > 1024)
    throw UsageError(fmt::format("solids of {} pixels cannot be drawn", size),
                     "choose a size from 8 to 1024");
}

/// Draws scenes of a size; not to be shared between threads.
class Studio {
 public:
  explicit Studio(int size)
      : renderer_(std::clamp(size, 8, 1024), std::clamp(size, 8, 1024)),
        camera_{solid_focal(size), (size - 1) / 2.0, (size - 1) / 2.0} {
    require_size(size);
    white_.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(size) * 3, 255);
  }

  void draw(const SolidScene& scene, double azimuth, double elevation, std::uint8_t* image) {
    require_scene(scene, elevation);
    const SolidView view(camera_axes(azimuth, elevation));
    // The light is fixed in the world; the renderer expects its direction in the camera's frame.
    const Point lit = view.direction(unit({0.45F, 0.3F, 0.84F}));
    const Light light{.direction = {lit.x, lit.y, lit.z},
                      .ambient = 0.55F,
                      .diffuse = 0.45F,
                      .specular = 0,
                      .wrap = 0.25F,
                      .tint = {1, 1, 1}};
    renderer_.clear();
    for (int i = 0; i < scene.count; ++i) {
      place(scene, scene.placed[static_cast<std::size_t>(i)], view);
      renderer_.draw(mesh_, camera_, light);
    }
    renderer_.resolve(white_.data(), image);
  }

 private:
  void place(const SolidScene& scene, const PlacedSolid& solid, const SolidView& view) {
    const auto& shape = solid_mesh(scene.shape);
    const auto& rgb = colours[static_cast<std::size_t>(scene.colour)].rgb;
    const auto size = static_cast<float>(solid.size);
    const auto x = static_cast<float>(solid.x);
    const auto y = static_cast<float>(solid.y);
    const auto c = static_cast<float>(std::cos(solid.turn * degree));
    const auto s = static_cast<float>(std::sin(solid.turn * degree));
    const auto turned = [&](const Point& p) {
      return Point{c * p.x - s * p.y, s * p.x + c * p.y, p.z};
    };
    // The mesh keeps its memory between pictures; only vertices are written.
    mesh_.resize(shape.at.size());
    mesh_.triangles = shape.triangles;
    for (std::size_t i = 0; i < shape.at.size(); ++i) {
      const Point p = view.place(turned(shape.at[i]) * size + Point{x, y, 0});
      const Point n = view.direction(turned(shape.normal[i]));
      mesh_.x[i] = p.x;
      mesh_.y[i] = p.y;
      mesh_.z[i] = p.z;
      mesh_.nx[i] = n.x;
      mesh_.ny[i] = n.y;
      mesh_.nz[i] = n.z;
      mesh_.r[i] = rgb[0];
      mesh_.g[i] = rgb[1];
      mesh_.b[i] = rgb[2];
      mesh_.shine[i] = 0;
    }
  }

  Renderer renderer_;
  Camera camera_;
  Mesh mesh_;
  std::vector<std::uint8_t> white_;
};

struct ViewDraw {
  SolidScene scene;
  double azimuth;
  double elevation;
};

ViewDraw draw_view(SolidScene scene, Random random) {
  // The order of the draws below is fixed: another order would change every picture of a seed.
  const double azimuth = random.uniform(0, 360);
  const double elevation = random.uniform(10, 50);
  // For two solids: direction of the line between them, and their distance from the middle. The
  // line deviates from a right angle to the line of sight by at most 50 degrees, so that neither
  // hides the other.
  const double across = random.chance(0.5) ? 90 : -90;
  const double line = (azimuth + across + random.uniform(-50, 50)) * degree;
  const double apart = random.uniform(0.48, 0.55);
  for (int i = 0; i < scene.count; ++i) {
    // Two solids must both fit into the ball of radius 1, so each is about half as large.
    const double size = scene.count == 1 ? random.uniform(0.45, 0.6) : random.uniform(0.22, 0.31);
    const double turn = random.uniform(0, 360);
    const double side = i == 0 ? apart : -apart;
    scene.placed[static_cast<std::size_t>(i)] =
        scene.count == 1
            ? PlacedSolid{size, random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), turn}
            : PlacedSolid{size, side * std::cos(line), side * std::sin(line), turn};
  }
  return {.scene = scene, .azimuth = azimuth, .elevation = elevation};
}

}  // namespace

const std::vector<SolidScene>& solid_combinations() {
  static const auto all = [] {
    std::vector<SolidScene> list;
    for (const int count : {1, 2})
      for (std::size_t shape = 0; shape < shape_names.size(); ++shape)
        for (std::size_t colour = 0; colour < colours.size(); ++colour)
          list.push_back({static_cast<SolidShape>(shape),
                          static_cast<SolidColour>(colour),
                          count,
                          {count == 1 ? PlacedSolid{} : PlacedSolid{0.28, 0.5, 0, 0},
                           PlacedSolid{0.28, -0.5, 0, 0}}});
    return list;
  }();
  return all;
}

std::string describe_scene(const SolidScene& scene) {
  const auto& shape = shape_names[static_cast<std::size_t>(scene.shape)];
  const auto* colour = colours[static_cast<std::size_t>(scene.colour)].name;
  if (scene.count == 1) return fmt::format("a {} {}", colour, shape.one);
  return fmt::format("two {} {}", colour, shape.two);
}

const std::vector<std::string>& solid_words() {
  static const auto words = [] {
    std::vector<std::string> list{"", "a", "two"};
    for (const auto& colour : colours) list.emplace_back(colour.name);
    for (const auto& shape : shape_names) {
      list.emplace_back(shape.one);
      list.emplace_back(shape.two);
    }
    return list;
  }();
  return words;
}

at::Tensor solid_tokens(const std::string& text) {
  const auto& words = solid_words();
  auto tokens = at::zeros({solid_text_length}, at::kLong);
  std::istringstream stream(text);
  std::int64_t count = 0;
  for (std::string word; stream >> word; ++count) {
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) {
      const auto near = find_nearest(word, words);
      throw UsageError(fmt::format("no text of solids has the word '{}'{}", word,
                                   near.empty() ? "" : "; did you mean '" + near + "'?"),
                       "use these words: " + join({words.begin() + 1, words.end()}, ", "));
    }
    if (count == solid_text_length)
      throw UsageError(fmt::format("'{}' has more than {} words", text, solid_text_length),
                       "write it as 'two red cubes'");
    tokens[count] = static_cast<std::int64_t>(found - words.begin());
  }
  return tokens;
}

at::Tensor solid_pose(double azimuth, double elevation) {
  const auto axes = camera_axes(azimuth, elevation);
  auto pose = at::empty({3, 4}, at::kDouble);
  for (std::int64_t row = 0; row < 3; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const std::array<double, 4> values{axes.right[i], axes.down[i], axes.forward[i],
                                       -solid_distance * axes.forward[i]};
    std::ranges::copy(values, pose[row].data_ptr<double>());
  }
  return pose;
}

at::Tensor render_solid(const SolidScene& scene, double azimuth, double elevation, int size) {
  Studio studio(size);
  auto image = at::empty({size, size, 3}, at::kByte);
  studio.draw(scene, azimuth, elevation, image.data_ptr<std::uint8_t>());
  return image;
}

SolidViews render_solid_views(std::int64_t n, int size, std::uint64_t seed,
                              const std::vector<std::int64_t>& combinations) {
  if (n < 0) throw UsageError(fmt::format("{} views were requested", n), "request 0 or more");
  require_size(size);
  if (combinations.empty())
    throw UsageError("no combination was given to draw", "give at least one number");
  const auto& all = solid_combinations();
  for (const auto number : combinations)
    if (number < 0 || number >= static_cast<std::int64_t>(all.size()))
      throw UsageError(fmt::format("there is no combination {}", number),
                       fmt::format("combinations are numbered from 0 to {}", all.size() - 1));
  const Random whole(seed);
  const auto count = static_cast<std::int64_t>(combinations.size());
  SolidViews set{.images = at::empty({n, size, size, 3}, at::kByte),
                 .tokens = at::empty({n, solid_text_length}, at::kLong),
                 .combination = at::empty({n}, at::kLong),
                 .azimuth = at::empty({n}, at::kDouble),
                 .elevation = at::empty({n}, at::kDouble)};
  // Texts repeat, so each is split into words once.
  std::vector<at::Tensor> tokens;
  tokens.reserve(all.size());
  for (const auto& scene : all) tokens.push_back(solid_tokens(describe_scene(scene)));
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < n; ++i) {
    // Each round of `count` pictures contains every combination once, in random order.
    if (i % count == 0) order = whole.split("combinations", i / count).permutation(count);
    const auto number =
        combinations[static_cast<std::size_t>(order[static_cast<std::size_t>(i % count)])];
    set.combination[i] = number;
    set.tokens[i].copy_(tokens[static_cast<std::size_t>(number)]);
  }
  // Each worker has its own renderer, whose buffers are not shared.
  std::vector<Studio> studios(static_cast<std::size_t>(count_workers(n, at::get_num_threads())),
                              Studio(size));
  auto* pixels = set.images.data_ptr<std::uint8_t>();
  const auto* number = set.combination.data_ptr<std::int64_t>();
  auto* azimuth = set.azimuth.data_ptr<double>();
  auto* elevation = set.elevation.data_ptr<double>();
  // A picture depends on the seed and its number alone, so the number of threads changes nothing.
  parallel_items(n, at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    const auto view = draw_view(all[static_cast<std::size_t>(number[i])], whole.split("view", i));
    azimuth[i] = view.azimuth;
    elevation[i] = view.elevation;
    studios[static_cast<std::size_t>(worker)].draw(view.scene, view.azimuth, view.elevation,
                                                   pixels + i * size * size * 3);
  });
  return set;
}

}  // namespace reprise::datasets
