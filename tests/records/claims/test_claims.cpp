// How one row of a claim is judged, by its kind.
#include "statistics/statistics.h"
#include "tests/records/claims/claim_text.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string better =
    one_claim("kind = \"better\"\nmethods = \"(pre|sih)_(gru|lstm)_.*\"\nthan = \"trad_$2_1\"\n");

struct Claims : ResultsToJudge {
  void add_curves(const std::string& method, const std::vector<std::vector<double>>& curves) const {
    const auto records = make_seeds({.method = method}, std::vector<double>(curves.size(), 0.5));
    add(records);
    for (std::size_t i = 0; i < curves.size(); ++i)
      store_.write_curves(records[i].cell, {{"validation", curves[i]}});
  }
};

TEST_F(Claims, BetterIsReproducedWhenEveryComparisonIsSignificant) {
  add("trad_gru_1", {0.50, 0.51, 0.52, 0.50, 0.49});
  add("pre_gru_fc6", {0.60, 0.62, 0.61, 0.60, 0.60});
  add("sih_gru_fc6", {0.60, 0.60, 0.63, 0.61, 0.58});
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  ASSERT_EQ(judgement.comparisons.size(), 2u);
  EXPECT_EQ(judgement.comparisons[0].than, "trad_gru_1");
  EXPECT_EQ(judgement.n, 5);
  EXPECT_THAT(judgement.reason, AllOf(HasSubstr("2 of 2 comparisons"), HasSubstr("Strongest: "),
                                      HasSubstr("None significantly contradicts it.")));
  EXPECT_EQ(judgement.reason.find('\n'), std::string::npos);
}

TEST_F(Claims, AComparisonSaysWhatThePairedTestSays) {
  const std::vector<double> a{0.60, 0.62, 0.61}, b{0.50, 0.51, 0.55};
  add("trad_gru_1", b);
  add("pre_gru_fc6", a);
  const statistics::PairedTest expected =
      statistics::paired_t(a, b, 0.90);  // each direction is tested at 0.05
  const Judgement judgement = only(better);
  const Comparison& comparison = judgement.comparisons.at(0);
  EXPECT_DOUBLE_EQ(comparison.effect, expected.difference);
  EXPECT_DOUBLE_EQ(comparison.low, expected.interval->low);
  EXPECT_DOUBLE_EQ(comparison.high, expected.interval->high);
  EXPECT_DOUBLE_EQ(comparison.p, expected.p_greater);
  EXPECT_DOUBLE_EQ(comparison.p_against, expected.p_below(0));
  EXPECT_DOUBLE_EQ(comparison.p_against_holm, expected.p_below(0)) << "of one comparison";
  ASSERT_EQ(judgement.effects.size(), 1U);
  EXPECT_EQ(judgement.effects[0].metric, "auc");
  EXPECT_DOUBLE_EQ(judgement.effects[0].effect, expected.difference);
  EXPECT_DOUBLE_EQ(judgement.effects[0].low, expected.interval->low);
}

// A method against itself in another quantity: its first layer against its second.
TEST_F(Claims, AnotherMetricOfTheSameMethodCanBeTheOtherSide) {
  for (std::int64_t seed = 0; seed < 4; ++seed) {
    auto record = make_seeds({.method = "pre_gru"}, std::vector<double>(4, 0.8))
                      .at(static_cast<std::size_t>(seed));
    auto second = record.metrics.at(0);
    second.name = "second";
    second.value = 0.3 + 0.01 * static_cast<double>(seed);
    record.metrics.push_back(second);
    add({record});
  }
  const Judgement judgement = only(one_claim(
      "kind = \"better\"\nmethods = \"pre_.*\"\nthan = \"$&\"\nthan_metric = \"second\"\n"));
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  ASSERT_EQ(judgement.comparisons.size(), 1u);
  EXPECT_NEAR(judgement.comparisons[0].effect, 0.8 - 0.315, 1e-12);
  EXPECT_EQ(judgement.comparisons[0].metric, "auc against second");
}

/// Gains whose paired t test has p = 0.04 (t about 2.9): enough for one test at 0.05, too much for
/// each of two.
const std::vector<double> level_base{0.5, 0.5, 0.5, 0.5}, barely_gained{0.51, 0.52, 0.502, 0.512},
    barely_lost{0.49, 0.48, 0.498, 0.488};

