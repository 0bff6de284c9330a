#include <cmath>

#include "records/regression/check.h"
#include "records/regression/score.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A quantity of three seeds whose values changed by `changes`, with a spread of its changes.
PairedChanges paired_of(const std::vector<double>& changes, double spread,
                        Direction direction = Direction::HigherIsBetter) {
  PairedChanges paired{.now = {.direction = direction},
                       .spread = {.std_dev = spread, .freedom = 2}};
  for (std::size_t seed = 0; seed < changes.size(); ++seed) {
    paired.before.push_back(2);
    paired.now.seeds.push_back(static_cast<std::int64_t>(seed));
    paired.now.values.push_back(2 + changes[seed]);
  }
  return paired;
}

TEST(Score, IsTheMeanChangeInDeviationsAndPositiveWhereBetter) {
  // The first rises by one deviation of 0.1, the second, an error, falls by two of 0.2: both are
  // better.
  const auto a = paired_of({0.1, 0.1, 0.1}, 0.1),
             b = paired_of({-0.4, -0.4, -0.4}, 0.2, Direction::LowerIsBetter);
  const auto found = score({&a, &b}).value();
  EXPECT_NEAR(found.change, (1 + 2) / 2.0, 1e-12);
  EXPECT_NEAR(found.percent, 100 * 1.5 / ((2 / 0.1 + 2 / 0.2) / 2), 1e-9);
  EXPECT_EQ(found.quantities, 2);
  EXPECT_EQ(found.seeds, 3);
  EXPECT_EQ(found.spread.freedom, 2);
}

TEST(Score, ItsSpreadKnowsWhetherQuantitiesMoveTogether) {
  const auto up = paired_of({-1, 0, 1}, 1), other = paired_of({1, -2, 1}, 1),
             against = paired_of({1, 0, -1}, 1);
  EXPECT_NEAR(score({&up, &up})->spread.std_dev, 1, 1e-12) << "one and the same: no gain";
  // (-1 + 1) / 2, (0 - 2) / 2, (1 + 1) / 2: 0, -1, 1
  EXPECT_NEAR(score({&up, &other})->spread.std_dev, 1, 1e-12);
  EXPECT_NEAR(score({&up, &against})->spread.std_dev, 0, 1e-12) << "they cancel";
}

TEST(Score, LeavesOutWhatCannotTellAndSeedsThatAQuantityLacks) {
  const auto a = paired_of({1, 2, 3}, 1), b = paired_of({3, 1}, 1), still = paired_of({0, 0, 0}, 0),
             none = paired_of({1, 2, 4}, 1, Direction::Neither);
  EXPECT_EQ(score({&a, &still, &none}), std::nullopt) << "one quantity is no mean";
  const auto found = score({&a, &b, &still, &none}).value();
  EXPECT_EQ(found.quantities, 2);
  EXPECT_EQ(found.seeds, 2);
}

/// Cells "m0", "m1", ... with one metric each, their values around 0.5 by `z` deviations of 0.01.
std::vector<Record> table(const std::vector<std::vector<double>>& z) {
  std::vector<Record> records;
  for (std::size_t cell = 0; cell < z.size(); ++cell) {
    std::vector<double> values;
    for (const double deviations : z[cell]) values.push_back(0.5 + 0.01 * deviations);
    for (auto& record : make_seeds({.method = "m" + std::to_string(cell)}, values))
      records.push_back(std::move(record));
  }
  return records;
}

// Every cell falls by a deviation: within the band of each, far beyond that of their mean.
TEST(Check, AFallThatNoCellShowsIsFoundInTheWholeTable) {
  const std::vector<std::vector<double>> before{
      {-1, 0, 1, 0.5, -0.5}, {1, -1, 0, -0.5, 0.5}, {0, 1, -1, 0.2, -0.2}, {0.5, -0.5, 0.1, -1, 1}};
  // Each seed changes by its own as well, each cell in another way.
  const auto shifted = [&](double by) {
    auto table = before;
    for (std::size_t cell = 0; cell < table.size(); ++cell)
      for (std::size_t seed = 0; seed < 5; ++seed)
        table[cell][seed] += by + before[(cell + 1) % 4][(seed + cell) % 5];
    return table;
  };
  const auto after = shifted(-1);
  const auto reference = make_reference(table(before), "first");
  const auto unchanged = check(reference, table(before));
  ASSERT_EQ(unchanged.scores.size(), 1u) << "cells of one metric have no mean of their own";
  EXPECT_EQ(unchanged.scores[0].outcome, Outcome::Same);
  EXPECT_TRUE(unchanged.passes());
  const auto fallen = check(reference, table(after));
  for (const auto& judged : fallen.judged)
    EXPECT_EQ(judged.outcome, Outcome::Same) << judged.message;
  EXPECT_EQ(fallen.scores[0].outcome, Outcome::Fell);
  EXPECT_THAT(fallen.scores[0].message, AllOf(HasSubstr("table1, all cells,"),
                                              HasSubstr("became worse"), HasSubstr("4 metrics")));
  EXPECT_FALSE(fallen.passes());
  EXPECT_THAT(junit_xml(fallen), AllOf(HasSubstr("tests=\"5\" failures=\"1\""),
                                       HasSubstr("classname=\"table1\" name=\"all cells\"")));
  const auto risen = shifted(1);
  EXPECT_EQ(check(reference, table(risen)).scores[0].outcome, Outcome::Rose);
  EXPECT_TRUE(check(reference, table(risen)).passes());
}

}  // namespace
}  // namespace reprise::records
