#include "records/paired.h"
#include "statistics/power.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::HasSubstr;

std::vector<Record> joined(std::initializer_list<std::vector<Record>> lists) {
  std::vector<Record> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<PairedMethods> compared(const std::vector<Record>& records, const std::string& a) {
  auto pairs = pair_methods(
      aggregate(records), a, [](const std::string&) { return true; },
      [](const Quantity&, const Sample&) { return true; });
  compare_pairs(pairs);
  return pairs;
}

TEST(PairedMethods, AreComparedWithEveryOtherAndAdjustedTogether) {
  const auto pairs = compared(joined({make_seeds({.method = "mine"}, {0.71, 0.72, 0.73}),
                                      make_seeds({.method = "cnn"}, {0.60, 0.62, 0.61}),
                                      make_seeds({.method = "gru"}, {0.70, 0.73, 0.725})}),
                              "mine");
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].b, "cnn");
  EXPECT_EQ(pairs[1].b, "gru");
  const auto alone = statistics::paired_t(pairs[0].values_a, pairs[0].values_b);
  EXPECT_DOUBLE_EQ(pairs[0].test.p_two_sided, alone.p_two_sided);
  EXPECT_DOUBLE_EQ(pairs[0].holm, 2 * alone.p_two_sided);
  EXPECT_EQ(decision(pairs[0]), Decision::ABetter);
  EXPECT_EQ(decision_text(pairs[0]), "mine is better");
  EXPECT_EQ(decision(pairs[1]), Decision::NoDifference);
  EXPECT_EQ(pairs[1].needed,
            statistics::seeds_needed(pairs[1].test.difference / pairs[1].test.std_dev, 0.05 / 2));
}

TEST(PairedMethods, OnlySharedSeedsArePairedAndFewerAreCounted) {
  auto records = joined(
      {make_seeds({.method = "mine"}, {0.7}), make_seeds({.method = "cnn"}, {0.6, 0.5, 0.4})});
  for (auto& record : records) record.metrics.front().unit = "px";
  const auto pairs = compared(records, "mine");
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].unit, "px");
  EXPECT_EQ(pairs[0].seeds_a, 1);
  EXPECT_EQ(pairs[0].seeds_b, 3);
  EXPECT_EQ(pairs[0].test.n, 1);
  EXPECT_NEAR(pairs[0].test.difference, 0.1, 1e-12);
  EXPECT_EQ(decision(pairs[0]), Decision::OneSeed);
  EXPECT_EQ(pairs[0].needed, std::nullopt);
}

TEST(PairedMethods, ADifferenceThatNoSeedMovesIsSeenBySignsAlone) {
  const auto pairs = compared(joined({make_seeds({.method = "mine"}, {0.5, 0.25, 0.75}),
                                      make_seeds({.method = "cnn"}, {0.25, 0, 0.5})}),
                              "mine");
  EXPECT_EQ(pairs.at(0).needed, 6) << "2^(1 - 6) < 0.05";
  const auto alike = compared(joined({make_seeds({.method = "mine"}, {0.5, 0.25, 0.75}),
                                      make_seeds({.method = "cnn"}, {0.5, 0.25, 0.75})}),
                              "mine");
  EXPECT_EQ(alike.at(0).needed, std::nullopt);
}

// An interval of no width would leave 0 out where the verdict shows no difference.
TEST(PairedMethods, WithoutASpreadThereIsNoIntervalToContradictTheVerdict) {
  const auto of = [](const std::vector<double>& mine, const std::vector<double>& theirs) {
    return compared(joined({make_seeds({.method = "mine"}, mine),
                            make_seeds({.method = "cnn"}, theirs)}),
                    "mine")
        .at(0);
  };
  const auto shifted = of({0.5, 0.6}, {0.4, 0.5});
  EXPECT_FALSE(shifted.test.interval);
  EXPECT_EQ(decision(shifted), Decision::NoDifference);
  EXPECT_NEAR(shifted.test.difference, 0.1, 1e-12);
  // Differences in the 13th digit beside values of a million: rounding, not a spread.
  const auto large = of({1e6 + 0.1, 1e6 + 0.3, 1e6 + 0.7}, {1e6, 1e6 + 0.2, 1e6 + 0.6});
  EXPECT_FALSE(large.test.interval);
  const auto rounded = of({0.1 + 0.2, 0.3, 0.7}, {0.3, 0.3, 0.7});
  EXPECT_TRUE(rounded.equal()) << "0.1 + 0.2 is not 0.3 in its last digit";
  EXPECT_EQ(rounded.test.p_two_sided, 1);
  EXPECT_EQ(rounded.needed, std::nullopt);
  EXPECT_EQ(decision_text(rounded), "no difference: equal in every seed");
  EXPECT_TRUE(of({0.5, 0.6}, {0.4, 0.52}).test.interval)
      << "where there is a spread, there is an interval";
}

