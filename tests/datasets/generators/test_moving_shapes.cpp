#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "datasets/generators/moving_shapes.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

/// Centre of what is brighter than the ground, [T, 2]: x, y.
at::Tensor centres(const at::Tensor& clip) {
  const auto bright = clip.to(at::kDouble).amax(3);
  const auto weight = bright - bright.amin();
  const auto total = weight.sum({1, 2});
  const auto places = at::arange(clip.size(1), at::kDouble);
  return at::stack(
      {(weight.sum(1) * places).sum(1) / total, (weight.sum(2) * places).sum(1) / total}, 1);
}

// The label is the way of the motion: all of it along one axis, none along the other.
TEST(MovingShapes, ShapesMoveTheWayTheirLabelSays) {
  const auto set = generate_moving_shapes(40, 16, 48, 3);
  for (std::int64_t i = 0; i < 40; ++i) {
    const auto path = centres(set.colour[i]);
    const auto spread = (std::get<0>(path.max(0)) - std::get<0>(path.min(0)));
    const auto label = set.labels[i].item<std::int64_t>();
    EXPECT_GT(spread[label].item<double>(), 6) << i;
    EXPECT_LT(spread[1 - label].item<double>(), 0.1) << i;
  }
}

// Whole in every frame: a shape that leaves the picture would change its size.
TEST(MovingShapes, ShapesStayInThePicture) {
  const auto clips = generate_moving_shapes(60, 12, 64, 5).colour.to(at::kInt);
  const auto ground = clips.amin({1, 2, 3, 4});
  EXPECT_LE(ground.max().item<int>(), 24);
  for (const auto& side :
       {clips.select(2, 0), clips.select(2, 63), clips.select(3, 0), clips.select(3, 63)})
    EXPECT_TRUE((side == ground.reshape({60, 1, 1, 1})).all().item<bool>());
  const auto area = (clips.amax(4) > 100).sum({2, 3}).to(at::kDouble);
  EXPECT_GT(std::get<0>((area / area.mean(1, true)).min(1)).min().item<double>(), 0.75);
}

TEST(MovingShapes, HalfOfTheClipsAreOfEachClassAndEachHasAPersonOfItsOwn) {
  const auto clips = generate_moving_shapes(14, 3, 16, 7);
  EXPECT_EQ(clips.labels.sum().item<int>(), 7);
  EXPECT_EQ(clips.person, clips.item);
}

TEST(MovingShapes, WrongUseIsNamed) {
  EXPECT_THAT([] { generate_moving_shapes(-1, 4, 32, 0); },
              ThrowsUsageError(HasSubstr("-1 clips")));
  EXPECT_THAT([] { generate_moving_shapes(1, 0, 32, 0); }, ThrowsUsageError(HasSubstr("0 frames")));
  EXPECT_THAT([] { generate_moving_shapes(1, 4, 7, 0); },
              ThrowsUsageError(HasSubstr("7 pixels"), HasSubstr("8 to 1024")));
}

}  // namespace
}  // namespace reprise::datasets