// Intersection-union test: the claim is about all comparisons, so that a false alarm needs all of
// them at once.
TEST_F(Claims, ForTheClaimEveryComparisonIsTestedAtTheWholeLevel) {
  const double p = statistics::paired_t(barely_gained, level_base).p_greater;
  ASSERT_GT(p, 0.025);
  ASSERT_LT(p, 0.05);
  add("trad_gru_1", level_base);
  add("pre_gru_fc6", barely_gained);
  add("pre_gru_fc7", barely_gained);
  add("sih_gru_fc6", {0.60, 0.62, 0.61, 0.60});
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  EXPECT_DOUBLE_EQ(judgement.p, p) << "the largest decides";
  EXPECT_DOUBLE_EQ(judgement.comparisons[0].p, p);
}

TEST_F(Claims, OneComparisonThatIsNotSignificantLeavesTheRowUndecided) {
  add("trad_gru_1", level_base);
  add("pre_gru_fc6", {0.60, 0.62, 0.61, 0.60});
  add("pre_gru_fc7", {0.60, 0.45, 0.61, 0.46});
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::Undecided);
  EXPECT_THAT(judgement.reason, HasSubstr("1 of 2 comparisons show the claimed gain"));
}

// Against the claim one comparison is enough, so that the number of comparisons counts.
TEST_F(Claims, AgainstTheClaimHolmCorrectsForTheComparisonsOfTheRow) {
  const double p = statistics::paired_t(barely_lost, level_base).p_below(0);
  add("trad_gru_1", level_base);
  add("pre_gru_fc6", barely_lost);
  EXPECT_EQ(only(better).verdict, Verdict::Contradicted);
  add("pre_gru_fc7", barely_lost);
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::Undecided);
  EXPECT_DOUBLE_EQ(judgement.comparisons[0].p_against, p);
  EXPECT_DOUBLE_EQ(judgement.comparisons[0].p_against_holm, 2 * p);
  EXPECT_DOUBLE_EQ(judgement.p_against, 2 * p);
}

TEST_F(Claims, RowsDoNotShareTheLevel) {
  add("trad_gru_1", level_base);
  add("pre_gru_fc6", barely_lost);
  const std::string second =
      replaced(better.substr(better.find("[[claim.row]]")), "faces", "again");
  for (const auto& judgement : judged(better + second))
    EXPECT_EQ(judgement.verdict, Verdict::Contradicted) << judgement.id;
}

// "Gains a tenth and more": a smaller gain is no success, however sure it is, and one below the
// amount speaks against the sentence.
TEST_F(Claims, TheAmountThatTheSentenceNamesMustBeExceeded) {
  const std::vector<double> base{0.50, 0.51, 0.52, 0.50, 0.49}, mine{0.60, 0.62, 0.61, 0.60, 0.60};
  add("trad_gru_1", base);
  add("pre_gru_fc6", mine);
  EXPECT_EQ(only(better + "at_least = 0.05\n").verdict, Verdict::Reproduced);
  const Judgement judgement = only(better + "at_least = 0.1\n");
  EXPECT_EQ(judgement.verdict, Verdict::Undecided) << "0.102, but not significantly above 0.1";
  const statistics::PairedTest paired = statistics::paired_t(mine, base);
  EXPECT_DOUBLE_EQ(judgement.comparisons[0].p, paired.p_above(0.1));
  EXPECT_DOUBLE_EQ(judgement.comparisons[0].p_against, paired.p_below(0.1));
  EXPECT_DOUBLE_EQ(judgement.comparisons[0].effect, paired.difference)
      << "the effect stays the difference";
  EXPECT_EQ(only(better + "at_least = 0.2\n").verdict, Verdict::Contradicted);
}

TEST_F(Claims, LowerIsBetterTurnsTheEffectRound) {
  add(make_seeds({.method = "trad_gru_1", .direction = Direction::LowerIsBetter}, {5.0, 5.1, 5.2}));
  add(make_seeds({.method = "pre_gru_fc6", .direction = Direction::LowerIsBetter},
                 {4.0, 4.1, 4.21}));
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  EXPECT_GT(judgement.effects.at(0).effect, 0.9);
}

