#include <cmath>

#include "baselines/trackers/angle_track.h"
#include "baselines/trackers/kalman.h"
#include "baselines/trackers/particle_filter.h"
#include "tests/support.h"

namespace reprise::baselines {
namespace {

using testing::HasSubstr;

/// How many frames it was shown at once, as the estimate of each.
AngleTrack count_frames(const std::vector<double>& x) {
  return {std::vector<double>(x.size(), static_cast<double>(x.size())),
          std::vector<double>(x.size(), 0)};
}

TEST(AcrossGaps, RestartBeginsAnewBehindAGapAndPredictDoesNot) {
  const std::vector<std::int64_t> frame{5, 6, 9, 10, 11};
  const std::vector<double> x(5, 1.0);
  EXPECT_EQ(track_across_gaps(Gap::Restart, frame, x, count_frames).angle,
            (std::vector<double>{2, 2, 3, 3, 3}));
  EXPECT_EQ(track_across_gaps(Gap::Predict, frame, x, count_frames).angle,
            (std::vector<double>{7, 7, 7, 7, 7}));
  EXPECT_TRUE(track_across_gaps(Gap::Restart, {}, {}, count_frames).angle.empty());
}

TEST(AcrossGaps, AKalmanFilterPredictsThroughAsIfTheFramesWereNotMeasured) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const AngleTracker tracker = [](const auto& x) {
    return track_angle(Motion::ConstantVelocity, {}, x);
  };
  const auto across = track_across_gaps(Gap::Predict, {1, 2, 5}, {0, 1, 4.5}, tracker);
  const auto whole = tracker({0, 1, nan, nan, 4.5});
  EXPECT_DOUBLE_EQ(across.angle[2], whole.angle[4]);
  EXPECT_DOUBLE_EQ(across.std_dev[2], whole.std_dev[4]);
}

TEST(AcrossGaps, NamesFramesThatDoNotAscendOrLieTooFarApart) {
  EXPECT_THAT(
      [] {
        track_across_gaps(Gap::Restart, {2, 2}, {0, 0}, count_frames);
      },
      ThrowsUsageError(HasSubstr("frame 2 follows frame 2")));
  EXPECT_THAT(
      [] {
        track_across_gaps(Gap::Predict, {0, 5'000'000'000}, {0, 0}, count_frames);
      },
      ThrowsUsageError(HasSubstr("5000000000")));
  EXPECT_THAT([] { parse_gap("skip"); }, ThrowsUsageError(HasSubstr("predict or restart")));
}

TEST(ParticleAngle, AgreesWithTheKalmanFilterOfTheSameNoise) {
  Random random(8);
  const AngleNoise noise{.q = 0.1, .r = 1, .rate_variance = 1};
  const auto x = simulate(angle_model(Motion::ConstantVelocity, noise), 60, random).measurements;
  const std::vector<double> list(x.data(), x.data() + x.size());
  const auto exact = track_angle(Motion::ConstantVelocity, noise, list);
  const auto found = particle_angle(Motion::ConstantVelocity, noise, {.particles = 20000}, list);
  for (std::size_t t = 0; t < list.size(); ++t) {
    EXPECT_NEAR(found.angle[t], exact.angle[t], 0.1);
    EXPECT_NEAR(found.std_dev[t], exact.std_dev[t], 0.1);
  }
}

}  // namespace
}  // namespace reprise::baselines
