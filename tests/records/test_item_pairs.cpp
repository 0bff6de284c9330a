// Claims judged item by item: the size of the test under its own null hypothesis, and what that hypothesis does not cover.
#include <algorithm>
#include <cmath>
#include <random>

#include "records/claims.h"
#include "records/item_pairs.h"
#include "records/normal.h"
#include "records/statistics.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using BySeed = std::map<std::int64_t, std::vector<double>>;

TEST(ItemPairs, RightOrNotIsMcNemarsExactTestOverAllSeeds) {
  const BySeed gains{{0, {1, 1, 1, 0, 0, 1}}, {1, {1, -1, 1, 0, 0, 0}}};  // 6 of 7 that differ
  const auto test = test_items(gains);
  EXPECT_EQ(test.items, 12);
  EXPECT_DOUBLE_EQ(test.effect, 5.0 / 12);
  EXPECT_NEAR(test.p_greater, (7 + 1) / 128.0, 1e-12);
  EXPECT_NEAR(test.p_less, 127 / 128.0, 1e-12);
}

TEST(ItemPairs, WhereNoItemDiffersNothingIsDecided) {
  const auto test = test_items({{0, {0, 0}}, {1, {0, 0}}});
  EXPECT_EQ(test.p_greater, 1);
  EXPECT_EQ(test.p_less, 1);
  EXPECT_EQ(test.p_above(-1), 1);
}

TEST(ItemPairs, DrawnSignsAgreeWithAllSigns) {
  const BySeed gains{{0, {0.3, 1.1, -0.2, 0.7, 0.4, 0.9, -0.5, 0.6}}};
  const auto test = test_items(gains);
  int above = 0;
  for (unsigned signs = 0; signs < 256; ++signs) {
    double sum = 0;
    for (unsigned i = 0; i < 8; ++i) sum += std::abs(gains.at(0)[i]) * ((signs >> i & 1U) ? 1 : -1);
    above += sum / 8 >= test.effect - 1e-12;
  }
  EXPECT_NEAR(test.p_greater, above / 256.0, 0.01);
}

/// Of many made studies, how many are decided at 0.05 one-sided. Each seed has its own share of items that differ. `lean`: by how much
/// training leans to one of the two methods, anew in every seed and neither way on average.
struct Decided {
  double by_items = 0, by_seeds = 0;
};
Decided under_no_difference(double lean, int seeds, int items, bool errors) {
  std::mt19937_64 random(19);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Decided decided;
  constexpr int studies = 1000;
  for (int study = 0; study < studies; ++study) {
    BySeed gains;
    std::vector<double> means;
    for (int seed = 0; seed < seeds; ++seed) {
      const double differ = 0.02 + 0.3 * uniform(random), favour = 0.5 + lean * normal(random), scale = std::exp(normal(random));
      auto& of_seed = gains[seed];
      for (int item = 0; item < items; ++item) {
        const double size = uniform(random) > differ ? 0 : errors ? scale * std::abs(normal(random)) : 1;
        of_seed.push_back(uniform(random) < favour ? size : -size);
      }
      means.push_back(mean(of_seed));
    }
    decided.by_items += test_items(gains).p_greater < 0.05;
    decided.by_seeds += seeds > 1 && paired_t(means, std::vector<double>(means.size(), 0.0)).p_greater < 0.05;
  }
  return {decided.by_items / studies, decided.by_seeds / studies};
}

TEST(ItemPairs, TheSizeHoldsHoweverMuchSeedsDiffer) {
  EXPECT_LT(under_no_difference(0, 5, 60, false).by_items, 0.065);
  EXPECT_LT(under_no_difference(0, 1, 100, false).by_items, 0.065) << "one seed is enough";
}

