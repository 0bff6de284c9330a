// Eq 2 beside eq 3: the weights of a settled filter, and those found in a response.
#include <Eigen/LU>

#include "baselines/trackers/kalman.h"
#include "baselines/trackers/linear_tracker.h"
#include "tests/support.h"

namespace reprise::baselines {
namespace {

/// W_ho W_hh^t W_ih for t = 0, 1, ..., frames - 1.
std::vector<double> impulse_response(const LinearTracker& tracker, std::size_t frames) {
  std::vector<double> response;
  Eigen::Vector2d h = tracker.w_ih;
  for (std::size_t t = 0; t < frames; ++t, h = (tracker.w_hh * h).eval())
    response.push_back(tracker.w_ho * h);
  return response;
}

using testing::HasSubstr;

const AngleNoise noise{.q = 0.3, .r = 2};

void expect_near(const LinearTracker& a, const LinearTracker& b, double tolerance) {
  EXPECT_LT((a.w_hh - b.w_hh).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LT((a.w_ih - b.w_ih).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LT((a.w_ho - b.w_ho).cwiseAbs().maxCoeff(), tolerance);
}

TEST(LinearTracker, FilterFormIsWhatTheFilterDoesOnceItHasSettled) {
  std::vector<double> measured(200, 0.0);
  measured[150] = 1;
  const auto track = track_angle(Motion::ConstantVelocity, noise, measured);
  const auto response = impulse_response(filter_form(noise), 50);
  for (std::size_t t = 0; t < 50; ++t) EXPECT_NEAR(track.angle[150 + t], response[t], 1e-10) << t;
}

TEST(LinearTracker, PredictionFormIsTheEstimateOneFrameAhead) {
  // The response foreseen for the next frame: angle and rate of the filtered state together.
  const auto filter = filter_form(noise), prediction = prediction_form(noise);
  auto ahead = filter;
  ahead.w_ho << 1, 1;
  const auto expected = impulse_response(ahead, 40), found = impulse_response(prediction, 40);
  for (std::size_t t = 0; t < 40; ++t) EXPECT_NEAR(found[t], expected[t], 1e-12) << t;
  EXPECT_NEAR(prediction.w_hh.determinant(), filter.w_hh.determinant(), 1e-12)
      << "the same eigenvalues";
  EXPECT_NEAR(prediction.w_hh.trace(), filter.w_hh.trace(), 1e-12);
}

TEST(LinearTracker, OneBasisForAll) {
  const auto filter = filter_form(noise);
  Eigen::Matrix2d other;
  other << 2, -1, 0.5, 3;
  const Eigen::Matrix2d back = other.inverse();
  const LinearTracker hidden{other * filter.w_hh * back, other * filter.w_ih, filter.w_ho * back};
  const auto common = to_common_basis(hidden);
  expect_near(common, to_common_basis(filter), 1e-12);
  EXPECT_NEAR(common.w_hh(0, 0), 0, 1e-12);
  EXPECT_NEAR(common.w_hh(0, 1), 1, 1e-12);
  EXPECT_NEAR(common.w_ho(0), 1, 1e-12);
  const auto response = impulse_response(filter, 2);
  EXPECT_NEAR(common.w_ih(0), response[0], 1e-12);
  EXPECT_NEAR(common.w_ih(1), response[1], 1e-12);
}

TEST(LinearTracker, IsFoundInItsResponse) {
  for (const auto& tracker :
       {filter_form(noise), prediction_form(noise), filter_form({.q = 1e-3, .r = 1})})
    expect_near(fit_tracker_to_response(impulse_response(tracker, 30)).value(),
                to_common_basis(tracker), 1e-6);
}

TEST(LinearTracker, RefusesWhatHasNotTwoStates) {
  std::vector<double> one_state;
  for (int t = 0; t < 20; ++t) one_state.push_back(0.4 * std::pow(0.6, t));
  EXPECT_FALSE(fit_tracker_to_response(one_state).has_value());
  EXPECT_THAT(
      [] {
        fit_tracker_to_response(std::vector<double>{1, 0.5});
      },
      ThrowsUsageError(HasSubstr("too few")));
  EXPECT_THAT(
      [] {
        fit_tracker_to_response(std::vector<double>{1, 0.5, NAN, 0, 0, 0, 0});
      },
      ThrowsUsageError(HasSubstr("finite")));
}

}  // namespace
}  // namespace reprise::baselines
