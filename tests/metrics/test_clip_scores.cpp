#include <torch/torch.h>

#include <cmath>

#include "metrics/clip_scores.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

ClipScores real_scores() {
  return {.acd = 1,
          .diversity = 150,
          .step = 1,
          .jerk = 0.2,
          .precision = 0.8,
          .recall = 0.8,
          .repeats = 0.02,
          .copies = 0.02,
          .frechet = 0.7,
          .motion_control = 1.0};
}

TEST(BandCheck, BandsAreThoseOfTheHeaderAroundTheMeanOfTheRealScores) {
  auto other = real_scores();
  other.acd = 3, other.frechet = 0.9;
  const auto bands = make_bands({real_scores(), other});
  ASSERT_EQ(bands.size(), 12U);
  EXPECT_EQ(bands[0].metric, "acd");
  EXPECT_NEAR(bands[0].high, 12, 1e-12);
  EXPECT_NEAR(bands[1].low, 120, 1e-12);
  EXPECT_NEAR(bands[1].high, 180, 1e-12);
  EXPECT_EQ(bands[10].metric, "frechet");
  EXPECT_NEAR(bands[10].high, 2.4, 1e-12);
  EXPECT_TRUE(check_bands(real_scores(), bands).passes());
  EXPECT_EQ(check_bands(real_scores(), bands).text(), "within every band");
}

TEST(BandCheck, EveryMetricCanFailAloneAndIsNamedWithItsNumbers) {
  const auto bands = make_bands({real_scores()});
  const std::vector<std::pair<std::string, std::function<void(ClipScores&)>>> worse{
      {"acd", [](auto& s) { s.acd = 12; }},
      {"diversity", [](auto& s) { s.diversity = 100; }},
      {"diversity", [](auto& s) { s.diversity = 190; }},
      {"step", [](auto& s) { s.step = 0.1; }},
      {"jerk", [](auto& s) { s.jerk = 0.5; }},
      {"still", [](auto& s) { s.still = 0.2; }},
      {"empty", [](auto& s) { s.empty = 0.2; }},
      {"precision", [](auto& s) { s.precision = 0.4; }},
      {"recall", [](auto& s) { s.recall = 0.1; }},
      {"repeats", [](auto& s) { s.repeats = 1; }},
      {"copies", [](auto& s) { s.copies = 1; }},
      {"frechet", [](auto& s) { s.frechet = 27; }},
      {"motion_control", [](auto& s) { s.motion_control = 0.5; }},
      {"step", [](auto& s) { s.step = std::nan(""); }}};
  for (const auto& [metric, change] : worse) {
    auto scores = real_scores();
    change(scores);
    const auto verdict = check_bands(scores, bands);
    ASSERT_EQ(verdict.failures.size(), 1U) << metric;
    EXPECT_EQ(verdict.failures[0].metric, metric);
    EXPECT_FALSE(verdict.passes());
  }
  auto two = real_scores();
  two.frechet = 27, two.still = 1;
  EXPECT_EQ(check_bands(two, bands).text(), "still 1 above 0.05; frechet 27 above 2.1");
}

TEST(BandCheck, AMetricThatIsNotThereIsNotJudged) {
  auto unlabelled = real_scores();
  unlabelled.motion_control.reset();
  EXPECT_TRUE(check_bands(unlabelled, make_bands({real_scores()})).passes());
  EXPECT_EQ(make_bands({unlabelled}).size(), 11U);
  EXPECT_THAT([] { make_bands({}); }, ThrowsUsageError(HasSubstr("no real clips")));
  EXPECT_THAT(
      [] {
        check_bands(real_scores(), {{"fvd", 0, 1}});
      },
      ThrowsUsageError(HasSubstr("\"fvd\""), HasSubstr("frechet")));
}

TEST(ScoreClips, RefusesTooFewRealClipsAndClassesThatNobodyPredicted) {
  const EvaluatedClips eight{.clips = torch::rand({8, 4, 3, 8, 8}),
                             .features = torch::rand({8, 3})};
  const EvaluatedClips six{.clips = torch::rand({6, 4, 3, 8, 8}), .features = torch::rand({6, 3})};
  EXPECT_THAT([&] { score_clips(eight, six, six.clips); },
              ThrowsUsageError(HasSubstr("6 real clips"), HasSubstr("8 generated")));
  auto asked = six;
  asked.requested = torch::zeros({6}, torch::kLong);
  EXPECT_THAT([&] { score_clips(asked, eight, eight.clips); },
              ThrowsUsageError(HasSubstr("none predicted")));
  asked.predicted = torch::tensor({0, 0, 0, 1, 1, 1});
  EXPECT_EQ(score_clips(asked, eight, eight.clips).motion_control, 0.5);
  EXPECT_FALSE(score_clips(six, eight, eight.clips).motion_control.has_value());
}

}  // namespace
}  // namespace reprise::metrics
