#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "datasets/generators/map_scenes.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

// The map is exact: each pixel has its class's colour, and no colour is within 16 of two classes.
TEST(MapScenes, TheMapIsItsClassesColours) {
  const auto scenes = draw_map_scenes(20, 32, 1);
  const auto colours = map_palette();
  EXPECT_TRUE(at::equal(
      scenes.map,
      colours.index_select(0, scenes.classes.flatten().to(at::kLong)).view({20, 32, 32, 3})));
  const auto wide = colours.to(at::kLong);
  const auto apart =
      (wide.unsqueeze(0) - wide.unsqueeze(1)).abs().amax(2) + 1000 * at::eye(5, at::kLong);
  EXPECT_GT(apart.min().item<std::int64_t>(), 32);
}

// Every class occurs, land is about half of all, and each class has a share that a method can get
// wrong.
TEST(MapScenes, ClassesHaveTheirShares) {
  for (const int side : {32, 64}) {
    const auto shares =
        at::bincount(draw_map_scenes(400, side, 2).classes.flatten().to(at::kLong), {}, 5)
            .to(at::kDouble) /
        (400.0 * side * side);
    EXPECT_NEAR(shares[0].item<double>(), 0.5, 0.12) << side;
    for (int k = 1; k < 5; ++k)
      EXPECT_GT(shares[k].item<double>(), 0.03)
          << side << ' ' << map_classes[static_cast<std::size_t>(k)];
  }
}

// The task can be done: seen from the air, what a pixel is can be told by its colour far more often
// than by calling all of it land.
TEST(MapScenes, TheAirTellsTheMap) {
  const auto scenes = draw_map_scenes(60, 32, 3);
  const auto pixels = scenes.aerial.view({-1, 3}).to(at::kFloat),
             classes = scenes.classes.flatten().to(at::kLong);
  auto means = at::empty({5, 3});
  for (std::int64_t k = 0; k < 5; ++k) means[k] = pixels.index({classes == k}).mean(0);
  const auto told =
      (at::cdist(pixels, means).argmin(1) == classes).to(at::kFloat).mean().item<double>();
  EXPECT_GT(told, 0.7);
  EXPECT_LT(told, 0.99);
}

/// Of rows one below the other that both have pixels of a class, the fraction whose first such
/// pixels are in one column.
double straight_edges(const at::Tensor& classes, int k) {
  const auto of_class = (classes == k).to(at::kLong);
  const auto first = of_class.argmax(2);
  const auto has = of_class.any(2), both = has.slice(1, 1).logical_and(has.slice(1, 0, -1));
  return (first.slice(1, 1) == first.slice(1, 0, -1))
      .index({both})
      .to(at::kFloat)
      .mean()
      .item<double>();
}

// Without pairs nothing but shapes says which colour of the map is a park's and which is water's.
TEST(MapScenes, ParksHaveCornersAndWaterHasNone) {
  const auto classes = draw_map_scenes(400, 64, 4).classes;
  EXPECT_GT(straight_edges(classes, 1), 0.8);
  EXPECT_LT(straight_edges(classes, 2), 0.7);
}

TEST(MapScenes, WrongUseIsNamed) {
  EXPECT_THAT([] { draw_map_scenes(-1, 32, 0); }, ThrowsUsageError(HasSubstr("-1 scenes")));
  EXPECT_THAT([] { draw_map_scenes(1, 8, 0); },
              ThrowsUsageError(HasSubstr("8 pixels"), HasSubstr("16 to 1024")));
  EXPECT_EQ(draw_map_scenes(0, 32, 0).map.size(0), 0);
}

}  // namespace
}  // namespace reprise::datasets
