#include <torch/torch.h>

#include <cmath>

#include "metrics/shape_clips.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

/// One clip: a square of 2 x 2 pixels of `colour` (0 to 255, a row per frame) with its corner at
/// column, row of `places`.
torch::Tensor clip_of(const std::vector<std::array<double, 3>>& colours,
                      const std::vector<std::array<std::int64_t, 2>>& places) {
  auto clip = torch::full({1, static_cast<std::int64_t>(places.size()), 3, 16, 16}, -1.0);
  for (std::size_t t = 0; t < places.size(); ++t)
    for (std::int64_t c = 0; c < 3; ++c)
      clip[0][static_cast<std::int64_t>(t)][c]
          .slice(0, places[t][1], places[t][1] + 2)
          .slice(1, places[t][0], places[t][0] + 2)
          .fill_(colours[t][static_cast<std::size_t>(c)] / 127.5 - 1);
  return clip;
}

torch::Tensor moving(std::array<double, 3> colour = {0, 204, 51}) {
  return clip_of({colour, colour, colour, colour}, {{0, 3}, {3, 3}, {6, 7}, {9, 11}});
}

TEST(ShapeTracks, FindColourAndCentreToTheLastDigit) {
  const auto tracks = track_shapes(moving());
  EXPECT_TRUE(torch::allclose(
      tracks.colour, torch::tensor({0.0, 204.0, 51.0}, torch::kDouble).expand({1, 4, 3}), 0, 1e-4));
  EXPECT_TRUE(torch::allclose(tracks.centre[0],
                              torch::tensor({{1, 4}, {4, 4}, {7, 8}, {10, 12}}, torch::kDouble), 0,
                              1e-4));
  EXPECT_TRUE(tracks.visible.all().item<bool>());
  EXPECT_EQ(tracks.side, 16);
}

TEST(ShapeTracks, AFrameBelowTheThresholdHasNoShape) {
  const auto tracks =
      track_shapes(clip_of({{33, 0, 0}, {0, 31, 0}, {0, 0, 0}}, {{2, 2}, {2, 2}, {2, 2}}));
  EXPECT_TRUE(tracks.visible.equal(torch::tensor({{true, false, false}})));
  EXPECT_EQ(tracks.colour[0][2].abs().max().item<double>(), 0);
  EXPECT_EQ(tracks.centre[0][2][0].item<double>(), 8);
}

// Pairs of red, red and blue: 0, d, d with d = 100 sqrt(2).
TEST(AverageContentDistance, IsTheMeanOverAllPairsOfFrames) {
  const auto clip = clip_of({{100, 0, 0}, {100, 0, 0}, {0, 0, 100}}, {{1, 1}, {4, 4}, {8, 8}});
  EXPECT_NEAR(average_content_distance(track_shapes(clip)), 2 * 100 * std::sqrt(2.0) / 3, 1e-4);
  EXPECT_NEAR(average_content_distance(track_shapes(clip.flip(1))), 2 * 100 * std::sqrt(2.0) / 3,
              1e-4);
}

TEST(AverageContentDistance, IsZeroForShapesThatKeepTheirColourAndForNothingAtAll) {
  EXPECT_NEAR(average_content_distance(track_shapes(moving())), 0, 1e-4);
  EXPECT_EQ(average_content_distance(track_shapes(torch::full({2, 4, 3, 8, 8}, -1.0))), 0);
}

TEST(ContentDiversity, IsTheMeanColourDistanceBetweenClips) {
  const auto three = torch::cat({moving({100, 0, 0}), moving({100, 0, 0}), moving({100, 60, 80})});
  EXPECT_NEAR(content_diversity(track_shapes(three)), 200.0 / 3, 1e-4);  // 0, 100, 100
  EXPECT_EQ(content_diversity(track_shapes(moving().expand({4, -1, -1, -1, -1}))), 0);
}

// Steps 3, 5, 5; their changes (0, 4) and (0, 0).
TEST(ShapeMotionScores, AreThoseWorkedOutByHand) {
  const auto scores = shape_motion_scores(track_shapes(moving()));
  EXPECT_NEAR(scores.step, 13.0 / 3, 1e-4);
  EXPECT_NEAR(scores.jerk, 2, 1e-4);
  EXPECT_EQ(scores.still, 0);
  EXPECT_EQ(scores.empty, 0);
}

