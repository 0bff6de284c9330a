// What the numbers of a verdict are: pooled effects, intervals, margins, seeds needed, and seeds
// that split one finite set again.
#include <algorithm>
#include <cmath>
#include <random>
#include <span>

#include "statistics/power.h"
#include "statistics/statistics.h"
#include "tests/records/claims/claim_text.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string& gain = mine_is_better;

struct Verdicts : ResultsToJudge {
  void add(const std::string& method, const std::vector<double>& values,
           const std::string& metric = "auc") const {
    for (auto record : make_seeds({.method = method, .metric = metric}, values)) {
      if (const auto before = store_.find(record.cell))
        for (const auto& kept : before->metrics)
          if (kept.name != metric) record.metrics.push_back(kept);
      store_.write(record);
    }
  }
};

TEST_F(Verdicts, AnEffectIsTheMeanOverItsComparisonsSeedBySeedWithThePairedIntervalOfThat) {
  add("base", {0.5, 0.6, 0.7});
  add("mine_a", {0.6, 0.8, 0.7});
  add("mine_b", {0.7, 0.6, 0.9});
  const auto judgement = only(gain);
  ASSERT_EQ(judgement.effects.size(), 1U);
  const auto& effect = judgement.effects[0];
  const std::vector<double> mean_gains{0.15, 0.1, 0.1};
  const auto expected = statistics::paired_t(mean_gains, std::vector<double>(3, 0.0), 0.9);
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
  const auto judgement = only(replaced(gain, "\"auc\"", "[\"auc\", \"error\"]"));
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
  const auto judgement = only(replaced(gain, "\"base\"", "[\"base\", \"other\"]"));
  ASSERT_EQ(judgement.effects.size(), 2U);
  EXPECT_EQ(effect_name(judgement, judgement.effects[0]), "auc against base");
  EXPECT_NEAR(judgement.effects[0].effect, 0.1, 1e-12);
  EXPECT_EQ(effect_name(judgement, judgement.effects[1]), "auc against other");
  EXPECT_NEAR(judgement.effects[1].effect, -0.55 / 3, 1e-12);
}

// Two methods are compared with base, and each with its own other: only those with base have a mean
// in common.
TEST_F(Verdicts, OnlyComparisonsWithTheSameOtherArePooled) {
  add("base", {0.5, 0.6, 0.7});
  add("own_a", {0.9, 0.8, 0.95});
  add("own_b", {0.2, 0.3, 0.1});
  add("mine_a", {0.6, 0.8, 0.7});
  add("mine_b", {0.7, 0.6, 0.9});
  const std::string pairs = replaced(gain, "mine.*", "mine_(.)");
  EXPECT_EQ(only(replaced(pairs, "base", "own_$1")).effects.size(), 2U) << "one of each pair";
  const auto judgement = only(replaced(pairs, "\"base\"", "[\"base\", \"own_$1\"]"));
  ASSERT_EQ(judgement.effects.size(), 3U);
  EXPECT_EQ(effect_name(judgement, judgement.effects[0]), "auc against base");
  EXPECT_EQ(judgement.effects[0].comparisons, 2);
  EXPECT_EQ(effect_name(judgement, judgement.effects[1]), "auc against own_a");
  EXPECT_EQ(judgement.effects[1].comparisons, 1);
  EXPECT_EQ(effect_name(judgement, judgement.effects[2]), "auc against own_b");
  EXPECT_NEAR(judgement.effects[2].effect, (0.5 + 0.3 + 0.8) / 3, 1e-12);
}

// Each method in one metric against itself in another: these are comparisons of one kind.
TEST_F(Verdicts, MethodsThatAreComparedWithThemselvesArePooled) {
  for (const auto& [metric, shift] : {std::pair{"auc", 0.2}, {"second", 0.0}}) {
    add("mine_a", {0.5 + shift, 0.6 + shift, 0.7 + shift}, metric);
    add("mine_b", {0.3 + 2 * shift, 0.6 + shift, 0.7 + shift}, metric);
    add("base", {0.1, 0.2, 0.3}, metric);
  }
  const std::string itself = replaced(gain, "\"base\"", "\"$&\"\nthan_metric = \"second\"");
  ASSERT_EQ(only(itself).effects.size(), 1U);
  EXPECT_EQ(only(itself).effects[0].comparisons, 2);
  // With base in the list there are two kinds: each has two comparisons.
  const auto judgement = only(replaced(itself, "\"$&\"", "[\"$&\", \"base\"]"));
  ASSERT_EQ(judgement.effects.size(), 2U);
  for (const auto& effect : judgement.effects) EXPECT_EQ(effect.comparisons, 2) << effect.than;
}