TEST(PairedMethods, EqualInEverySeedDecidesNothingAndSaysSo) {
  const std::vector<double> same{0.5, 0.25, 0.75, 0.1, 0.3, 0.2};
  const auto pair =
      compared(joined({make_seeds({.method = "mine"}, same), make_seeds({.method = "cnn"}, same)}),
               "mine")
          .at(0);
  EXPECT_TRUE(pair.equal());
  EXPECT_EQ(pair.test.p_two_sided, 1);
  EXPECT_EQ(pair.holm, 1);
  EXPECT_EQ(pair.wilcoxon, 1);
  EXPECT_EQ(decision(pair), Decision::NoDifference);
  EXPECT_EQ(decision_text(pair), "no difference: equal in every seed");
}

TEST(PairedMethods, AnIntervalLeavesZeroOutExactlyWhereTheComparisonIsDecided) {
  std::vector<Record> records = make_seeds({.method = "mine"}, {0.70, 0.72, 0.71, 0.73, 0.70});
  const std::vector<double> shifts{0.0, 0.004, 0.008, 0.011, 0.014, 0.017, 0.02, 0.03, 0.1, 0.3},
      noise{0.005, -0.01, 0.012, -0.003, -0.004};
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    std::vector<double> values{0.70, 0.72, 0.71, 0.73, 0.70};
    for (std::size_t seed = 0; seed < values.size(); ++seed)
      values[seed] += noise[seed] - shifts[i];
    for (const auto& record : make_seeds({.method = "b" + std::to_string(i)}, values))
      records.push_back(record);
  }
  const auto pairs = compared(records, "mine");
  int decided = 0, only_unadjusted = 0;
  for (const auto& pair : pairs) {
    ASSERT_TRUE(pair.test.interval) << pair.b;
    const auto& [low, high] = *pair.test.interval;
    const bool out = low > 0 || high < 0;
    EXPECT_EQ(out, decision(pair) != Decision::NoDifference) << pair.b;
    decided += out;
    only_unadjusted += !out && pair.test.p_two_sided < comparison_level;
  }
  EXPECT_GT(decided, 1);
  EXPECT_GT(only_unadjusted, 0)
      << "where the interval of one comparison alone would contradict the verdict";
  EXPECT_LT(decided, static_cast<int>(pairs.size()));
}

TEST(PairedMethods, WilcoxonIsLeftOutWhereItCannotReachTheLevel) {
  const auto with = [](int n) {
    std::vector<double> a, b;
    for (int i = 0; i < n; ++i) a.push_back(1 + 0.1 * i * i), b.push_back(0.01 * i);
    return compared(joined({make_seeds({.method = "mine"}, a), make_seeds({.method = "cnn"}, b)}),
                    "mine")
        .at(0)
        .wilcoxon;
  };
  EXPECT_EQ(with(wilcoxon_seeds - 1), std::nullopt);
  EXPECT_LT(with(wilcoxon_seeds).value(), comparison_level);
}

TEST(PairedMethods, LowerIsBetterAndNoDirectionAreReadRight) {
  const auto of = [](Direction direction) {
    return compared(
               joined({make_seeds({.method = "mine", .direction = direction}, {0.1, 0.2, 0.3}),
                       make_seeds({.method = "cnn", .direction = direction}, {1.1, 1.2, 1.31})}),
               "mine")
        .at(0);
  };
  EXPECT_EQ(decision(of(Direction::LowerIsBetter)), Decision::ABetter);
  EXPECT_EQ(decision(of(Direction::HigherIsBetter)), Decision::BBetter);
  EXPECT_EQ(decision(of(Direction::Neither)), Decision::Differs);
}

TEST(PairedMethods, TwoProtocolsAreRefused) {
  EXPECT_THAT(
      [] {
        compared(joined({make_seeds({.method = "mine", .protocol = "outer eyes"}, {0.7}),
                         make_seeds({.method = "cnn"}, {0.6})}),
                 "mine");
      },
      ThrowsError(HasSubstr("outer eyes"), HasSubstr("box diagonal")));
}

}  // namespace
}  // namespace reprise::records