TEST(ItemPairs, TheSizeHoldsForErrorsToo) {
  std::mt19937_64 random(23);
  std::normal_distribution<double> normal;
  int decided = 0;
  constexpr int studies = 100;  // 20 000 draws of the signs each
  for (int study = 0; study < studies; ++study) {
    BySeed gains;
    for (int seed = 0; seed < 2; ++seed)
      for (int item = 0; item < 10; ++item) gains[seed].push_back(std::exp(seed) * normal(random));
    decided += test_items(gains).p_greater < 0.05;
  }
  EXPECT_LE(decided, 12) << "of 100, where 5 are expected";
}

/// The limit that the header and each page name: training again is another question.
TEST(ItemPairs, WhereTrainingLeansByChanceItDecidesTooOftenForRetrainingAndTheTestOverSeedsDoesNot) {
  const auto decided = under_no_difference(0.3, 5, 400, false);
  EXPECT_GT(decided.by_items, 0.15);
  EXPECT_LT(decided.by_seeds, 0.07);
}

TEST(ItemPairs, TheNormalDistributionIsThat) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-10);
  EXPECT_NEAR(normal_below(normal_quantile(0.3)), 0.3, 1e-14);
}

const std::string by_items = R"toml(
[[claim]]
id = "1"
says = "mine is better"
source = "document, table 1"
kind = "better"
items = true
methods = "mine"
than = "base"
metric = "accuracy"
table = "table1"
)toml";

class ItemClaims : public testing::Test {
 protected:
  /// A finished cell of each seed; its items are right but for the first `wrong` of them.
  void add(const std::string& method, const std::vector<int>& wrong, int items = 40, bool kept = true) {
    for (std::size_t seed = 0; seed < wrong.size(); ++seed) {
      std::vector<double> right(static_cast<std::size_t>(items), 1.0);
      std::fill_n(right.begin(), wrong[seed], 0.0);
      const auto record = make({.method = method, .seed = static_cast<std::int64_t>(seed), .value = mean(right), .metric = "accuracy"});
      store_.write(record);
      store_.write_curves(record.cell, kept ? Curves{{"items/accuracy", right}} : Curves{});
    }
  }
  Judgement judged(const std::string& toml = by_items) const { return judge(toml, "claims.toml", store_).at(0); }

 private:
  TemporaryFolder folder_;
  Store store_{folder_.path()};
};

TEST_F(ItemClaims, AreDecidedByItemsAndSaySo) {
  add("base", {12});
  add("mine", {2});
  const auto judgement = judged();
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced) << "one seed: ten items, all one way";
  EXPECT_EQ(judgement.comparisons.at(0).items, 40);
  EXPECT_NEAR(judgement.p, std::pow(0.5, 10), 1e-12);
  EXPECT_THAT(judgement.reason, AllOf(HasSubstr("item by item, of these trained networks"), HasSubstr("40 items of 1 seed")));
}

TEST_F(ItemClaims, AreContradictedUndecidedOrOfNoEffectAsOthersAre) {
  add("base", {2, 3});
  add("mine", {12, 13});
  EXPECT_EQ(judged().verdict, Verdict::Contradicted);
  add("mine", {1, 3});
  EXPECT_EQ(judged().verdict, Verdict::Undecided);
  EXPECT_EQ(judged(by_items + "margin = 0.1\n").verdict, Verdict::NoEffect);
}

TEST_F(ItemClaims, WithoutItemsAreNotRun) {
  add("base", {12, 11}, 40, false);
  add("mine", {2, 3});
  const auto judgement = judged();
  EXPECT_EQ(judgement.verdict, Verdict::NotRun);
  EXPECT_THAT(judgement.reason, HasSubstr("they keep no items"));
}

TEST_F(ItemClaims, OfDifferentItemsAreRefused) {
  add("base", {12}, 40);
  add("mine", {2}, 41);
  EXPECT_THAT([&] { judged(); }, ThrowsUsageError(AllOf(HasSubstr("41 items"), HasSubstr("40"))));
}

}  // namespace
}  // namespace reprise::records
