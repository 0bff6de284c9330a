#include <torch/torch.h>

#include <limits>

#include "metrics/landmarks.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

/// [frames, 68, 2]: points of a face of about 100 pixels.
torch::Tensor faces(std::int64_t frames) {
  const auto k = torch::arange(68, torch::kDouble);
  const auto face = torch::stack({50 + 40 * torch::cos(k), 60 + 50 * torch::sin(k * 1.7)}, 1);
  return face.unsqueeze(0) + 3 * torch::arange(frames, torch::kDouble).reshape({-1, 1, 1});
}

torch::Tensor points_of(const nlohmann::json& rows) {
  std::vector<double> flat;
  for (const auto& row : rows)
    for (const auto& value : row) flat.push_back(value.get<double>());
  return torch::tensor(flat, torch::kDouble)
      .reshape({static_cast<std::int64_t>(rows.size()), 68, 2});
}

TEST(LandmarkError, AucIsOneForPerfectPredictionsAndZeroBeyondTheLimit) {
  const auto truth = faces(3);
  EXPECT_DOUBLE_EQ(auc(landmark_error(truth, truth)), 1.0);
  EXPECT_DOUBLE_EQ(failure_rate(landmark_error(truth, truth)), 0.0);
  EXPECT_DOUBLE_EQ(auc(landmark_error(truth + 1000, truth)), 0.0);
  EXPECT_DOUBLE_EQ(failure_rate(landmark_error(truth + 1000, truth)), 1.0);
}

TEST(LandmarkError, IsTheMeanDistanceOverTheLengthOfTheTrueFace) {
  auto truth = torch::zeros({1, 68, 2});
  truth[0][36] = torch::tensor({10.0F, 0.0F});  // outer eye corners, 20 apart
  truth[0][45] = torch::tensor({30.0F, 0.0F});
  truth[0][8] = torch::tensor({0.0F, 40.0F});  // box 30 x 40, diagonal 50
  auto predicted = truth.clone();
  predicted[0][0] += torch::tensor({3.0F, 4.0F});
  EXPECT_NEAR(landmark_error(predicted, truth).item<double>(), 5.0 / 68 / 50, 1e-12);
  EXPECT_NEAR(landmark_error(predicted, truth, FaceLength::OuterEyeCorners).item<double>(),
              5.0 / 68 / 20, 1e-12);
}

TEST(LandmarkError, DoesNotChangeWhenFaceAndPredictionAreScaledOrMovedTogether) {
  const auto truth = faces(4), predicted = truth + torch::arange(68).reshape({1, 68, 1}) * 0.05;
  const auto error = landmark_error(predicted, truth);
  EXPECT_TRUE(
      torch::allclose(landmark_error(predicted * 3.5 - 20, truth * 3.5 - 20), error, 0, 1e-12));
}

TEST(LandmarkError, AgreesWithNumPyOnEveryGoldenCase) {
  const auto golden = fixture_json("landmarks.json");
  ASSERT_EQ(golden["cases"].size(), 4U);
  for (const auto& c : golden["cases"]) {
    const auto predicted = points_of(c["prediction"]), truth = points_of(c["truth"]);
    const double limit = c["limit"];
    const auto error = landmark_error(predicted, truth),
               by_eyes = landmark_error(predicted, truth, FaceLength::OuterEyeCorners);
    const auto expected = c["error_box_diagonal"].get<std::vector<double>>(),
               expected_by_eyes = c["error_outer_eye"].get<std::vector<double>>();
    EXPECT_TRUE(torch::allclose(error, torch::tensor(expected, torch::kDouble), 0, 1e-6));
    EXPECT_TRUE(torch::allclose(by_eyes, torch::tensor(expected_by_eyes, torch::kDouble), 0, 1e-6));
    EXPECT_NEAR(auc(error, limit), c["auc_box_diagonal"], 1e-6);
    EXPECT_NEAR(auc(by_eyes, limit), c["auc_outer_eye"], 1e-6);
    EXPECT_NEAR(failure_rate(error, limit), c["failure_rate_box_diagonal"], 1e-12);
  }
}

