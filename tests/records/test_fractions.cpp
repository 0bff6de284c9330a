// Intervals of fractions: they stay between 0 and 1, and hold the true value as often as they say.
#include <algorithm>
#include <cmath>
#include <random>

#include "records/aggregate.h"
#include "records/fractions.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::HasSubstr;

TEST(Fractions, AnIntervalStaysBetween0And1AndIsNoPointAtItsEnds) {
  const std::vector<double> all{1, 1, 1}, none{0, 0, 0};
  const auto high = fraction_interval(all, 600), low = fraction_interval(none, 600);
  EXPECT_EQ(high.high, 1);
  EXPECT_LT(high.low, 0.99);
  EXPECT_GT(high.low, 0.95);
  EXPECT_EQ(low.low, 0);
  EXPECT_NEAR(low.high, 1 - high.low, 1e-12);
}

TEST(Fractions, WhereSeedsScatterNoMoreThanItemsItIsWilsonsOfAllItems) {
  // Many seeds of 1 000 items at 0.9: their effective number is that of the items, t is near z.
  const std::vector<double> values(200, 0.9);
  const auto interval = fraction_interval(values, 1000);
  // T with 199 degrees of freedom.
  const double z = 1.959963985, n = 1000 * std::pow(z / 1.971956544, 2);
  const double middle = (0.9 + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(0.09 / n + z * z / (4 * n * n));
  EXPECT_NEAR(interval.low, middle - half, 1e-6);
  EXPECT_NEAR(interval.high, middle + half, 1e-6);
}

TEST(Fractions, RefuseWhatIsNone) {
  const std::vector<double> beyond{0.5, 1.2}, one{0.5};
  EXPECT_THAT([&] { fraction_interval(beyond, 10); }, ThrowsError(HasSubstr("outside [0, 1]")));
  EXPECT_THAT([&] { fraction_interval(one, 10); }, ThrowsError(HasSubstr("1 values")));
}

/// How often the interval holds the mean over retraining when networks differ by `scatter` around
/// `truth`, each tested on `items` items.
double held_fraction(double truth, double scatter, int seeds, int items) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> network(truth, scatter);
  int held = 0;
  constexpr int runs = 2000;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> values;
    for (int seed = 0; seed < seeds; ++seed) {
      std::binomial_distribution<int> right(items, std::clamp(network(random), 0.0, 1.0));
      values.push_back(static_cast<double>(right(random)) / items);
    }
    const auto interval = fraction_interval(values, seeds * items);
    held += interval.low <= truth && truth <= interval.high;
  }
  return static_cast<double>(held) / runs;
}

TEST(Fractions, TheIntervalHoldsTheTrueShareAtLeastAsOftenAsItSaysSlow) {
  for (const int seeds : {3, 5})
    for (const double truth : {0.5, 0.9, 0.98}) {
      EXPECT_GT(held_fraction(truth, 0, seeds, 200), 0.94)
          << truth << " of " << seeds << " seeds that differ by their items alone";
      EXPECT_GT(held_fraction(truth, 0.01, seeds, 200), 0.94)
          << truth << " of " << seeds << " seeds whose networks differ, too";
    }
  EXPECT_GT(held_fraction(0.8, 0.1, 5, 200), 0.94) << "networks that differ much";
}

TEST(Fractions, AMeanOfSeedsShowsThemWhereTheRecordSaysHowMany) {
  auto counted = make_seeds({.method = "a"}, {0.96, 1.0, 1.0});
  for (auto& record : counted) record.metrics[0].items = 50;
  const auto sample = aggregate(counted).begin()->second;
  ASSERT_TRUE(sample.interval);
  EXPECT_FALSE(sample.half_width);
  EXPECT_LT(sample.interval->high, 1);
  EXPECT_LT(sample.interval->low, sample.mean);
}

TEST(Fractions, WithoutACountTheTIntervalIsCutWhereItLeaves0To1) {
  const auto of = [](const std::vector<double>& values, const std::string& protocol) {
    return aggregate(make_seeds({.method = "a", .protocol = protocol}, values)).begin()->second;
  };
  const auto cut = of({0, 1, 1}, "accuracy/top-1");
  ASSERT_TRUE(cut.interval);
  EXPECT_EQ(cut.interval->low, 0);
  EXPECT_EQ(cut.interval->high, 1);
  EXPECT_FALSE(cut.half_width);
  const auto whole = of({0.5, 0.51, 0.52}, "accuracy/top-1");
  EXPECT_NEAR(whole.half_width.value(), (whole.interval->high - whole.interval->low) / 2, 1e-12);
  EXPECT_FALSE(of({1, 1, 1}, "accuracy/top-1").interval)
      << "nothing says how far from 1 it could be";
  EXPECT_TRUE(of({0, 1, 1}, "kernel/judge-1/N=200").half_width) << "no fraction: it may leave them";
}

TEST(Fractions, ARecordKeepsHowManyItems) {
  auto record = make({.method = "a", .value = 0.5});
  EXPECT_FALSE(to_json(record)["metrics"][0].contains("items"))
      << "records without it stay as they are";
  record.metrics[0].items = 360;
  EXPECT_EQ(record_from_json(to_json(record), "record").metrics[0].items, 360);
}

}  // namespace
}  // namespace reprise::records
