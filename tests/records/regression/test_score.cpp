#include <cmath>

#include "records/regression/check.h"
#include "records/regression/score.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Sample sample_of(const std::vector<double>& values, Direction direction = Direction::HigherIsBetter) {
  const auto samples = aggregate(make_seeds({.method = "cnn", .direction = direction}, values));
  return samples.begin()->second;
}

TEST(Score, IsTheMeanChangeInDeviationsAndPositiveWhereBetter) {
  // Spreads of 0.1 and 0.2; the first rises by one, the second, an error, falls by two: both are better.
  const auto a = sample_of({0.4, 0.5, 0.6}), a_now = sample_of({0.6, 0.6, 0.6});
  const auto b = sample_of({2.2, 2.0, 1.8}, Direction::LowerIsBetter), b_now = sample_of({1.6, 1.6}, Direction::LowerIsBetter);
  const auto found = score({{&a, &a_now, 0.1}, {&b, &b_now, 0.2}}).value();
  EXPECT_NEAR(found.change, (1 + 2) / 2.0, 1e-12);
  EXPECT_EQ(found.quantities, 2);
  EXPECT_EQ(found.old_n, 3);
  EXPECT_EQ(found.new_n, 2);
  EXPECT_EQ(found.spread.freedom, 2);
}

TEST(Score, KnowsWhatTheSameSeedsDidBefore) {
  const auto a = sample_of({0.4, 0.5, 0.6}), b = sample_of({2.2, 2.0, 1.8}, Direction::LowerIsBetter);
  const auto first_a = sample_of({0.7}), first_b = sample_of({1.9}, Direction::LowerIsBetter);  // seed 0
  EXPECT_DOUBLE_EQ(mean_before(a, first_a), 0.4);
  EXPECT_NEAR(score({{&a, &first_a, 0.1}, {&b, &first_b, 0.2}})->before, (-1 - 1) / 2.0, 1e-12);
  auto other = first_a;
  other.seeds = {7};
  EXPECT_DOUBLE_EQ(mean_before(a, other), 0.5);
  EXPECT_DOUBLE_EQ(band_of_same_seeds(3, -1, -4), 5);
  EXPECT_DOUBLE_EQ(band_of_same_seeds(3, 1, -4), 3) << "they were on the other side";
}

TEST(Score, ItsSpreadKnowsWhetherQuantitiesMoveTogether) {
  const auto up = sample_of({-1, 0, 1}), same = sample_of({-1, 0, 1}), other = sample_of({1, -2, 1});
  EXPECT_NEAR(score({{&up, &up, 1}, {&same, &same, 1}})->spread.deviation, 1, 1e-12) << "one and the same: no gain";
  // (-1 + 1) / 2, (0 - 2) / 2, (1 + 1) / 2: 0, -1, 1
  EXPECT_NEAR(score({{&up, &up, 1}, {&other, &other, 1}})->spread.deviation, 1, 1e-12);
  const auto against = sample_of({1, 0, -1});
  EXPECT_EQ(score({{&up, &up, 1}, {&against, &against, 1}}), std::nullopt) << "they cancel: nothing to judge by";
}

TEST(Score, LeavesOutWhatCannotTell) {
  const auto a = sample_of({1, 2, 3}), b = sample_of({3, 1, 2}), still = sample_of({5, 5, 5}),
             none = sample_of({1, 2, 4}, Direction::Neither);
  EXPECT_EQ(score({{&a, &a, 1}, {&still, &still, 0}, {&none, &none, 1}}), std::nullopt) << "one quantity is no mean";
  EXPECT_EQ(score({{&a, &a, 1}, {&b, &b, 1}, {&still, &still, 0}, {&none, &none, 1}})->quantities, 2);
}

/// Cells "m0", "m1", ... with one metric each, their values around 0.5 by `z` deviations of 0.01.
std::vector<Record> table(const std::vector<std::vector<double>>& z) {
  std::vector<Record> records;
  for (std::size_t cell = 0; cell < z.size(); ++cell) {
    std::vector<double> values;
    for (const double deviations : z[cell]) values.push_back(0.5 + 0.01 * deviations);
    for (auto& record : make_seeds({.method = "m" + std::to_string(cell)}, values)) records.push_back(std::move(record));
  }
  return records;
}

// Every cell falls by one and a half deviations: within the band of each, far beyond that of their mean.
TEST(Check, AFallThatNoCellShowsIsFoundInTheWholeTable) {
  const std::vector<std::vector<double>> before{
      {-1, 0, 1, 0.5, -0.5}, {1, -1, 0, -0.5, 0.5}, {0, 1, -1, 0.2, -0.2}, {0.5, -0.5, 0.1, -1, 1}};
  auto after = before;
  for (auto& cell : after)
    for (auto& value : cell) value -= 1.5;
  const auto reference = make_reference(table(before), "first");
  const auto unchanged = check(reference, table(before));
  ASSERT_EQ(unchanged.scores.size(), 1u) << "cells of one metric have no mean of their own";
  EXPECT_EQ(unchanged.scores[0].outcome, Outcome::Same);
  EXPECT_TRUE(unchanged.passed());
  const auto fallen = check(reference, table(after));
  for (const auto& judged : fallen.judged) EXPECT_EQ(judged.outcome, Outcome::Same) << judged.message;
  EXPECT_EQ(fallen.scores[0].outcome, Outcome::Fell);
  EXPECT_THAT(fallen.scores[0].message, AllOf(HasSubstr("table1, all cells,"), HasSubstr("became worse"), HasSubstr("4 metrics")));
  EXPECT_FALSE(fallen.passed());
  EXPECT_THAT(junit_xml(fallen), AllOf(HasSubstr("tests=\"5\" failures=\"1\""), HasSubstr("classname=\"table1\" name=\"all cells\"")));
  auto risen = before;
  for (auto& cell : risen)
    for (auto& value : cell) value += 1.5;
  EXPECT_EQ(check(reference, table(risen)).scores[0].outcome, Outcome::Rose);
  EXPECT_TRUE(check(reference, table(risen)).passed());
}

}  // namespace
}  // namespace reprise::records
