#include "records/paired.h"
#include "records/power.h"
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
      aggregate(records), a, [](const std::string&) { return true; }, [](const Quantity&, const Sample&) { return true; });
  compare_pairs(pairs);
  return pairs;
}

TEST(PairedMethods, AreComparedWithEveryOtherAndAdjustedTogether) {
  const auto pairs = compared(joined({make_seeds({.method = "mine"}, {0.71, 0.72, 0.73}), make_seeds({.method = "cnn"}, {0.60, 0.62, 0.61}),
                                      make_seeds({.method = "gru"}, {0.70, 0.73, 0.725})}),
                              "mine");
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].b, "cnn");
  EXPECT_EQ(pairs[1].b, "gru");
  const auto alone = paired_t(pairs[0].values_a, pairs[0].values_b);
  EXPECT_DOUBLE_EQ(pairs[0].test.p_two_sided, alone.p_two_sided);
  EXPECT_DOUBLE_EQ(pairs[0].holm, 2 * alone.p_two_sided);
  EXPECT_EQ(decision(pairs[0]), Decision::ABetter);
  EXPECT_EQ(decision_text(pairs[0]), "mine is better");
  EXPECT_EQ(decision(pairs[1]), Decision::NoDifference);
  EXPECT_EQ(pairs[1].needed, seeds_needed(pairs[1].test.difference / pairs[1].test.deviation, 0.05 / 2));
}

TEST(PairedMethods, OnlySharedSeedsArePairedAndFewerAreCounted) {
  auto records = joined({make_seeds({.method = "mine"}, {0.7}), make_seeds({.method = "cnn"}, {0.6, 0.5, 0.4})});
  const auto pairs = compared(records, "mine");
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].seeds_a, 1);
  EXPECT_EQ(pairs[0].seeds_b, 3);
  EXPECT_EQ(pairs[0].test.n, 1);
  EXPECT_NEAR(pairs[0].test.difference, 0.1, 1e-12);
  EXPECT_EQ(decision(pairs[0]), Decision::OneSeed);
  EXPECT_EQ(pairs[0].needed, std::nullopt);
}

TEST(PairedMethods, ADifferenceThatNoSeedMovesIsSeenWithTwo) {
  const auto pairs =
      compared(joined({make_seeds({.method = "mine"}, {0.5, 0.25, 0.75}), make_seeds({.method = "cnn"}, {0.25, 0, 0.5})}), "mine");
  EXPECT_EQ(pairs.at(0).needed, 2);
  const auto alike =
      compared(joined({make_seeds({.method = "mine"}, {0.5, 0.25, 0.75}), make_seeds({.method = "cnn"}, {0.5, 0.25, 0.75})}), "mine");
  EXPECT_EQ(alike.at(0).needed, std::nullopt);
}

TEST(PairedMethods, LowerIsBetterAndNoDirectionAreReadRight) {
  const auto of = [](Direction direction) {
    return compared(joined({make_seeds({.method = "mine", .direction = direction}, {0.1, 0.2, 0.3}),
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
        compared(joined({make_seeds({.method = "mine", .protocol = "outer eyes"}, {0.7}), make_seeds({.method = "cnn"}, {0.6})}), "mine");
      },
      ThrowsError(HasSubstr("outer eyes"), HasSubstr("box diagonal")));
}

}  // namespace
}  // namespace reprise::records
