// By the same arithmetic a run is judged value by value, elsewhere by how differently its seeds
// changed.
#include "core/random.h"
#include "tests/records/regression/checked.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The reference was made by one arithmetic, with five seeds.
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
    return make_reference(by(here, make_seeds({.method = "cnn"}, base)), "first");
  }
  QuantityCheck judged(const std::vector<double>& now, const std::string& arithmetic = here) const {
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
  EXPECT_EQ(judged(base).basis, CheckBasis::Values);
  EXPECT_EQ(judged(times(1 - 5e-7)).outcome, Outcome::Same) << "within 1e-6";
  const QuantityCheck fell = judged(times(0.999));
  EXPECT_EQ(fell.outcome, Outcome::Fell);
  EXPECT_THAT(
      fell.message,
      StartsWith(
          "auc of table1/faces/cnn fell by 0.1 % (0.4 to 0.3996, same seeds, same platform"));
  EXPECT_EQ(judged(times(1.001)).outcome, Outcome::Changed) << "better is no failure";
}

// A reordered sum gives what another pattern of rounding gives: it must pass.
TEST_F(SameArithmetic, WhatAnotherRoundingGivesPassesAndAFallBeyondItFails) {
  for (int pattern = 20; pattern < 60; ++pattern) {
    const auto one = judged(rounded(pattern));
    EXPECT_FALSE(fails(one.outcome)) << one.message;
    EXPECT_EQ(one.basis, CheckBasis::Seeds) << "its values are not those of the platform";
  }
  auto lower = rounded(20);
  for (auto& value : lower) value *= 0.97;
  EXPECT_EQ(judged(lower).outcome, Outcome::Fell);
  EXPECT_THAT(judged(lower).message, HasSubstr("same seeds, same platform"));
}

// t_{0.975, 4} s / sqrt(5) with s of the changes, and never less than the 0.2 percent that another
// machine may move all seeds alike.
TEST_F(SameArithmetic, ElsewhereTheBandIsOfTheChangesOfTheSameSeeds) {
  const QuantityCheck there = judged(rounded(20), "AVX2, float32");
  EXPECT_EQ(there.basis, CheckBasis::Seeds);
  EXPECT_EQ(there.outcome, Outcome::Same);
  std::vector<double> changes;
  for (std::size_t seed = 0; seed < base.size(); ++seed)
    changes.push_back(rounded(20)[seed] - base[seed]);
  const double error =
      std::max(statistics::std_dev(changes) / std::sqrt(5.0), 0.002 * statistics::mean(base));
  EXPECT_NEAR(there.band, statistics::student_quantile(0.975, 4) * error, 1e-9);
  EXPECT_EQ(judged(times(0.999), "AVX2, float32").outcome, Outcome::Same);
  EXPECT_EQ(judged(times(0.97), "AVX2, float32").outcome, Outcome::Fell);
  EXPECT_THAT(judged(times(0.97), "AVX2, float32").message,
              HasSubstr("same seeds, other platform"));
  // Seeds that the reference does not hold cannot be compared with it.
  EXPECT_EQ(
      check(reference(), make_seeds({.method = "cnn", .seed = 100}, base)).judged.at(0).outcome,
      Outcome::Missing);
}

TEST_F(SameArithmetic, ARunThatPassesIsRememberedAndJudgedByItsOwnValuesThen) {
  auto known = reference();
  const auto there = by("AVX2, float32", make_seeds({.method = "cnn"}, rounded(20)));
  add_platform_values(known, there);
  known = reference_from_json(to_json(known), "r");
  const auto again = check(known, there);
  EXPECT_TRUE(again.known_arithmetic);
  EXPECT_EQ(again.judged.at(0).outcome, Outcome::Same);
  EXPECT_EQ(again.judged.at(0).basis, CheckBasis::Values);
  auto lower = there;
  for (auto& record : lower) record.metrics[0].value *= 0.999;
  EXPECT_FALSE(check(known, lower).passes());
  EXPECT_EQ(check(known, by(here, make_seeds({.method = "cnn"}, base))).judged.at(0).outcome,
            Outcome::Same);
  EXPECT_THAT([&] { add_platform_values(known, there); },
              ThrowsUsageError(HasSubstr("AVX2"), HasSubstr("--update")));
  EXPECT_THAT([&] { add_platform_values(known, make_seeds({.method = "cnn"}, base)); },
              ThrowsError(HasSubstr("do not say")));
  EXPECT_THAT(
      [&] {
        add_platform_values(known, by("x", make_seeds({.method = "cnn"}, {0.4, 0.5})));
      },
      ThrowsError(HasSubstr("2 seeds")));
}

}  // namespace
}  // namespace reprise::records