TEST_F(Verdicts, WhatGoesAgainstAClaimSaysSoWithItsOwnP) {
  add("base", {0.60, 0.62, 0.61, 0.60});
  add("mine", {0.50, 0.51, 0.52, 0.49});
  const auto judgement = only(gain);
  EXPECT_EQ(judgement.verdict, Verdict::Contradicted);
  EXPECT_LT(judgement.p_against, 0.01);
  EXPECT_THAT(judgement.reason, HasSubstr("1 significantly contradicts it."));
}

/// The interval leaves 0 out exactly where the test of that direction decides.
TEST_F(Verdicts, TheIntervalsSidesAreTheTestsSidesSlow) {
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
  EXPECT_EQ(only(gain + "margin = 0.01\n").verdict, Verdict::NoEffect)
      << "one gains, one has no effect: the claim says all";
}

// A difference of 0.004 that every seed shows is significant either way, and within ± 0.01 no
// effect all the same.
TEST_F(Verdicts, TheMarginDecidesBeforeSignificance) {
  add("base", {0.500, 0.510, 0.520, 0.530});
  const std::vector<std::pair<double, std::string>> ways{{0.004, "for"}, {-0.004, "against"}};
  for (const auto& [difference, way] : ways) {
    add("mine", {0.500 + difference, 0.5101 + difference, 0.520 + difference, 0.5301 + difference});
    EXPECT_EQ(only(gain).verdict, difference > 0 ? Verdict::Reproduced : Verdict::Contradicted)
        << way;
    EXPECT_EQ(only(gain + "margin = 0.01\n").verdict, Verdict::NoEffect) << way;
  }
}

TEST_F(Verdicts, OnlyADifferenceBeyondTheMarginContradicts) {
  add("base", {0.500, 0.510, 0.520, 0.530});
  add("mine", {0.480, 0.4905, 0.500, 0.5105});
  EXPECT_EQ(only(gain + "margin = 0.01\n").verdict, Verdict::Contradicted) << "0.02 worse";
  add("mine", {0.485, 0.505, 0.505, 0.520});
  EXPECT_EQ(only(gain).verdict, Verdict::Contradicted);
  EXPECT_EQ(only(gain + "margin = 0.01\n").verdict, Verdict::Undecided)
      << "the interval reaches over the margin";
}

// Every difference lies within an infinite margin.
TEST_F(Verdicts, AMarginIsAFiniteNumber) {
  add("base", {0.1, 0.5, 0.3});
  add("mine", {0.9, 0.2, 0.8});
  EXPECT_THAT([&] { only(gain + "margin = inf\n"); }, ThrowsUsageError(HasSubstr("'margin'")));
}

TEST_F(Verdicts, UndecidedSaysHowManyPointItsWayAndHowManySeedsWouldDecide) {
  const std::vector<double> base{0.5, 0.5, 0.5, 0.5}, mine{0.53, 0.49, 0.52, 0.51};
  add("base", base);
  add("mine", mine);
  const auto judgement = only(gain);
  ASSERT_EQ(judgement.verdict, Verdict::Undecided);
  const auto test = statistics::paired_t(mine, base);
  const auto needed = statistics::seeds_needed(test.difference / test.std_dev, 0.10);
  EXPECT_EQ(judgement.needed, needed);
  EXPECT_EQ(judgement.towards, 1);
  EXPECT_NEAR(judgement.hours, (*needed - 4) * 2 * 12.25 / 3600, 1e-12)
      << "two cells of 12.25 s a seed";
  EXPECT_THAT(judgement.reason,
              AllOf(HasSubstr("1 of 1 favour the claim."),
                    HasSubstr(std::to_string(*needed) + " seeds would decide it")));
}

// The amount, not 0, is what a comparison has to get away from.
TEST_F(Verdicts, SeedsNeededAreThoseForTheAmountThatMustBeExceeded) {
  const std::vector<double> base{0.50, 0.51, 0.52, 0.50, 0.49}, mine{0.60, 0.62, 0.61, 0.60, 0.60};
  add("base", base);
  add("mine", mine);
  const auto judgement = only(gain + "at_least = 0.1\n");
  ASSERT_EQ(judgement.verdict, Verdict::Undecided);
  const auto test = statistics::paired_t(mine, base);
  EXPECT_EQ(judgement.needed,
            statistics::seeds_needed((test.difference - 0.1) / test.std_dev, 0.10));
}