TEST_F(Claims, OneSignificantlyWorseComparisonContradicts) {
  add("trad_gru_1", {0.50, 0.51, 0.52, 0.50});
  add("pre_gru_fc6", {0.60, 0.62, 0.61, 0.60});
  add("pre_gru_fc7", {0.40, 0.41, 0.43, 0.40});
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::Contradicted);
  EXPECT_THAT(judgement.reason,
              AllOf(HasSubstr("1 of 2 comparisons"), HasSubstr("1 significantly contradicts it."),
                    HasSubstr("Weakest: pre_gru_fc7")));
}

TEST_F(Claims, ANoisyDifferenceIsUndecided) {
  add("trad_gru_1", {0.50, 0.60, 0.40});
  add("pre_gru_fc6", {0.55, 0.50, 0.52});
  EXPECT_EQ(only(better).verdict, Verdict::Undecided);
}

TEST_F(Claims, OneSeedDecidesNothing) {
  add("trad_gru_1", {0.1});
  add("pre_gru_fc6", {0.9});
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::Undecided);
  EXPECT_DOUBLE_EQ(judgement.effects.at(0).effect, 0.8);
  EXPECT_EQ(judgement.n, 1);
  EXPECT_THAT(judgement.reason, HasSubstr("1 have fewer than two seeds"));
}

TEST_F(Claims, OnlySeedsThatBothHaveArePaired) {
  add("trad_gru_1", {0.50, 0.51, 0.52});
  add("pre_gru_fc6", {0.60, 0.62, 0.61, 0.05, 0.05});
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.n, 3);
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
}

TEST_F(Claims, AFailedOrUnfinishedCellKeepsARowFromBeingReproduced) {
  add("trad_gru_1", {0.50, 0.51, 0.52, 0.5});
  add("pre_gru_fc6", {0.60, 0.62, 0.61, 0.6});
  for (const Status status : {Status::Failed, Status::Running}) {
    Record record = make({.method = "pre_gru_fc6", .seed = 3});
    record.status = status;
    add({record});
    const Judgement judgement = only(better);
    EXPECT_EQ(judgement.verdict, Verdict::Undecided);
    EXPECT_THAT(judgement.reason, HasSubstr("1 cells failed or did not finish"));
  }
}

TEST_F(Claims, AMethodWithoutItsOtherKeepsARowFromBeingReproduced) {
  add("trad_gru_1", {0.50, 0.51, 0.52});
  add("pre_gru_fc6", {0.60, 0.62, 0.61});
  EXPECT_EQ(only(better).verdict, Verdict::Reproduced);
  add("pre_lstm_fc6", {0.60, 0.62, 0.61});
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::Undecided);
  EXPECT_THAT(judgement.reason, AllOf(HasSubstr("1 of 2 comparisons"),
                                      HasSubstr("1 have fewer than two seeds in common")));
}

TEST_F(Claims, DifferentProtocolsAreNotComparable) {
  add("trad_gru_1", {0.50, 0.51, 0.52});
  add(make_seeds({.method = "pre_gru_fc6", .protocol = "outer eyes"}, {0.60, 0.62, 0.61}));
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::NotComparable);
  EXPECT_THAT(judgement.reason, AllOf(HasSubstr("outer eyes"), HasSubstr("box diagonal")));
}

TEST_F(Claims, WithoutRecordsARowIsNotRun) {
  EXPECT_EQ(only(better).verdict, Verdict::NotRun);
  add("pre_gru_fc6", {0.60, 0.62});
  EXPECT_EQ(only(better).verdict, Verdict::NotRun);  // nothing to compare it with
}

TEST_F(Claims, EachDatasetIsAComparisonUnlessOneIsNamed) {
  for (const char* dataset : {"faces", "bursts"}) {
    add(make_seeds({.method = "trad_gru_1", .dataset = dataset}, {0.50, 0.51, 0.52}));
    add(make_seeds({.method = "pre_gru_fc6", .dataset = dataset}, {0.60, 0.62, 0.61}));
  }
  EXPECT_EQ(only(better).comparisons.size(), 2u);
  EXPECT_EQ(only(better + "dataset = \"bursts\"\n").comparisons.size(), 1u);
}

const std::string similar =
    one_claim("kind = \"similar\"\nmethods = \"sih_(.*)\"\nthan = \"pre_$1\"\nmargin = 0.02\n");

