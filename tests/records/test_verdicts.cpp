// Verdicts that a referee signs: pooled effects, requirements, margins, conjunctions, seeds that divide one finite set, the whole page.
#include <algorithm>
#include <cmath>
#include <random>
#include <span>

#include "records/claims.h"
#include "records/power.h"
#include "records/statistics.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string gain = R"toml(
[[claim]]
id = "1"
says = "mine is better"
source = "document, table 1"
kind = "better"
methods = "mine.*"
than = "base"
metric = "auc"
table = "table1"
)toml";

class Verdicts : public testing::Test {
 protected:
  void add(const std::string& method, const std::vector<double>& values, const std::string& metric = "auc") {
    for (auto record : make_seeds({.method = method, .metric = metric}, values)) {
      if (const auto before = store_.find(record.cell))
        for (const auto& kept : before->metrics)
          if (kept.name != metric) record.metrics.push_back(kept);
      store_.write(record);
    }
  }
  std::vector<Judgement> judged(const std::string& toml) const { return judge(toml, "claims.toml", store_); }
  Judgement only(const std::string& toml) const { return judged(toml).at(0); }

 private:
  TemporaryFolder folder_;
  Store store_{folder_.path()};
};

TEST_F(Verdicts, AnEffectIsTheMeanOverItsComparisonsSeedBySeedWithThePairedIntervalOfThat) {
  add("base", {0.5, 0.6, 0.7});
  add("mine_a", {0.6, 0.8, 0.7});
  add("mine_b", {0.7, 0.6, 0.9});
  const auto judgement = only(gain);
  ASSERT_EQ(judgement.effects.size(), 1U);
  const auto& effect = judgement.effects[0];
  const std::vector<double> mean_gains{0.15, 0.1, 0.1};
  const auto expected = paired_t(mean_gains, std::vector<double>(3, 0.0), 0.9);
  EXPECT_EQ(effect.comparisons, 2);
  EXPECT_EQ(effect.n, 3);
  EXPECT_NEAR(effect.effect, expected.difference, 1e-12);
  EXPECT_NEAR(effect.low, expected.interval->low, 1e-12);
  EXPECT_NEAR(effect.high, expected.interval->high, 1e-12);
}

TEST_F(Verdicts, MetricsOfDifferentUnitsNeverEnterOneMean) {
  for (const auto* metric : {"auc", "error"}) {
    add("base", {0.5, 0.6, 0.7}, metric);
    add("mine", {0.6, 0.8, 0.7}, metric);
  }
  std::string two = gain;
  two.replace(two.find("\"auc\""), 5, "[\"auc\", \"error\"]");
  const auto judgement = only(two);
  ASSERT_EQ(judgement.effects.size(), 2U);
  EXPECT_EQ(judgement.effects[0].metric, "auc");
  EXPECT_EQ(judgement.effects[1].metric, "error");
  EXPECT_EQ(judgement.effects[0].comparisons, 1);
}

// Far above one and below another is no mean.
TEST_F(Verdicts, AMethodThatIsComparedWithSeveralHasAnEffectAgainstEach) {
  add("base", {0.5, 0.6, 0.7});
  add("other", {0.9, 0.8, 0.95});
  add("mine", {0.6, 0.8, 0.7});
  std::string both = gain;
  both.replace(both.find("\"base\""), 6, "[\"base\", \"other\"]");
  const auto judgement = only(both);
  ASSERT_EQ(judgement.effects.size(), 2U);
  EXPECT_EQ(effect_name(judgement, judgement.effects[0]), "auc against base");
  EXPECT_NEAR(judgement.effects[0].effect, 0.1, 1e-12);
  EXPECT_EQ(effect_name(judgement, judgement.effects[1]), "auc against other");
  EXPECT_NEAR(judgement.effects[1].effect, -0.55 / 3, 1e-12);
}

// A second test of the claim brings another method with one other: it is neither lost nor joined to the first's.
TEST_F(Verdicts, AnotherMethodWithOneOtherKeepsItsEffect) {
  add("base", {0.5, 0.6, 0.7});
  add("other", {0.9, 0.8, 0.95});
  add("third", {0.2, 0.3, 0.1});
  add("mine", {0.6, 0.8, 0.7});
  add("yours", {0.3, 0.3, 0.3});
  const std::string tests = R"toml(
[[claim]]
id = "1"
says = "each is better"
source = "document, table 1"
[[claim.test]]
kind = "better"
methods = "mine"
than = ["base", "other"]
metric = "auc"
table = "table1"
[[claim.test]]
kind = "better"
methods = "yours"
than = "third"
metric = "auc"
table = "table1"
)toml";
  const auto judgement = only(tests);
  ASSERT_EQ(judgement.effects.size(), 3U);
  EXPECT_EQ(effect_name(judgement, judgement.effects[2]), "auc against third");
  EXPECT_NEAR(judgement.effects[2].effect, 0.1, 1e-12);
}