TEST(LandmarkError, AFrameExactlyAtTheLimitHasNotFailedAndAddsNoArea) {
  const auto error = torch::tensor({0.0, 0.25, 0.5, 0.75}, torch::kDouble);
  EXPECT_DOUBLE_EQ(failure_rate(error, 0.5), 0.25);
  EXPECT_DOUBLE_EQ(auc(error, 0.5), (1 + 0.5) / 4);
  EXPECT_DOUBLE_EQ(mean_error(error), 0.375);
}

TEST(ErrorCurve, CountsTheFramesAtOrBelowEachErrorAndItsAreaIsTheAuc) {
  const auto steps = error_curve(torch::tensor({0.0, 0.25, 0.5, 0.75}, torch::kDouble), 0.5, 3);
  EXPECT_THAT(steps.x, testing::ElementsAre(0.0, 0.25, 0.5));
  EXPECT_THAT(steps.y, testing::ElementsAre(0.25, 0.5, 0.75));
  const auto error =
      landmark_error(faces(50) + torch::linspace(0, 12, 50).reshape({-1, 1, 1}), faces(50));
  const auto curve = error_curve(error, 0.08, 8001);
  double area = 0;
  for (std::size_t i = 1; i < curve.x.size(); ++i)
    area += (curve.x[i] - curve.x[i - 1]) * (curve.y[i] + curve.y[i - 1]) / 2;
  EXPECT_NEAR(area / 0.08, auc(error), 1e-4);
  EXPECT_TRUE(std::is_sorted(curve.y.begin(), curve.y.end()));
}

TEST(ErrorByPosition, IsTheMeanOverClipsForEachFrameIndex) {
  const auto by_position =
      error_by_position(torch::tensor({{0.0, 0.5, 1.0}, {1.0, 0.5, 2.0}}, torch::kDouble));
  EXPECT_TRUE(torch::equal(by_position, torch::tensor({0.5, 0.5, 1.5}, torch::kDouble)));
  EXPECT_THAT([] { error_by_position(torch::zeros({3})); },
              ThrowsUsageError(HasSubstr("[3]"), HasSubstr("[N, T]")));
}

TEST(LandmarkError, NamesBothShapesWhenTheyDiffer) {
  EXPECT_THAT(
      [] {
        landmark_error(torch::zeros({2, 68, 2}), torch::zeros({2, 51, 2}));
      },
      ThrowsUsageError(HasSubstr("[2, 68, 2]"), HasSubstr("[2, 51, 2]")));
}