TEST_F(Claims, SimilarNeedsTheIntervalInsideTheMargin) {
  add("pre_gru", {0.600, 0.610, 0.620, 0.600});
  add("sih_gru", {0.601, 0.608, 0.621, 0.602});
  EXPECT_EQ(only(similar).verdict, Verdict::Reproduced);
}

TEST_F(Claims, SimilarIsUndecidedForNoiseAndContradictedBeyondTheMargin) {
  add("pre_gru", {0.60, 0.61, 0.62, 0.60});
  add("sih_gru", {0.65, 0.56, 0.67, 0.56});
  EXPECT_EQ(only(similar).verdict, Verdict::Undecided);
  add("sih_gru", {0.50, 0.51, 0.521, 0.50});
  EXPECT_EQ(only(similar).verdict, Verdict::Contradicted);
  add("sih_gru", {0.70, 0.71, 0.721, 0.70});
  EXPECT_EQ(only(similar).verdict, Verdict::Contradicted);
}

// Not inferior: better or equal is no worse, and a loss must be shown to be smaller than the
// margin.
TEST_F(Claims, NoWorseIsOneSidedAndEqualHoldsSlow) {
  const std::string no_worse = replaced(similar, "similar", "no_worse");
  add("pre_gru", {0.60, 0.61, 0.62, 0.60, 0.61});
  add("sih_gru", {0.60, 0.61, 0.62, 0.60, 0.61});
  EXPECT_EQ(only(no_worse).verdict, Verdict::Reproduced);
  add("sih_gru", {0.70, 0.72, 0.721, 0.70, 0.71});
  EXPECT_EQ(only(no_worse).verdict, Verdict::Reproduced);
  add("sih_gru", {0.65, 0.56, 0.67, 0.56, 0.61});
  EXPECT_EQ(only(no_worse).verdict, Verdict::Undecided);
  add("sih_gru", {0.50, 0.51, 0.521, 0.50, 0.51});
  EXPECT_EQ(only(no_worse).verdict, Verdict::Contradicted);
  EXPECT_THAT([&] { only(replaced(no_worse, "margin = 0.02\n", "")); },
              ThrowsUsageError(HasSubstr("'margin' is missing")));
}

const std::string sooner =
    replaced(one_claim("kind = \"sooner\"\nmethods = \"pre_gru\"\nthan = \"trad_gru\"\n"),
             "\"auc\"", "\"validation\"");

TEST_F(Claims, SoonerCountsTheEpochsToTheWorseOfBothBestValues) {
  // The worse best, 0.3, is the other's: it comes in epoch 4, 4 and 3; the method is there in epoch
  // 2, 1 and 2.
  add_curves("trad_gru", {{0.9, 0.6, 0.4, 0.3}, {0.9, 0.6, 0.4, 0.3}, {0.9, 0.5, 0.3, 0.3}});
  add_curves("pre_gru", {{0.5, 0.3, 0.2, 0.1}, {0.3, 0.3, 0.2, 0.1}, {0.4, 0.2, 0.1, 0.1}});
  const Judgement judgement = only(sooner);
  EXPECT_DOUBLE_EQ(judgement.effects.at(0).effect, (2 + 3 + 1) / 3.0);
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
}

// The one that never gets as far sets the mark, so that none is late by more than there are epochs.
TEST_F(Claims, SoonerAsksForWhatBothReach) {
  add_curves("trad_gru", {{0.7, 0.4}, {0.8, 0.4}, {0.5, 0.3}});
  add_curves("pre_gru", {{0.9, 0.8, 0.7}, {0.9, 0.8, 0.7}, {0.9, 0.8, 0.7, 0.6}});
  const Judgement judgement = only(sooner);
  EXPECT_DOUBLE_EQ(judgement.effects.at(0).effect, (1 - 3 + 2 - 3 + 1 - 4) / 3.0);
  EXPECT_EQ(judgement.verdict, Verdict::Contradicted);
}

const std::string ratio =
    one_claim("kind = \"ratio\"\nmethods = \"sih_gru\"\nthan = \"pre_gru\"\n");