TEST_F(Verdicts, WhatGoesAgainstAClaimSaysSoWithItsOwnP) {
  add("base", {0.60, 0.62, 0.61, 0.60});
  add("mine", {0.50, 0.51, 0.52, 0.49});
  const auto judgement = only(gain);
  EXPECT_EQ(judgement.verdict, Verdict::Contradicted);
  EXPECT_LT(judgement.p_against, 0.01);
  EXPECT_THAT(judgement.reason, HasSubstr("against, p = "));
  EXPECT_TRUE(judgement.survives_page);
}

/// The interval leaves 0 out exactly where the test of that direction decides.
TEST_F(Verdicts, TheIntervalsSidesAreTheTestsSides) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0.02, 0.03);
  int decided = 0;
  for (int run = 0; run < 200; ++run) {
    std::vector<double> mine;
    for (int seed = 0; seed < 4; ++seed) mine.push_back(0.5 + noise(random));
    add("base", {0.5, 0.5, 0.5, 0.5});
    add("mine", mine);
    const auto comparison = only(gain).comparisons.at(0);
    EXPECT_EQ(comparison.p<0.05, comparison.low> 0) << comparison.p;
    EXPECT_EQ(comparison.p_against < 0.05, comparison.high < 0) << comparison.p_against;
    decided += comparison.p < 0.05;
  }
  EXPECT_GT(decided, 20);
  EXPECT_LT(decided, 180);
}

TEST_F(Verdicts, ADifferenceInsideTheMarginIsNoEffect) {
  add("base", {0.500, 0.510, 0.520, 0.530});
  add("mine", {0.501, 0.509, 0.521, 0.529});
  EXPECT_EQ(only(gain).verdict, Verdict::Undecided);
  const auto judgement = only(gain + "margin = 0.01\n");
  EXPECT_EQ(judgement.verdict, Verdict::NoEffect);
  EXPECT_THAT(judgement.reason, HasSubstr("1 lie within ± 0.01: no effect"));
  EXPECT_EQ(only(gain + "margin = 0.001\n").verdict, Verdict::Undecided);
  add("mine_too", {0.60, 0.612, 0.62, 0.628});
  EXPECT_EQ(only(gain + "margin = 0.01\n").verdict, Verdict::NoEffect) << "one gains, one has no effect: the claim says all";
}

// A difference of 0.004 that every seed shows is significant either way, and within ± 0.01 no effect all the same.
TEST_F(Verdicts, TheMarginDecidesBeforeSignificance) {
  add("base", {0.500, 0.510, 0.520, 0.530});
  const std::vector<std::pair<double, std::string>> ways{{0.004, "for"}, {-0.004, "against"}};
  for (const auto& [difference, way] : ways) {
    add("mine", {0.500 + difference, 0.5101 + difference, 0.520 + difference, 0.5301 + difference});
    EXPECT_EQ(only(gain).verdict, difference > 0 ? Verdict::Reproduced : Verdict::Contradicted) << way;
    EXPECT_EQ(only(gain + "margin = 0.01\n").verdict, Verdict::NoEffect) << way;
  }
}

TEST_F(Verdicts, OnlyADifferenceBeyondTheMarginContradicts) {
  add("base", {0.500, 0.510, 0.520, 0.530});
  add("mine", {0.480, 0.4905, 0.500, 0.5105});
  EXPECT_EQ(only(gain + "margin = 0.01\n").verdict, Verdict::Contradicted) << "0.02 worse";
  add("mine", {0.485, 0.505, 0.505, 0.520});
  EXPECT_EQ(only(gain).verdict, Verdict::Contradicted);
  EXPECT_EQ(only(gain + "margin = 0.01\n").verdict, Verdict::Undecided) << "the interval reaches over the margin";
}

TEST_F(Verdicts, UndecidedSaysHowManyPointItsWayAndHowManySeedsWouldDecide) {
  const std::vector<double> base{0.5, 0.5, 0.5, 0.5}, mine{0.53, 0.49, 0.52, 0.51};
  add("base", base);
  add("mine", mine);
  const auto judgement = only(gain);
  ASSERT_EQ(judgement.verdict, Verdict::Undecided);
  const auto test = paired_t(mine, base);
  const auto needed = seeds_needed(test.difference / test.deviation, 0.10);
  EXPECT_EQ(judgement.needed, needed);
  EXPECT_EQ(judgement.towards, 1);
  EXPECT_NEAR(judgement.hours, (*needed - 4) * 2 * 12.25 / 3600, 1e-12) << "two cells of 12.25 s a seed";
  EXPECT_THAT(judgement.reason,
              AllOf(HasSubstr("1 of 1 point the claimed way"), HasSubstr(std::to_string(*needed) + " seeds would decide")));
}

