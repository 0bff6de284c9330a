// A reference knows what rounding does: by the same arithmetic it judges in steps of that, elsewhere by what rounding does to a mean.
#include "core/random.h"
#include "tests/records/regression/checked.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The reference was made by one arithmetic, and knows what rounding does to its five seeds from eight runs.
struct SameArithmetic : testing::Test {
  static constexpr const char* here = "AVX512, float32";
  const std::vector<double> base{0.400, 0.404, 0.398, 0.402, 0.396};
  const Direction direction = Direction::HigherIsBetter;

  static std::vector<Record> by(const std::string& arithmetic, std::vector<Record> records) {
    for (auto& record : records) record.environment.edit().arithmetic = arithmetic;
    return records;
  }
  /// Rounding moves every seed by its own 0.5 percent.
  std::vector<double> rounded(int pattern) const {
    Random random = Random(3).split("pattern", pattern);
    auto values = base;
    for (auto& value : values) value *= 1 + 0.005 * random.normal();
    return values;
  }
  Reference reference() const {
    std::vector<std::vector<Record>> runs;
    for (int pattern = 1; pattern <= 8; ++pattern) runs.push_back(by(here, make_seeds({.method = "cnn"}, rounded(pattern))));
    return make_reference(by(here, make_seeds({.method = "cnn"}, base)), "first", runs);
  }
  Judged judged(const std::vector<double>& now, const std::string& arithmetic = here) const {
    return check(reference(), by(arithmetic, make_seeds({.method = "cnn"}, now))).judged.at(0);
  }
  std::vector<double> times(double factor) const {
    auto values = base;
    for (auto& value : values) value *= factor;
    return values;
  }
};

TEST_F(SameArithmetic, TheSameValuesPassAndATenthOfAPercentThatAllSeedsLoseFails) {
  EXPECT_EQ(judged(base).outcome, Outcome::Same);
  EXPECT_EQ(judged(base).ground, Ground::Values);
  EXPECT_EQ(judged(times(1 - 5e-7)).outcome, Outcome::Same) << "within 1e-6";
  const Judged fell = judged(times(0.999));
  EXPECT_EQ(fell.outcome, Outcome::Fell);
  EXPECT_THAT(fell.message, StartsWith("auc of table1/faces/cnn fell by 0.1 % (0.4 to 0.3996, same seeds, same platform"));
  EXPECT_EQ(judged(times(1.001)).outcome, Outcome::Changed) << "better is no failure";
  EXPECT_EQ(judged({base[0] * 0.999, base[1] * 0.999, base[2] * 0.999}).outcome, Outcome::Fell) << "three of the seeds are enough";
}

// A reordered sum gives what another pattern of rounding gives: it must pass.
TEST_F(SameArithmetic, WhatAnotherRoundingGivesPassesAndAFallBeyondItFails) {
  for (int pattern = 20; pattern < 60; ++pattern) {
    const auto one = judged(rounded(pattern));
    EXPECT_FALSE(fails(one.outcome)) << one.message;
    EXPECT_EQ(one.ground, Ground::Rounding) << "its values are not those of the platform";
  }
  auto lower = rounded(20);
  for (auto& value : lower) value *= 0.97;
  EXPECT_EQ(judged(lower).outcome, Outcome::Fell);
  EXPECT_THAT(judged(lower).message, HasSubstr("same seeds, same platform"));
}

TEST_F(SameArithmetic, ElsewhereTheBandIsOfWhatRoundingDoesToTheMeanOfTheSameSeeds) {
  const Judged there = judged(rounded(20), "AVX2, float32");
  EXPECT_EQ(there.ground, Ground::Rounding);
  EXPECT_EQ(there.outcome, Outcome::Same);
  // The nine means scatter by s; the new one is one more draw.
  std::vector<double> means{mean(base)};
  for (int pattern = 1; pattern <= 8; ++pattern) means.push_back(mean(rounded(pattern)));
  const double scatter = std::max(deviation(means), 0.002 * mean(means));
  EXPECT_NEAR(there.band, student_quantile(0.975, 8) * scatter * std::sqrt(1 + 1.0 / 9), 1e-9);
  EXPECT_NEAR(*there.old_value, mean(means), 1e-12);
  EXPECT_EQ(judged(times(0.999), "AVX2, float32").outcome, Outcome::Same);
  EXPECT_EQ(judged(times(0.97), "AVX2, float32").outcome, Outcome::Fell);
  EXPECT_THAT(judged(times(0.97), "AVX2, float32").message, HasSubstr("same seeds, other platform"));
  // Seeds that the reference does not hold are judged by the spread over seeds.
  EXPECT_EQ(check(reference(), make_seeds({.method = "cnn", .seed = 100}, base)).judged.at(0).ground, Ground::Seeds);
}

TEST_F(SameArithmetic, ARunThatPassesIsRememberedAndJudgedByItsOwnValuesThen) {
  auto known = reference();
  const auto there = by("AVX2, float32", make_seeds({.method = "cnn"}, rounded(20)));
  remember(known, there);
  known = reference_from_json(to_json(known), "r");
  const auto again = check(known, there);
  EXPECT_TRUE(again.known_arithmetic);
  EXPECT_EQ(again.judged.at(0).outcome, Outcome::Same);
  EXPECT_EQ(again.judged.at(0).ground, Ground::Values);
  auto lower = there;
  for (auto& record : lower) record.metrics[0].value *= 0.999;
  EXPECT_FALSE(check(known, lower).passed());
  EXPECT_EQ(check(known, by(here, make_seeds({.method = "cnn"}, base))).judged.at(0).outcome, Outcome::Same);
  EXPECT_THAT([&] { remember(known, there); }, ThrowsUsageError(HasSubstr("AVX2"), HasSubstr("--update")));
  EXPECT_THAT([&] { remember(known, make_seeds({.method = "cnn"}, base)); }, ThrowsError(HasSubstr("do not say")));
  EXPECT_THAT([&] { remember(known, by("x", make_seeds({.method = "cnn"}, {0.4, 0.5}))); }, ThrowsError(HasSubstr("2 seeds")));
}

TEST_F(SameArithmetic, RunsThatDoNotBelongTogetherMakeNoReference) {
  const auto first = by(here, make_seeds({.method = "cnn"}, base));
  EXPECT_THAT([&] { make_reference(first, "r", {by("AVX2", make_seeds({.method = "cnn"}, base))}); }, ThrowsError(HasSubstr("AVX2")));
  EXPECT_THAT(
      [&] {
        make_reference(first, "r", {by(here, make_seeds({.method = "cnn"}, {0.4, 0.4}))});
      },
      ThrowsError(HasSubstr("2 seeds")));
  EXPECT_EQ(arithmetic_of(both(first, make_seeds({.method = "sih"}, base))), "") << "records of several";
}

}  // namespace
}  // namespace reprise::records