TEST_F(Claims, ARatioOfAMetricIsWithinItsBoundsInEverySeed) {
  add("sih_gru", {1, 1.2, 1.1});
  add("pre_gru", {10, 10, 10});
  const Judgement judgement = only(ratio + "at_most = 0.15\n");
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  EXPECT_DOUBLE_EQ(judgement.ratio.value(), 0.12) << "the one nearest to the bound";
  EXPECT_EQ(judgement.n, 3);
  EXPECT_TRUE(judgement.comparisons.empty()) << "exact: nothing is tested";
  EXPECT_EQ(only(ratio + "at_least = 0.1\nat_most = 0.12\n").verdict, Verdict::Reproduced)
      << "the bounds are part of it";
  const Judgement beyond = only(ratio + "at_most = 0.115\n");
  EXPECT_EQ(beyond.verdict, Verdict::Contradicted) << "one seed is enough";
  EXPECT_THAT(beyond.reason,
              AllOf(HasSubstr("Required ratio of auc: at most 0.115. 0 of 1 ratios meet it."),
                    HasSubstr("Outside: 0.12 of sih_gru to pre_gru on faces")));
  EXPECT_EQ(only(ratio + "at_least = 0.11\n").verdict, Verdict::Contradicted) << "0.1 is below";
}

TEST_F(Claims, ARatioCountsParametersByName) {
  auto records = make_seeds({.method = "sih_gru"}, {0.5, 0.6});
  for (auto& record : records) record.parameters["recurrent"] = 67108864 / 4;
  add(records);
  add("pre_gru", {0.5, 0.6});
  const std::string counts = replaced(ratio, "\"auc\"", "\"parameters.recurrent\"");
  EXPECT_EQ(only(counts + "at_least = 0.249\nat_most = 0.251\n").verdict, Verdict::Reproduced);
  EXPECT_EQ(only(counts + "at_most = 0.2\n").verdict, Verdict::Contradicted);
  records[1].parameters["recurrent"] = 67108864;
  add({records[1]});
  EXPECT_EQ(only(counts + "at_most = 0.3\n").verdict, Verdict::Contradicted)
      << "in one seed it is 1";
  const Judgement judgement =
      only(replaced(ratio, "\"auc\"", "\"parameters.all\"") + "at_most = 1\n");
  EXPECT_EQ(judgement.verdict, Verdict::NotRun);
  EXPECT_THAT(judgement.reason, HasSubstr("parameters.all"));
}

TEST_F(Claims, ARatioMayDivideByAnotherCountOfTheSameMethod) {
  auto records = make_seeds({.method = "sih_gru"}, {0.5, 0.6});
  for (auto& record : records) record.parameters["all"] = 2 * record.parameters["recurrent"];
  add(records);
  const std::string itself =
      replaced(replaced(ratio, "\"pre_gru\"", "\"$&\""), "\"auc\"", "\"parameters.recurrent\"");
  const Judgement judgement =
      only(itself + "than_metric = \"parameters.all\"\nat_least = 0.5\nat_most = 0.5\n");
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
}

TEST_F(Claims, ARatioNeedsABoundAndNoMargin) {
  EXPECT_THAT([&] { only(ratio); },
              ThrowsUsageError(HasSubstr("neither 'at_least' nor 'at_most'")));
  EXPECT_THAT([&] { only(ratio + "at_most = 0\n"); },
              ThrowsUsageError(HasSubstr("'at_most' is 0; it must be above 0")));
  EXPECT_THAT([&] { only(ratio + "at_most = 1\nmargin = 0.1\n"); },
              ThrowsUsageError(HasSubstr("'margin' is not known here")));
}

TEST_F(Claims, AMetricThatNoRecordHasIsNotRunAndIsNamed) {
  add("trad_gru_1", {0.50, 0.51});
  add("pre_gru_fc6", {0.60, 0.62});
  std::string other = replaced(better, "\"auc\"", "\"auk\"");
  EXPECT_EQ(only(other).verdict, Verdict::NotRun);
  EXPECT_THAT(only(other).reason,
              HasSubstr("no finished cell of the methods in table 'table1' has auk"));
  other = replaced(better, "\"auc\"", "[\"auc\", \"auk\"]");
  EXPECT_EQ(only(other).verdict, Verdict::Undecided) << "one of both is there";
  EXPECT_THAT(only(other).reason, HasSubstr("No finished cell has auk."));
}