TEST_F(Verdicts, SeedsThatDivideOneSetAnewHaveTheWiderIntervalOfNadeauAndBengio) {
  const std::vector<double> base{0.5, 0.5, 0.5, 0.5, 0.5}, mine{0.53, 0.51, 0.52, 0.51, 0.54};
  add("base", base);
  add("mine", mine);
  ASSERT_EQ(only(gain).verdict, Verdict::Reproduced);
  const std::string split = "[[replicates]]\ntable = \"table1\"\nrenews = \"split\"\ntest_over_train = 0.55\nbecause = \"24 tracks\"\n";
  const auto judgement = only(gain + split);
  const auto& comparison = judgement.comparisons.at(0);
  const auto plain = paired_t(mine, base, 0.9);
  const double wider = std::sqrt(1.0 / 5 + 0.55) / std::sqrt(1.0 / 5);
  EXPECT_EQ(comparison.renews, Renews::Split);
  EXPECT_NEAR(comparison.high - comparison.low, (plain.interval->high - plain.interval->low) * wider, 1e-12);
  EXPECT_NEAR(comparison.p, student_tail(plain.t / wider, 4), 1e-12);
  EXPECT_NEAR(judgement.effects.at(0).low, comparison.low, 1e-12);
  EXPECT_EQ(only(gain + "[[replicates]]\ntable = \"other\"\nrenews = \"weights\"\nbecause = \"b\"\n").verdict, Verdict::Reproduced);
}

TEST_F(Verdicts, ARequirementThatFailsMakesAClaimNotTestableWithTheNumbers) {
  add("base", {0.5, 0.5, 0.5, 0.5});
  add("mine", {0.61, 0.62, 0.6, 0.61});
  add("oracle", {0.7, 0.7, 0.7, 0.7});
  const auto requires_that = [](const std::string& keys) {
    return gain + "[[claim.requires]]\nsays = \"there is room\"\ntable = \"table1\"\nmetric = \"auc\"\n" + keys;
  };
  EXPECT_EQ(only(requires_that("methods = \"oracle\"\nthan = \"base\"\nat_least = 0.15\n")).verdict, Verdict::Reproduced);
  const auto judgement = only(requires_that("methods = \"oracle\"\nthan = \"base\"\nat_least = 0.3\n"));
  EXPECT_EQ(judgement.verdict, Verdict::NotTestable);
  EXPECT_THAT(judgement.reason,
              AllOf(HasSubstr("there is room"), HasSubstr("a gain of 0.2 of oracle over base"), HasSubstr("at least 0.3")));
  // All of several, or any.
  EXPECT_EQ(only(requires_that("methods = \"mine|oracle\"\nat_least = 0.65\n")).verdict, Verdict::NotTestable);
  EXPECT_EQ(only(requires_that("methods = \"mine|oracle\"\nat_least = 0.65\nany = true\n")).verdict, Verdict::Reproduced);
  EXPECT_EQ(only(requires_that("methods = \"mine|oracle\"\nat_most = 0.65\n")).verdict, Verdict::NotTestable);
  // What nobody measured holds for nobody.
  EXPECT_THAT(only(requires_that("methods = \"judge\"\nat_least = 0.95\n")).reason, HasSubstr("no finished cell"));
  EXPECT_THAT([&] { only(requires_that("methods = \"oracle\"\n")); }, ThrowsUsageError(HasSubstr("'at_least'")));
}

TEST_F(Verdicts, AConjunctionNeedsNoCorrectionForAllMustBeSignificant) {
  const std::vector<double> base{0.5, 0.5, 0.5, 0.5}, gained{0.51, 0.52, 0.502, 0.512};
  add("base", base);
  add("mine_a", gained);
  add("mine_b", gained);
  EXPECT_EQ(only(gain).verdict, Verdict::Undecided) << "Holm's first step asks for half the level";
  const auto judgement = only(gain + "conjunction = true\n");
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  EXPECT_DOUBLE_EQ(judgement.p, paired_t(gained, base).p_greater);
}

// Within the margin, too, all must be what is claimed or nothing, each at the level.
TEST_F(Verdicts, AConjunctionNeedsNoCorrectionWithinItsMargin) {
  const std::vector<double> base{0.5, 0.5, 0.5, 0.5}, same{0.504, 0.496, 0.508, 0.492};
  add("base", base);
  add("mine_a", same);
  add("mine_b", same);
  EXPECT_EQ(only(gain + "margin = 0.01\n").verdict, Verdict::Undecided);
  EXPECT_EQ(only(gain + "margin = 0.01\nconjunction = true\n").verdict, Verdict::NoEffect);
}