TEST(LandmarkError, NamesTheFramesThatCannotBeJudged) {
  auto flat = faces(3);
  flat[1] = 7;
  EXPECT_THAT([&] { landmark_error(faces(3), flat); },
              ThrowsUsageError(HasSubstr("no extent"), HasSubstr("frame 1 ")));
  auto broken = faces(3);
  broken[2][5][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([&] { landmark_error(broken, faces(3)); },
              ThrowsUsageError(HasSubstr("predicted"), HasSubstr("frame 2 ")));
  EXPECT_THAT([&] { landmark_error(faces(3), broken); },
              ThrowsUsageError(HasSubstr("true coordinate"), HasSubstr("frame 2 ")));
}

TEST(LandmarkError, RefusesWhatHasNoMeaning) {
  EXPECT_THAT(
      [] {
        landmark_error(torch::zeros({2, 51, 2}), torch::zeros({2, 51, 2}),
                       FaceLength::OuterEyeCorners);
      },
      ThrowsUsageError(HasSubstr("51 points")));
  EXPECT_THAT([] { auc(torch::zeros({0})); }, ThrowsUsageError(HasSubstr("at least one frame")));
  EXPECT_THAT([] { auc(torch::zeros({1}), 0); }, ThrowsUsageError(HasSubstr("limit")));
  EXPECT_THAT([] { mean_error(torch::full({2}, -1.0)); }, ThrowsUsageError(HasSubstr("negative")));
  EXPECT_THAT([] { error_curve(torch::zeros({1}), 0.08, 1); },
              ThrowsUsageError(HasSubstr("2 samples")));
}

TEST(Protocol, NamesMetricLimitLengthAndPoints) {
  EXPECT_EQ(protocol("auc", FaceLength::BoxDiagonal, 0.08), "auc@0.08/box-diagonal/68");
  EXPECT_EQ(protocol("failure_rate", FaceLength::OuterEyeCorners, 0.1, 51),
            "failure_rate@0.1/outer-eye-corners/51");
  EXPECT_EQ(protocol("mean_error", FaceLength::BoxDiagonal), "mean_error/box-diagonal/68");
}

TEST(Landmarks, ErrorInGapsIsByTheFramesSinceTheLastClearOne) {
  const auto error =
      torch::tensor({9.0, 1.0, 4.0, 5.0, 1.0, 2.0, 2.0, 6.0, 2.0, 2.0}, torch::kDouble)
          .view({2, 5}) /
      100;
  const auto damaged =
      torch::tensor({1, 0, 1, 1, 0, 0, 0, 1, 0, 0}, torch::kByte).view({2, 5}).to(torch::kBool);
  // The first frame of the first clip has no clear one before it and counts nowhere.
  const auto by_gap = error_in_gaps(error, damaged);
  EXPECT_TRUE(
      torch::allclose(by_gap, torch::tensor({0.1 / 6, 0.05, 0.05}, torch::kDouble), 0, 1e-12))
      << by_gap;
  EXPECT_THAT([&] { error_in_gaps(error, damaged.flatten()); },
              ThrowsUsageError(HasSubstr("[N, T]")));
  EXPECT_THAT([&] { error_in_gaps(error, torch::ones_like(damaged)); },
              ThrowsUsageError(HasSubstr("no frame is clear")));
}

TEST(LandmarkJitter, IsTheStepOfTheErrorOverTheFacesLength) {
  const auto truth = at::rand({2, 5, 68, 2}, at::kDouble) * 40;
  EXPECT_NEAR(landmark_jitter(truth + 3, truth), 0, 1e-12) << "a constant error";
  // a box of 30 x 40 whose points are off by (3, 4) in every other frame
  auto square = at::zeros({1, 4, 2, 2}, at::kDouble);
  square.select(2, 1).copy_(at::tensor({30.0, 40.0}, at::kDouble));
  auto restless = square.clone();
  for (const int t : {1, 3}) restless[0][t] += at::tensor({3.0, 4.0}, at::kDouble);
  EXPECT_NEAR(landmark_jitter(restless, square), 5.0 / 50, 1e-12);
  EXPECT_THAT([&] { landmark_jitter(square.slice(1, 0, 1), square.slice(1, 0, 1)); },
              ThrowsUsageError(HasSubstr("two frames")));
  EXPECT_THAT([&] { landmark_jitter(truth, square); },
              ThrowsUsageError(HasSubstr("[2, 5, 68, 2]")));
}

TEST(LandmarkError, ThatTheEyeCornersAreOnePointIsSaidWhereOnlyTheyAre) {
  auto truth = faces(3);
  truth[1][45] = truth[1][36];
  EXPECT_THAT(
      [&] { landmark_error(faces(3), truth, FaceLength::OuterEyeCorners); },
      ThrowsUsageError(HasSubstr("eye corners"), HasSubstr("36 and 45"), HasSubstr("frame 1 ")));
  landmark_error(faces(3), truth, FaceLength::BoxDiagonal);  // the fix
}

}  // namespace
}  // namespace reprise::metrics
