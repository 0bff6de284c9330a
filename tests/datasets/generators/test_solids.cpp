#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <set>

#include "datasets/generators/solids.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

SolidScene scene_of(SolidShape shape, const PlacedSolid& placed,
                    SolidColour colour = SolidColour::Red) {
  return {.shape = shape, .colour = colour, .count = 1, .placed = {placed, {}}};
}

/// Where anything but white is.
at::Tensor covered(const at::Tensor& image) { return (image.to(at::kInt) < 250).any(2); }

/// Of a point of the world: u and v, in pixels, by the formula of the header.
std::pair<double, double> projected(const at::Tensor& pose, double x, double y, double z,
                                    int size) {
  const auto from_camera = at::tensor({x, y, z}, at::kDouble) - pose.select(1, 3);
  const auto in_camera = pose.narrow(1, 0, 3).t().mv(from_camera);
  const double depth = in_camera[2].item<double>(), middle = (size - 1) / 2.0;
  return {middle + solid_focal(size) * in_camera[0].item<double>() / depth,
          middle + solid_focal(size) * in_camera[1].item<double>() / depth};
}

constexpr int az[] = {0, 40, 135, 250, 315}, el[] = {0, 10, 35, 50, 80};

// The special values of the formula: from the x axis the y axis points to the right, and z points
// up.
TEST(Solids, ThePoseIsARotationThatLooksAtTheOrigin) {
  const auto front =
      at::tensor({0.0, 0.0, -1.0, 4.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0}, at::kDouble)
          .reshape({3, 4});
  EXPECT_TRUE(at::allclose(solid_pose(0, 0), front));
  for (const int azimuth : az)
    for (const int elevation : el) {
      const auto pose = solid_pose(azimuth, elevation), axes = pose.narrow(1, 0, 3);
      EXPECT_TRUE(at::allclose(axes.t().mm(axes), at::eye(3, at::kDouble)));
      EXPECT_TRUE(
          at::allclose(at::cross(axes.select(1, 0), axes.select(1, 1), 0), axes.select(1, 2)));
      EXPECT_TRUE(at::allclose(pose.select(1, 3), -solid_distance * axes.select(1, 2)));
      EXPECT_GE(pose[2][3].item<double>(), 0);
    }
}

// What a picture shows lies where the pose says: a model that trusts it learns no shifted or
// mirrored world.
TEST(Solids, ASmallBallIsSeenWhereThePoseProjectsIt) {
  constexpr int size = 96;
  for (const int azimuth : az)
    for (const int elevation : el)
      for (const auto& [x, y] : {std::pair{0.0, 0.0}, {0.8, 0.0}, {0.3, -0.6}}) {
        const auto seen =
            covered(render_solid(scene_of(SolidShape::Ball, {.size = 0.1, .x = x, .y = y}), azimuth,
                                 elevation, size))
                .nonzero();
        ASSERT_GT(seen.size(0), 10);
        const auto centre = seen.to(at::kDouble).mean(0);
        const auto [u, v] = projected(solid_pose(azimuth, elevation), x, y, 0, size);
        EXPECT_NEAR(centre[1].item<double>(), u, 0.35) << azimuth << " " << elevation;
        EXPECT_NEAR(centre[0].item<double>(), v, 0.35) << azimuth << " " << elevation;
      }
}

// Light is fixed to the world: a point of the ball keeps its colour while the camera goes round it,
// and its dark side is dark.
TEST(Solids, APointHasTheSameColourFromWhereverItIsSeen) {
  constexpr int size = 128;
  const auto ball = scene_of(SolidShape::Ball, {.size = 0.6});
  const auto colour_at = [&](double x, double y, double z, double azimuth, double elevation) {
    const auto [u, v] = projected(solid_pose(azimuth, elevation), x, y, z, size);
    return render_solid(ball, azimuth, elevation, size)[std::lround(v)][std::lround(u)].to(
        at::kFloat);
  };
  const double c = 0.6 * std::cos(0.7), s = 0.6 * std::sin(0.7);  // a point at elevation 40 degrees
  for (const double turn : {0.0, 90.0, 200.0}) {
    const double x = c * std::cos(turn * 0.0174533), y = c * std::sin(turn * 0.0174533);
    const auto straight = colour_at(x, y, s, turn, 40);
    for (const double aside : {-40.0, 40.0})
      EXPECT_LT((colour_at(x, y, s, turn + aside, 30) - straight).abs().max().item<double>(), 6);
  }
  const auto bright = colour_at(0.5, 0.33, 0, 33.4, 0), dark = colour_at(-0.5, -0.33, 0, 213.4, 0);
  EXPECT_GT(bright[0].item<double>(), dark[0].item<double>() + 50);
}