TEST_F(Verdicts, WithAnAmountAGainBelowItPointsTheOtherWay) {
  const std::vector<double> base{0.50, 0.50, 0.50, 0.50}, mine{0.53, 0.61, 0.54, 0.62};
  add("base", base);
  add("mine", mine);
  const auto judgement = only(gain + "at_least = 0.1\n");
  ASSERT_EQ(judgement.verdict, Verdict::Undecided);
  EXPECT_EQ(judgement.towards, 0) << "0.075 of 0.1";
}

// A loss within the margin would never contradict the claim, however many seeds there were.
TEST_F(Verdicts, SeedsNeededConcernOnlyComparisonsThatAreNotWithinTheMargin) {
  const std::vector<double> base{0.5, 0.5, 0.5, 0.5}, noisy{0.53, 0.48, 0.54, 0.51};
  add("base", base);
  add("mine_a", {0.4995, 0.5001, 0.4994, 0.5002});  // -0.0002
  add("mine_b", noisy);
  const auto judgement = only(gain + "margin = 0.01\n");
  ASSERT_EQ(judgement.verdict, Verdict::Undecided);
  ASSERT_LT(judgement.comparisons.at(0).p_none, 0.05);
  const auto test = statistics::paired_t(noisy, base);
  EXPECT_EQ(judgement.needed, statistics::seeds_needed(test.difference / test.std_dev, 0.10));
}

TEST_F(Verdicts, SeedsThatSplitOneSetAgainHaveTheWiderIntervalOfNadeauAndBengio) {
  const std::vector<double> base{0.5, 0.5, 0.5, 0.5, 0.5}, mine{0.53, 0.51, 0.52, 0.51, 0.54};
  add("base", base);
  add("mine", mine);
  ASSERT_EQ(only(gain).verdict, Verdict::Reproduced);
  const std::string split = "[[resampling]]\ntable = \"table1\"\nresamples = 0.55\n";
  const auto judgement = only(gain + split);
  const auto& comparison = judgement.comparisons.at(0);
  const auto plain = statistics::paired_t(mine, base, 0.9);
  const double wider = std::sqrt(1.0 / 5 + 0.55) / std::sqrt(1.0 / 5);
  EXPECT_EQ(comparison.resampling, Resampling::Split);
  EXPECT_NEAR(comparison.high - comparison.low,
              (plain.interval->high - plain.interval->low) * wider, 1e-12);
  EXPECT_NEAR(comparison.p, statistics::student_tail(plain.t / wider, 4), 1e-12);
  EXPECT_NEAR(judgement.effects.at(0).low, comparison.low, 1e-12);
}

// All must lie within the margin, each at the whole level, as all must show the claimed gain.
TEST_F(Verdicts, NoEffectNeedsNoCorrectionForTheNumberOfComparisons) {
  const std::vector<double> base{0.5, 0.5, 0.5, 0.5}, same{0.504, 0.496, 0.508, 0.492};
  add("base", base);
  add("mine_a", same);
  add("mine_b", same);
  const auto judgement = only(gain + "margin = 0.01\n");
  EXPECT_EQ(judgement.verdict, Verdict::NoEffect);
  EXPECT_DOUBLE_EQ(judgement.comparisons.at(0).p_none,
                   statistics::equivalence_p(statistics::paired_t(same, base), 0.01));
  EXPECT_GT(judgement.comparisons[0].p_none, 0.025) << "half of the level would not do";
}

TEST_F(Verdicts, BothAtTheBoundOfAMetricIsShown) {
  add("base", {1, 1, 1, 0.9});
  add("mine", {1, 1, 0.98, 1});
  EXPECT_THAT(only(gain).reason, HasSubstr("In 2 of 4 runs both are at the bound of the metric."));
}

