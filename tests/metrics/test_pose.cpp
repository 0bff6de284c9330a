#include <ATen/ATen.h>

#include <cmath>

#include "metrics/pose.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

TEST(PoseError, IsTheMeanAbsoluteErrorOfEachAxis) {
  const auto truth = at::zeros({2, 2, 3});
  const auto predicted =
      at::tensor({1.0, 2.0, 3.0, -1.0, 2.0, -5.0, 1.0, 2.0, 3.0, -1.0, 2.0, -5.0}).view({2, 2, 3});
  const auto error = pose_error(predicted, truth);
  EXPECT_DOUBLE_EQ(error.axis[0], 1);
  EXPECT_DOUBLE_EQ(error.axis[1], 2);
  EXPECT_DOUBLE_EQ(error.axis[2], 4);
  EXPECT_DOUBLE_EQ(error.mean, 7.0 / 3);
}

TEST(PoseError, GoesTheShortWayRound) {
  EXPECT_DOUBLE_EQ(pose_error(at::full({1, 3}, 179.0), at::full({1, 3}, -179.0)).mean, 2);
}

TEST(PoseJitter, IsZeroForAConstantErrorAndTheDeviationOfItsSteps) {
  const auto truth = at::randn({3, 20, 3});
  EXPECT_NEAR(pose_jitter(truth + 7, truth), 0, 1e-6);
  // An error of 0, 1, 0, 1, ...: steps of +-1 about their mean.
  const auto steps = at::arange(5).remainder(2).to(at::kDouble).view({1, 5, 1}).expand({1, 5, 3});
  EXPECT_NEAR(pose_jitter(steps, at::zeros({1, 5, 3}, at::kDouble)), std::sqrt(4.0 / 3), 1e-12);
}

TEST(PoseJitter, DoesNotSeeAcrossSequences) {
  auto predicted = at::zeros({2, 4, 3});
  predicted[1].fill_(90);
  EXPECT_DOUBLE_EQ(pose_jitter(predicted, at::zeros({2, 4, 3})), 0);
}

TEST(PoseJitter, OfSequencesOfAnyLengthsIsThatOfTheirSteps) {
  const auto predicted = at::randn({2, 7, 3}, at::kDouble),
             truth = at::randn({2, 7, 3}, at::kDouble);
  EXPECT_DOUBLE_EQ(pose_jitter({predicted[0], predicted[1]}, {truth[0], truth[1]}),
                   pose_jitter(predicted, truth));
  const auto whole = pose_jitter(predicted.slice(0, 0, 1), truth.slice(0, 0, 1));
  EXPECT_DOUBLE_EQ(
      pose_jitter({predicted[0], predicted[1].slice(0, 0, 1)}, {truth[0], truth[1].slice(0, 0, 1)}),
      whole)
      << "one frame has no step";
  EXPECT_THAT([&] { pose_jitter({predicted[0].slice(0, 0, 1)}, {truth[0].slice(0, 0, 1)}); },
              ThrowsUsageError(HasSubstr("two steps")));
}

TEST(PoseLag, IsHowManyFramesAgoWhatIsSaidWasTrue) {
  const auto t = at::arange(200).to(at::kDouble).view({1, 200, 1});
  const auto truth = at::cat({20 * (0.05 * t).sin(), 30 * (0.03 * t).cos(), 0.1 * t}, 2);
  const auto late = [&](double frames) {
    return at::cat(
        {20 * (0.05 * (t - frames)).sin(), 30 * (0.03 * (t - frames)).cos(), 0.1 * (t - frames)},
        2);
  };
  EXPECT_NEAR(pose_lag(truth, truth), 0, 1e-12);
  EXPECT_NEAR(pose_lag(truth + 9, truth), 0, 1e-12) << "a constant is no lag";
  for (const double frames : {1.0, 3.0, -2.0})
    EXPECT_NEAR(pose_lag(late(frames), truth), frames, 0.02 * std::abs(frames)) << frames;
  EXPECT_NEAR(pose_lag(truth + at::randn({1, 200, 3}, at::kDouble), truth), 0, 1)
      << "noise is no lag";
  EXPECT_THAT([&] { pose_lag(truth.slice(1, 0, 2), truth.slice(1, 0, 2)); },
              ThrowsUsageError(HasSubstr("three frames")));
  EXPECT_THAT([&] { pose_lag(truth, at::zeros_like(truth)); },
              ThrowsUsageError(HasSubstr("never move")));
}

TEST(PlaceError, IsTheMeanDistanceInSpace) {
  const auto truth = at::randn({2, 4, 68, 3});
  EXPECT_NEAR(landmark_error_3d(truth + at::tensor({2.0, -3.0, 6.0}), truth), 7, 1e-5);
  auto one = truth.clone();
  one[0][0][0][2] += 68 * 8;
  EXPECT_NEAR(landmark_error_3d(one, truth), 1, 1e-4) << "one of the 68 points of 8 frames";
  EXPECT_THAT([&] { landmark_error_3d(truth, truth[0]); },
              ThrowsUsageError(HasSubstr("[2, 4, 68, 3]")));
  EXPECT_THAT([&] { landmark_error_3d(truth * NAN, truth); },
              ThrowsUsageError(HasSubstr("not finite")));
}

TEST(PoseMetrics, SayWhatDoesNotFit) {
  EXPECT_THAT(
      [] {
        pose_error(at::zeros({2, 3}), at::zeros({3, 3}));
      },
      ThrowsUsageError(HasSubstr("[2, 3]"), HasSubstr("[3, 3]")));
  EXPECT_THAT(
      [] {
        pose_error(at::full({4, 3}, NAN), at::zeros({4, 3}));
      },
      ThrowsUsageError(HasSubstr("4 frames")));
  EXPECT_THAT(
      [] {
        pose_jitter(at::zeros({1, 2, 3}), at::zeros({1, 2, 3}));
      },
      ThrowsUsageError(HasSubstr("two steps")));
}

}  // namespace
}  // namespace reprise::metrics