TEST_F(Claims, NothingIsBetterInAMetricWithoutADirection) {
  add(make_seeds({.method = "trad_gru_1", .direction = Direction::Neither}, {0.5, 0.6}));
  add(make_seeds({.method = "pre_gru_fc6", .direction = Direction::Neither}, {0.5, 0.6}));
  EXPECT_THAT([&] { only(better); }, ThrowsUsageError(HasSubstr("no better direction")));
  EXPECT_NO_THROW(only(replaced(better, "\"better\"", "\"similar\"\nmargin = 0.5")))
      << "two methods can be similar in it";
}

TEST_F(Claims, WhatCannotBeReadNamesItsClaimItsRowAndTheKey) {
  const auto judging = [&](const std::string& toml) { return [this, toml] { only(toml); }; };
  EXPECT_THAT(judging("[[claim]]\nid = 1x\n"), ThrowsUsageError(HasSubstr("claims.toml, line 2")));
  EXPECT_THAT(judging(better + "margni = 2\n"),
              ThrowsUsageError(HasSubstr("claims.toml: claim \"1\", row 1"),
                               HasSubstr("'margni' is not known here; known: "),
                               HasSubstr("at_least"), HasSubstr("further")));
  EXPECT_THAT(judging(better + "margin = \"high\"\n"),
              ThrowsUsageError(HasSubstr("'margin' must be a finite number")));
  EXPECT_THAT(judging(better + "margin = 0\n"),
              ThrowsUsageError(HasSubstr("'margin' is 0; it must be above 0")));
  EXPECT_THAT(judging(better + "margin = nan\n"),
              ThrowsUsageError(HasSubstr("'margin' must be a finite number")));
  EXPECT_THAT(judging(better + "further = \"yes\"\n"),
              ThrowsUsageError(HasSubstr("'further' must be true or false")));
  EXPECT_THAT(judging("[claim]\nid = \"1\"\n"), ThrowsUsageError(HasSubstr("[[claim]]")));
  EXPECT_THAT(judging("[[claims]]\nid = \"1\"\n"), ThrowsUsageError(HasSubstr("'claims'")));
  for (const auto& [from, to, expected] :
       {std::tuple{"kind = \"better\"", "kind = \"best\"",
                   "'best' is not known; known: better, similar, no_worse, sooner, ratio"},
        std::tuple{"table = \"table1\"", "", "'table' is missing"},
        std::tuple{"metric = \"auc\"", "", "'metric' is missing"},
        std::tuple{"than = \"trad_$2_1\"", "", "'than' is missing"},
        std::tuple{"kind = \"better\"", "", "'kind' is missing"},
        std::tuple{"statement = \"mine is better\"", "", "'statement' is missing"},
        std::tuple{"source = \"document, table 1\"", "", "'source' is missing"},
        std::tuple{"(pre|sih)", "(pre|sih", "not a regular expression"},
        std::tuple{"kind = \"better\"", "kind = \"similar\"", "'margin' is missing"},
        std::tuple{"[[claim.row]]", "[claim.row]", "[[claim.row]]"}}) {
    EXPECT_THAT(judging(replaced(better, from, to)),
                ThrowsUsageError(HasSubstr("claim \"1\""), HasSubstr(expected)));
  }
}

TEST_F(Claims, AKeyOfAnotherKindIsRefused) {
  for (const auto& [toml, key] : {std::pair{better + "at_most = 1\n", "'at_most'"},
                                  std::pair{similar + "at_least = 1\n", "'at_least'"},
                                  std::pair{sooner + "at_least = 1\n", "'at_least'"},
                                  std::pair{better + "curve = \"validation\"\n", "'curve'"}})
    EXPECT_THAT(([this, text = toml] { only(text); }),
                ThrowsUsageError(HasSubstr(key), HasSubstr("is not known here")));
}

TEST(Verdict, EachHasTheTextOfTheCommandLine) {
  const std::vector<std::pair<Verdict, std::string_view>> texts{
      {Verdict::Reproduced, "reproduced"},        {Verdict::InPart, "in part"},
      {Verdict::Contradicted, "contradicted"},    {Verdict::NoEffect, "no effect"},
      {Verdict::Undecided, "undecided"},          {Verdict::NotTestable, "not testable"},
      {Verdict::NotComparable, "not comparable"}, {Verdict::NotRun, "not run"}};
  for (const auto& [verdict, text] : texts) EXPECT_EQ(verdict_text(verdict), text);
}

}  // namespace
}  // namespace reprise::records
