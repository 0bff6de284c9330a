#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "datasets/formats/images.h"
#include "datasets/generators/shape_motion.h"
#include "metrics/shape_clips.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

metrics::ShapeTracks tracks_of(const ShapeMotion& set) {
  return metrics::track_shapes(to_values(set.clips.colour).permute({0, 1, 4, 2, 3}));
}

// The label is the way: along it a clip goes from edge to edge, and across it ends where it began.
TEST(ShapeMotion, ClipsCrossThePictureTheWayTheirLabelSays) {
  const auto set = generate_shape_motion(40, {.frames = 9, .size = 32}, 3);
  for (std::int64_t i = 0; i < 40; ++i) {
    const auto way = set.clips.labels[i].item<std::int64_t>();
    const auto whole = set.path[i][8] - set.path[i][0];
    EXPECT_NEAR(whole[way].item<double>(), 32 - 1.5 - 2 * set.half[i].item<double>(), 1e-9);
    EXPECT_NEAR(whole[1 - way].item<double>(), 0, 1e-9);
  }
  EXPECT_EQ(set.clips.labels.sum().item<int>(), 20);
  EXPECT_EQ(set.clips.classes, (std::vector<std::string>{"right", "down"}));
}

TEST(ShapeMotion, ShapesStayWholeInThePicture) {
  const auto set = generate_shape_motion(100, {.size = 32}, 5);
  const auto h = set.half.reshape({100, 1, 1});
  EXPECT_TRUE((set.path >= h - 1e-9).all().item<bool>());
  EXPECT_TRUE((set.path <= 32 - h + 1e-9).all().item<bool>());
  const auto area = set.mask().sum({2, 3}).to(at::kDouble);
  const auto wanted =
      at::where(set.square, 4 * set.half.square(), 3.14159 * set.half.square()).unsqueeze(1);
  EXPECT_LT(((area - wanted) / wanted).abs().max().item<double>(), 0.05);
}

TEST(ShapeMotion, ScaleMakesShapesLargerAndNothingElse) {
  const auto one = generate_shape_motion(20, {.size = 32}, 5),
             two = generate_shape_motion(20, {.size = 32, .scale = 2}, 5);
  EXPECT_TRUE(two.half.allclose(2 * one.half));
  EXPECT_TRUE(two.shape_colour.equal(one.shape_colour));
  EXPECT_TRUE(two.clips.labels.equal(one.clips.labels));
}

// The truth that is given is what is painted: centre, colour and mask.
TEST(ShapeMotion, PathColourAndMaskAreThoseOfThePixels) {
  const auto set = generate_shape_motion(60, {.size = 32}, 7);
  const auto seen = tracks_of(set);
  EXPECT_LT(metrics::path_error(seen.centre, set.path), 0.06);
  EXPECT_LT((seen.centre - set.path).abs().max().item<double>(), 0.3);
  const auto painted =
      set.mask().unsqueeze(4) * set.shape_colour.to(at::kFloat).reshape({60, 1, 1, 1, 3});
  EXPECT_LE((painted - set.clips.colour.to(at::kFloat)).abs().max().item<float>(), 0.501F);
  EXPECT_GE(set.shape_colour.amax(1).min().item<int>(), 64);
}

// One shape in one colour: the released strips have an ACD of exactly 0, and so have these.
TEST(ShapeMotion, WithHardEdgesEveryPixelIsGroundOrShapeAndAcdIsZero) {
  const auto set = generate_shape_motion(20, {.hard_edges = true}, 9);
  const auto pixels = set.clips.colour;
  const auto ground = pixels.eq(0).all(4),
             shape = pixels.eq(set.shape_colour.reshape({20, 1, 1, 1, 3})).all(4);
  EXPECT_TRUE((ground | shape).all().item<bool>());
  EXPECT_LT(metrics::average_content_distance(tracks_of(set)), 1e-4);
  const auto area = shape.sum({2, 3});
  EXPECT_TRUE((area == area.slice(1, 0, 1)).all().item<bool>());
}

// Figures of the released strips, 300 of them measured: 2.07 pixels per frame over 32 frames,
// sideways by 14 in the median.
TEST(ShapeMotion, MovesAsTheReleasedStripsDoSlow) {
  const auto set = generate_shape_motion(200, {.frames = 32, .hard_edges = true}, 11);
  const auto scores = metrics::shape_motion_scores(tracks_of(set));
  EXPECT_NEAR(scores.step, 2.07, 0.06);
  EXPECT_EQ(scores.still, 0);
  EXPECT_EQ(scores.empty, 0);
  const auto range = set.path.amax(1) - set.path.amin(1);
  const auto across = range.gather(1, (1 - set.clips.labels).unsqueeze(1));
  EXPECT_NEAR(across.median().item<double>(), 14, 1.5);
  EXPECT_NEAR(set.square.to(at::kDouble).mean().item<double>(), 0.5, 0.08);
}

TEST(ShapeMotion, TheCurveIsTheSameAtAnotherSizeAndLength) {
  const auto small = generate_shape_motion(9, {.frames = 3, .size = 16}, 7),
             large = generate_shape_motion(9, {.frames = 5, .size = 64}, 7);
  EXPECT_EQ(small.clips.person, small.clips.item);
  EXPECT_TRUE(at::allclose(large.path.slice(1, 0, 5, 2), 4 * small.path));
}

TEST(ShapeMotion, AnyNumberOfClipsAndFrames) {
  EXPECT_EQ(generate_shape_motion(0, {}, 1).clips.colour.sizes(),
            (std::vector<std::int64_t>{0, 16, 64, 64, 3}));
  EXPECT_EQ(generate_shape_motion(2, {.frames = 1, .size = 8}, 1).path.sizes(),
            (std::vector<std::int64_t>{2, 1, 2}));
}

TEST(ShapeMotion, WrongUseIsNamed) {
  EXPECT_THAT([] { generate_shape_motion(-1, {}, 0); }, ThrowsUsageError(HasSubstr("-1 clips")));
  EXPECT_THAT([] { generate_shape_motion(1, {.frames = 0}, 0); },
              ThrowsUsageError(HasSubstr("0 frames")));
  EXPECT_THAT([] { generate_shape_motion(1, {.size = 7}, 0); },
              ThrowsUsageError(HasSubstr("7 pixels"), HasSubstr("8 to 1024")));
  EXPECT_THAT([] { generate_shape_motion(1, {.scale = 4}, 0); },
              ThrowsUsageError(HasSubstr("4 times"), HasSubstr("0.5 to 3")));
}

}  // namespace
}  // namespace reprise::datasets