// S / 8 is 2 pixels of 16: a clip that goes to and fro by 3 moves, whatever its net way.
TEST(ShapeMotionScores, StillIsJudgedByTheExtentAndScalesWithThePicture) {
  const std::vector<std::array<double, 3>> white(3, {255, 255, 255});
  EXPECT_EQ(shape_motion_scores(track_shapes(clip_of(white, {{4, 4}, {5, 4}, {4, 4}}))).still, 1);
  EXPECT_EQ(shape_motion_scores(track_shapes(clip_of(white, {{4, 4}, {7, 4}, {4, 4}}))).still, 0);
  const auto small = clip_of(white, {{4, 4}, {7, 4}, {4, 4}});
  EXPECT_EQ(
      shape_motion_scores(track_shapes(torch::constant_pad_nd(small, {0, 16, 0, 16}, -1))).still,
      1);
}

TEST(ShapeMotionScores, FramesWithoutAShapeAreCountedAndHaveNoMotion) {
  const auto gone = shape_motion_scores(track_shapes(clip_of(
      {{255, 0, 0}, {0, 0, 0}, {255, 0, 0}, {255, 0, 0}}, {{0, 0}, {0, 0}, {9, 9}, {9, 12}})));
  EXPECT_NEAR(gone.step, 3, 1e-4);
  EXPECT_EQ(gone.jerk, 0);
  EXPECT_EQ(gone.empty, 0.25);
  const auto black = shape_motion_scores(track_shapes(torch::full({2, 4, 3, 8, 8}, -1.0)));
  EXPECT_EQ(black.step, 0);
  EXPECT_EQ(black.still, 1);
  EXPECT_EQ(black.empty, 1);
}

TEST(PathError, IsTheMeanDistance) {
  const auto path = torch::tensor({{{0.0, 0.0}, {1.0, 1.0}}});
  EXPECT_EQ(path_error(path, path), 0);
  EXPECT_NEAR(path_error(path, path + torch::tensor({3.0, 4.0})), 5, 1e-6);
  EXPECT_THAT([&] { path_error(path, path.slice(1, 1)); },
              ThrowsUsageError(HasSubstr("[1, 2, 2]"), HasSubstr("[1, 1, 2]")));
}

// A clip that stops half-way: its second window has no motion and keeps its colour.
TEST(ScoresByWindow, ShowThatAClipStops) {
  auto clip = torch::cat({moving(), moving().slice(1, 3).expand({-1, 5, -1, -1, -1})}, 1);
  const auto windows = score_windows(track_shapes(clip), 4);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_NEAR(windows[0].motion.step, 13.0 / 3, 1e-4);
  EXPECT_EQ(windows[1].motion.step, 0);
  EXPECT_EQ(windows[1].first, 4);
  EXPECT_EQ(windows[1].average_content_distance, 0);
}

TEST(ShapeClips, RefuseWhatTheyCannotScore) {
  EXPECT_THAT(
      [] {
        track_shapes(torch::zeros({2, 4, 1, 8, 8}));
      },
      ThrowsUsageError(HasSubstr("[2, 4, 1, 8, 8]")));
  EXPECT_THAT(
      [] {
        track_shapes(torch::zeros({0, 4, 3, 8, 8}));
      },
      ThrowsUsageError(HasSubstr("[0, 4, 3, 8, 8]")));
  auto bytes = torch::zeros({3, 4, 3, 8, 8});
  bytes[2][1][0][0][0] = 255;
  EXPECT_THAT([&] { track_shapes(bytes); },
              ThrowsUsageError(HasSubstr("clip 2"), HasSubstr("[-1, 1]")));
  bytes[2][1][0][0][0] = std::nan("");
  EXPECT_THAT([&] { track_shapes(bytes); }, ThrowsUsageError(HasSubstr("clip 2")));
  const auto one = track_shapes(torch::zeros({1, 1, 3, 8, 8}));
  EXPECT_THAT([&] { average_content_distance(one); }, ThrowsUsageError(HasSubstr("1 frames")));
  EXPECT_THAT([&] { content_diversity(one); }, ThrowsUsageError(HasSubstr("there is one")));
  EXPECT_THAT([&] { shape_motion_scores(one); }, ThrowsUsageError(HasSubstr("3 or more")));
  EXPECT_THAT([&] { score_windows(one, 4); }, ThrowsUsageError(HasSubstr("4 or more")));
  EXPECT_THAT([&] { score_windows(one, 2); }, ThrowsUsageError(HasSubstr("2 frames")));
  EXPECT_THAT([&] { cut_window(one, 0, 2); }, ThrowsUsageError(HasSubstr("frames 0 to 1")));
}

}  // namespace
}  // namespace reprise::metrics
