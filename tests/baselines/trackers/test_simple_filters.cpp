#include <cmath>
#include <numbers>

#include "baselines/trackers/simple_filters.h"
#include "tests/support.h"

namespace reprise::baselines {
namespace {

using testing::HasSubstr;

TEST(MovingAverage, IsTheMeanOfTheLastNumbersAndLagsByHalfOfThem) {
  const auto step = moving_average_step(3);
  EXPECT_TRUE(std::isnan(step(NAN)));
  EXPECT_DOUBLE_EQ(step(6), 6);
  EXPECT_DOUBLE_EQ(step(0), 3);
  EXPECT_DOUBLE_EQ(step(NAN), 3) << "what was not measured changes nothing";
  EXPECT_DOUBLE_EQ(step(3), 3);
  EXPECT_DOUBLE_EQ(step(9), 4);
  const auto ramp = moving_average_step(5);
  double y = 0;
  for (int t = 0; t < 20; ++t) y = ramp(2 * t);
  EXPECT_DOUBLE_EQ(2 * 19 - y, 2 * (5 - 1) / 2.0);
  EXPECT_THAT([] { moving_average_step(0); }, ThrowsUsageError(HasSubstr("0 frames")));
}

TEST(OneEuro, WithoutBetaIsAnExponentialMean) {
  const double f = 0.07, a = 1 / (1 + 1 / (2 * std::numbers::pi * f));
  const auto step = one_euro_step(f, 0);
  double y = 5;
  EXPECT_DOUBLE_EQ(step(5), 5);
  for (const double x : {9.0, -2.0, 4.0, 4.0}) {
    y = a * x + (1 - a) * y;
    EXPECT_NEAR(step(x), y, 1e-12);
  }
  EXPECT_NEAR(step(NAN), y, 1e-12);
}

// The listing's two steps by hand: the speed's mean first, then the angle's, with the cutoff that
// the speed raises.
TEST(OneEuro, SmoothsLessTheFasterItMoves) {
  const auto alpha = [](double f) { return 1 / (1 + 1 / (2 * std::numbers::pi * f)); };
  const auto step = one_euro_step(0.05, 0.02);
  step(0);
  const double speed = alpha(1.0 / 6) * 10, y = alpha(0.05 + 0.02 * speed) * 10;
  EXPECT_NEAR(step(10), y, 1e-12);
  const double faster = alpha(1.0 / 6) * (20 - y) + (1 - alpha(1.0 / 6)) * speed;
  EXPECT_NEAR(step(20), y + alpha(0.05 + 0.02 * faster) * (20 - y), 1e-12);
  EXPECT_THAT([] { one_euro_step(0, 1); }, ThrowsUsageError(HasSubstr("cutoff of 0")));
  EXPECT_THAT([] { one_euro_step(1, -1); }, ThrowsUsageError(HasSubstr("beta of -1")));
}

}  // namespace
}  // namespace reprise::baselines