// A ball looks alike from all sides in outline; a cube does not; each shape has an outline of its
// own.
TEST(Solids, ShapesDifferInOutline) {
  const auto outline = [](SolidShape shape, double azimuth, double elevation = 10) {
    return covered(render_solid(scene_of(shape, {.size = 0.5}), azimuth, elevation, 64));
  };
  const auto differ = [](const at::Tensor& a, const at::Tensor& b) {
    return (a ^ b).sum().item<int>();
  };
  EXPECT_LT(differ(outline(SolidShape::Ball, 0), outline(SolidShape::Ball, 45, 50)), 30);
  EXPECT_GT(differ(outline(SolidShape::Cube, 0), outline(SolidShape::Cube, 45)), 100);
  const SolidShape all[] = {SolidShape::Cube, SolidShape::Ball, SolidShape::Cone,
                            SolidShape::Cylinder, SolidShape::Ring};
  for (const auto one : all)
    for (const auto other : all) {
      if (one != other)
        EXPECT_GT(differ(outline(one, 20), outline(other, 20)), 80)
            << static_cast<int>(one) << static_cast<int>(other);
    }
  // From above the hole of the ring is white, as its surroundings are.
  const auto ring = outline(SolidShape::Ring, 0, 90);
  EXPECT_FALSE(ring[32][32].item<bool>());
  EXPECT_TRUE(ring[32].any().item<bool>());
}

// A mesh with a hole or a triangle turned inwards would show white inside its outline, or what is
// behind.
TEST(Solids, MeshesAreClosedAndSeenFromOutside) {
  for (const auto shape :
       {SolidShape::Cube, SolidShape::Ball, SolidShape::Cone, SolidShape::Cylinder})
    for (const int azimuth : {0, 77, 200})
      for (const int elevation : {-90, -30, 0, 40, 90}) {
        const auto seen = covered(
            render_solid(scene_of(shape, {.size = 0.5, .turn = 20}), azimuth, elevation, 64));
        EXPECT_GT(seen.sum().item<int>(), 300);
        // Convex: in no row or column white lies between what is covered.
        for (const auto& mask : {seen, seen.t()}) {
          const auto steps = mask.slice(1, 1).to(at::kInt) - mask.slice(1, 0, -1).to(at::kInt);
          EXPECT_LE((steps == 1).sum(1).max().item<int>(), 1)
              << static_cast<int>(shape) << " " << azimuth << " " << elevation;
        }
      }
}

TEST(Solids, EveryCombinationHasItsOwnTextAndTokens) {
  std::set<std::string> texts;
  std::set<std::vector<std::int64_t>> tokens;
  for (const auto& scene : solid_combinations()) {
    texts.insert(describe_scene(scene));
    const auto numbers = solid_tokens(describe_scene(scene));
    tokens.insert(
        {numbers.data_ptr<std::int64_t>(), numbers.data_ptr<std::int64_t>() + solid_text_length});
    EXPECT_EQ(numbers[3].item<int>(), 0);
  }
  EXPECT_EQ(solid_combinations().size(), 60U);
  EXPECT_EQ(texts.size(), 60U);
  EXPECT_EQ(tokens.size(), 60U);
  EXPECT_TRUE(texts.contains("a red cube") && texts.contains("two blue balls"));
  EXPECT_TRUE(at::equal(solid_tokens(""), at::zeros({solid_text_length}, at::kLong)));
  EXPECT_EQ(
      solid_words()[static_cast<std::size_t>(solid_tokens("red ball")[1].item<std::int64_t>())],
      "ball");
}