TEST_F(Verdicts, TheFirstEntryOfResamplingThatFitsCounts) {
  add("base", {0.5, 0.5, 0.5});
  add("mine", {0.53, 0.51, 0.52});
  const auto resampling = [&](const std::string& entries) {
    return only(gain + entries).comparisons.at(0).resampling;
  };
  const auto entry = [](const std::string& table, const std::string& keys) {
    return "[[resampling]]\ntable = \"" + table + "\"\n" + keys;
  };
  const std::string weights = "resamples = \"weights\"\n", split = "resamples = 0.5\n";
  EXPECT_EQ(resampling(""), Resampling::Data);
  EXPECT_EQ(resampling(entry("other", weights)), Resampling::Data);
  EXPECT_EQ(resampling(entry("table", weights)), Resampling::Data) << "the whole name has to match";
  EXPECT_EQ(resampling(entry("table1|other", weights)), Resampling::Weights);
  EXPECT_EQ(
      resampling(entry("table1", "dataset = \"bursts\"\n" + weights) + entry("table.*", split)),
      Resampling::Split);
  EXPECT_EQ(
      resampling(entry("table1", "dataset = \"fac.*\"\n" + weights) + entry("table.*", split)),
      Resampling::Weights);
  EXPECT_EQ(resampling_text(Resampling::Data), "data");
  EXPECT_EQ(resampling_text(Resampling::Split), "split");
  EXPECT_EQ(resampling_text(Resampling::Weights), "weights");
}

TEST_F(Verdicts, ResamplingThatCannotBeReadIsNamed) {
  for (const auto& [keys, expected] : std::vector<std::pair<std::string, std::string>>{
           {"table = \"a\"\nresamples = \"half\"\n",
            "'resamples' must be \"weights\", or test items over training items"},
           {"table = \"a\"\nresamples = \"split\"\n", "'resamples' must be \"weights\""},
           {"table = \"a\"\nresamples = \"data\"\n", "'resamples' must be \"weights\""},
           {"table = \"a\"\nresamples = 0\n", "'resamples' is 0; it must be above 0"},
           {"table = \"a\"\nresamples = -0.5\n", "'resamples' is -0.5; it must be above 0"},
           {"table = \"a\"\nresamples = true\n", "'resamples' must be a text"},
           {"table = \"a\"\n", "the key 'resamples' is missing"},
           {"resamples = 0.5\n", "the key 'table' is missing"},
           {"table = \"(a\"\nresamples = 0.5\n", "'table' is not a regular expression"},
           {"table = \"a\"\nresamples = \"weights\"\nbecause = \"so\"\n",
            "the key 'because' is not known here; known: dataset, resamples, table"}})
    EXPECT_THAT(([this, entry = keys] { only(gain + "[[resampling]]\n" + entry); }),
                ThrowsUsageError(HasSubstr("claims.toml: resampling 1"), HasSubstr(expected)));
}

/// In each of many made studies seeds divide one finite set of items anew into training and test
/// items. An item's effect is fixed for the study, drawn around 0; what a seed measures is the mean
/// over its test items, and what training adds.
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
      gains.push_back(statistics::mean(std::span(effects).first(static_cast<std::size_t>(tested))) +
                      0.05 * normal(random));
    }
    const std::vector<double> none(gains.size(), 0.0);
    const double ratio = static_cast<double>(tested) / (items - tested);
    rejections.plain += statistics::paired_t(gains, none).p_two_sided < 0.05;
    rejections.corrected += statistics::paired_t(gains, none, 0.95, ratio).p_two_sided < 0.05;
  }
  return {rejections.plain / studies, rejections.corrected / studies};
}

TEST(CorrectedResampledT, HoldsItsSizeWhereThePlainTestRejectsFarTooOftenSlow) {
  const auto rejections = under_resplits(4000, 5, 40, 14);
  EXPECT_GT(rejections.plain, 0.10);
  EXPECT_LT(rejections.corrected, 0.06);
}

/// Coverage of the pooled interval: comparisons of one base share its noise, so that they are not
/// independent.
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
    const auto interval =
        statistics::paired_t(pooled, std::vector<double>(seeds, 0.0), 0.9).interval.value();
    held += interval.low < 0.2 && interval.high > 0.2;
  }
  EXPECT_NEAR(static_cast<double>(held) / runs, 0.9, 0.02);
}

TEST(SeedsNeeded, WhereAFiniteSetIsDividedAnewMoreSeedsBringOnlySoMuch) {
  EXPECT_EQ(statistics::seeds_needed(1, 0.05, 0.8, 0), statistics::seeds_needed(1, 0.05));
  EXPECT_GT(statistics::seeds_needed(3, 0.05, 0.8, 0.5).value(),
            statistics::seeds_needed(3, 0.05).value());
  EXPECT_EQ(statistics::seeds_needed(1, 0.05, 0.8, 0.5), std::nullopt)
      << "1 / sqrt(0.5) standard errors are never enough";
}

}  // namespace
}  // namespace reprise::records
