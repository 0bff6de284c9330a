// Every registered tracker keeps the promises of training/tracker.h: a new line in the registry is
// tested by being there.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "baselines/trackers/methods.h"
#include "tests/support.h"

namespace reprise::baselines {
namespace {

using testing::HasSubstr;

const std::vector<TrackerOptions> two_angles{
    {.motion = Motion::ConstantVelocity, .noise = {.q = 0.05, .r = 4}, .particles = 300, .seed = 3},
    {.motion = Motion::ConstantPosition, .noise = {.q = 1, .r = 4}, .particles = 300, .seed = 4}};

/// Two slow waves of 60 frames, and what is measured of them: noise of 2 degrees, nothing in the
/// first three frames and in frames 30 to 34.
struct Measured {
  at::Tensor truth, x;
};
Measured waves() {
  Random random(11);
  auto truth = at::empty({60, 2}, at::kDouble), x = at::empty({60, 2}, at::kDouble);
  for (int t = 0; t < 60; ++t)
    for (int a = 0; a < 2; ++a) {
      truth[t][a] = 20 * std::sin(0.08 * t + a);
      x[t][a] = truth[t][a].item<double>() + 2 * random.normal();
    }
  x.slice(0, 0, 3).fill_(NAN);
  x.slice(0, 30, 35).fill_(NAN);
  return {truth, x};
}

class EveryTracker : public testing::TestWithParam<TrackerMethod> {
 protected:
  std::unique_ptr<training::Tracker> made() const { return make_tracker(GetParam(), two_angles); }
};

bool same(const at::Tensor& a, const at::Tensor& b) {
  return at::allclose(a, b, 1e-9, 1e-9, /*equal_nan=*/true);
}

TEST_P(EveryTracker, FrameByFrameItGivesWhatItGivesForTheWholeSequence) {
  const auto x = waves().x;
  const auto tracker = made();
  const auto whole = tracker->track(x);
  tracker->restart();
  if (!GetParam().causal()) {
    EXPECT_THAT([&] { tracker->next(x[0]); }, ThrowsError(HasSubstr("whole sequences")));
    return;
  }
  for (int t = 0; t < 60; ++t) EXPECT_TRUE(same(tracker->next(x[t]), whole[t])) << t;
}

TEST_P(EveryTracker, AfterARestartItIsAsNew) {
  if (!GetParam().causal()) GTEST_SKIP() << "it has no next()";
  const auto x = waves().x;
  const auto tracker = made();
  std::vector<at::Tensor> first;
  for (int t = 0; t < 20; ++t) first.push_back(tracker->next(x[t]));
  tracker->restart();
  for (int t = 0; t < 20; ++t)
    EXPECT_TRUE(same(tracker->next(x[t]), first[static_cast<std::size_t>(t)])) << t;
}

TEST_P(EveryTracker, OnlyOneThatIsNotCausalHeedsLaterMeasurements) {
  const auto x = waves().x;
  auto other = x.clone();
  other.slice(0, 40).add_(25);
  const bool equal = same(made()->track(x).slice(0, 0, 40), made()->track(other).slice(0, 0, 40));
  EXPECT_EQ(equal, GetParam().causal());
}

TEST_P(EveryTracker, NothingIsKnownBeforeTheFirstNumberAndSomethingEverAfter) {
  const auto y = made()->track(waves().x);
  EXPECT_TRUE(y.slice(0, 0, 3).isnan().all().item<bool>());
  EXPECT_TRUE(y.slice(0, 3).isfinite().all().item<bool>());
}

TEST_P(EveryTracker, TheSameMeasurementsGiveTheSameEstimates) {
  const auto x = waves().x;
  EXPECT_TRUE(made()->track(x).slice(0, 3).equal(made()->track(x).slice(0, 3)));
}

TEST_P(EveryTracker, FollowsASlowWaveBetterThanItsMeasurementsDo) {
  const auto [truth, x] = waves();
  const auto seen = x.isfinite();
  const auto error = [&](const at::Tensor& y) {
    return (y - truth).abs().masked_select(seen).mean().item<double>();
  };
  EXPECT_LT(error(made()->track(x)), 0.9 * error(x));
}

TEST_P(EveryTracker, RefusesMeasurementsOfOtherAngles) {
  EXPECT_THAT(
      [&] {
        made()->track(at::zeros({5, 3}, at::kDouble));
      },
      ThrowsUsageError(HasSubstr("[5, 3]"), HasSubstr("2 angles")));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryTracker, testing::ValuesIn(trackers()),
                         [](const auto& info) { return info.param.info.id; });

}  // namespace
}  // namespace reprise::baselines