// The label of a view is what is in it: its colour, its number of pieces, and the pose beside it.
TEST(SolidViews, ViewsShowWhatTheirNumbersSay) {
  std::vector<std::int64_t> all(60);
  for (std::size_t i = 0; i < 60; ++i) all[i] = static_cast<std::int64_t>(i);
  const auto set = render_solid_views(120, 64, 5, all);
  EXPECT_TRUE(at::equal(std::get<0>(set.combination.reshape({2, 60}).sort(1)),
                        at::arange(60).expand({2, 60})));
  EXPECT_FALSE(at::equal(set.combination.narrow(0, 0, 60), set.combination.narrow(0, 60, 60)));
  EXPECT_GE(set.elevation.min().item<double>(), 10);
  EXPECT_LT(set.elevation.max().item<double>(), 50);
  EXPECT_GT(set.azimuth.max().item<double>(), 300);
  for (std::int64_t i = 0; i < 120; ++i) {
    const auto& scene =
        solid_combinations()[static_cast<std::size_t>(set.combination[i].item<std::int64_t>())];
    EXPECT_TRUE(at::equal(set.tokens[i], solid_tokens(describe_scene(scene))));
    const auto mask = covered(set.images[i]);
    const int area = mask.sum().item<int>();
    EXPECT_GT(area, 120) << describe_scene(scene);
    EXPECT_FALSE(mask[0].any().item<bool>() || mask[63].any().item<bool>() ||
                 mask.select(1, 0).any().item<bool>() || mask.select(1, 63).any().item<bool>())
        << describe_scene(scene);
    const auto rgb = set.images[i].index({mask}).to(at::kFloat).mean(0);
    const auto reds = rgb[0].item<double>(), greens = rgb[1].item<double>(),
               blues = rgb[2].item<double>();
    if (scene.colour == SolidColour::Red) EXPECT_GT(reds, 1.5 * std::max(greens, blues));
    if (scene.colour == SolidColour::Green) EXPECT_GT(greens, 1.5 * std::max(reds, blues));
    if (scene.colour == SolidColour::Blue) EXPECT_GT(blues, 1.5 * std::max(reds, greens));
  }
}

// What is left out stays out: a text and view that no training picture shows.
TEST(SolidViews, OnlyTheCombinationsAskedForAreDrawn) {
  const auto set = render_solid_views(50, 16, 1, {7, 31, 2});
  EXPECT_TRUE(((set.combination == 7) | (set.combination == 31) | (set.combination == 2))
                  .all()
                  .item<bool>());
}

// A far solid that a near one hides makes "two" untrue: two pieces, or one of the width of two.
TEST(SolidViews, NeitherOfTwoSolidsHidesTheOther) {
  const auto set = render_solid_views(60, 64, 3, {30 + 1 * 6});  // two red balls
  ASSERT_EQ(describe_scene(solid_combinations()[36]), "two red balls");
  for (std::int64_t i = 0; i < 60; ++i) {
    const auto area = covered(set.images[i]).sum().item<double>();
    const double least = 2 * 3.1416 * std::pow(0.22 * solid_focal(64) / (solid_distance + 0.5), 2);
    EXPECT_GT(area, 0.85 * least) << i;
  }
}

TEST(Solids, WrongUseIsNamed) {
  EXPECT_THAT([] { render_solid({.count = 3}, 0, 0, 32); },
              ThrowsUsageError(HasSubstr("3 solids")));
  EXPECT_THAT([] { render_solid(scene_of(SolidShape::Ball, {.size = 0.6, .x = 0.5}), 0, 0, 32); },
              ThrowsUsageError(HasSubstr("0.6 at (0.5, 0)")));
  EXPECT_THAT([] { render_solid({}, 0, 91, 32); }, ThrowsUsageError(HasSubstr("91 degrees")));
  EXPECT_THAT([] { render_solid({}, 0, 0, 7); },
              ThrowsUsageError(HasSubstr("7 pixels"), HasSubstr("8 to 1024")));
  EXPECT_THAT([] { solid_tokens("a red cubo"); },
              ThrowsUsageError(HasSubstr("'cubo'"), HasSubstr("'cube'")));
  EXPECT_THAT([] { solid_tokens("a a a a a"); }, ThrowsUsageError(HasSubstr("more than 4 words")));
  EXPECT_THAT([] { render_solid_views(-1, 32, 0, {0}); }, ThrowsUsageError(HasSubstr("-1 views")));
  EXPECT_THAT([] { render_solid_views(1, 32, 0, {60}); },
              ThrowsUsageError(HasSubstr("no combination 60"), HasSubstr("0 to 59")));
  EXPECT_THAT([] { render_solid_views(1, 32, 0, {}); },
              ThrowsUsageError(HasSubstr("no combination")));
}

}  // namespace
}  // namespace reprise::datasets