TEST_F(Verdicts, ThePageSaysWhichVerdictsSurviveACorrectionOverAllOfThem) {
  add("base", {0.5, 0.5, 0.5, 0.5});
  add("mine", {0.51, 0.52, 0.502, 0.512});  // p = 0.04
  EXPECT_TRUE(only(gain).survives_page);
  std::string second = gain;
  second.replace(second.find("\"1\""), 3, "\"2\"");
  for (const auto& judgement : judged(gain + second)) {
    EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
    EXPECT_FALSE(judgement.survives_page);
  }
}

TEST_F(Verdicts, BothAtTheBoundOfAMetricIsShown) {
  add("base", {1, 1, 1, 0.9});
  add("mine", {1, 1, 0.98, 1});
  EXPECT_THAT(only(gain).reason, HasSubstr("in 2 of 4 runs both are at the bound of the metric"));
}

TEST_F(Verdicts, ReplicatesThatCannotBeReadAreNamed) {
  const auto reading = [&](const std::string& entry) { return [this, entry] { only(gain + "[[replicates]]\n" + entry); }; };
  EXPECT_THAT(reading("table = \"a\"\nrenews = \"half\"\nbecause = \"b\"\n"),
              ThrowsUsageError(HasSubstr("'half'"), HasSubstr("data, split")));
  EXPECT_THAT(reading("table = \"a\"\nrenews = \"split\"\nbecause = \"b\"\n"), ThrowsUsageError(HasSubstr("'test_over_train'")));
  EXPECT_THAT(reading("table = \"a\"\nrenews = \"data\"\nbecause = \"b\"\nmore = 1\n"), ThrowsUsageError(HasSubstr("'more'")));
}

/// In each of many made studies seeds divide one finite set of items anew into training and test items. An item's effect is fixed for the
/// study, drawn around 0; what a seed measures is the mean over its test items, and what training adds.
struct Rejections {
  double plain = 0, corrected = 0;
};
Rejections under_resplits(int studies, int seeds, int items, int tested) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  Rejections rejections;
  for (int study = 0; study < studies; ++study) {
    std::vector<double> effects(static_cast<std::size_t>(items));
    for (auto& effect : effects) effect = normal(random);
    std::vector<double> gains;
    for (int seed = 0; seed < seeds; ++seed) {
      std::shuffle(effects.begin(), effects.end(), random);
      gains.push_back(mean(std::span(effects).first(static_cast<std::size_t>(tested))) + 0.05 * normal(random));
    }
    const std::vector<double> none(gains.size(), 0.0);
    const double ratio = static_cast<double>(tested) / (items - tested);
    rejections.plain += paired_t(gains, none).p_two_sided < 0.05;
    rejections.corrected += paired_t(gains, none, 0.95, ratio).p_two_sided < 0.05;
  }
  return {rejections.plain / studies, rejections.corrected / studies};
}

TEST(CorrectedResampledT, HoldsItsSizeWhereThePlainTestRejectsFarTooOften) {
  const auto rejections = under_resplits(4000, 5, 40, 14);
  EXPECT_GT(rejections.plain, 0.10);
  EXPECT_LT(rejections.corrected, 0.06);
}

/// Coverage of the pooled interval: comparisons of one base share its noise, so that they are not independent.
TEST(PooledEffect, ItsIntervalHoldsTheTrueEffectAsOftenAsItSays) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  int held = 0;
  constexpr int runs = 4000, seeds = 5;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> pooled;
    for (int seed = 0; seed < seeds; ++seed) {
      const double base = normal(random);
      double sum = 0;
      for (int method = 0; method < 6; ++method) sum += 0.2 + 0.5 * normal(random) - base;
      pooled.push_back(sum / 6);
    }
    const auto interval = paired_t(pooled, std::vector<double>(seeds, 0.0), 0.9).interval.value();
    held += interval.low < 0.2 && interval.high > 0.2;
  }
  EXPECT_NEAR(static_cast<double>(held) / runs, 0.9, 0.02);
}

TEST(SeedsNeeded, WhereAFiniteSetIsDividedAnewMoreSeedsBringOnlySoMuch) {
  EXPECT_EQ(seeds_needed(1, 0.05, 0.8, 0), seeds_needed(1, 0.05));
  EXPECT_GT(seeds_needed(3, 0.05, 0.8, 0.5).value(), seeds_needed(3, 0.05).value());
  EXPECT_EQ(seeds_needed(1, 0.05, 0.8, 0.5), std::nullopt) << "1 / sqrt(0.5) standard errors are never enough";
}

}  // namespace
}  // namespace reprise::records
