#include "records/claims.h"
#include "records/statistics.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string better = R"toml(
[[claim]]
id = "1"
says = "recurrent beats traditional"
source = "document, table 1"
kind = "better"
methods = "(pre|sih)_(gru|lstm)_.*"
than = "trad_$2_1"
metric = "auc"
table = "table1"
)toml";

/// A results folder that tests fill.
class Claims : public testing::Test {
 protected:
  void add(const std::vector<Record>& records) {
    for (const auto& record : records) store_.write(record);
  }
  void add(const std::string& method, const std::vector<double>& values) { add(make_seeds({.method = method}, values)); }
  void add_curves(const std::string& method, const std::vector<std::vector<double>>& curves) {
    const auto records = make_seeds({.method = method}, std::vector<double>(curves.size(), 0.5));
    add(records);
    for (std::size_t i = 0; i < curves.size(); ++i) store_.write_curves(records[i].cell, {{"validation", curves[i]}});
  }
  std::vector<Judgement> judged(const std::string& toml) const { return judge(toml, "claims.toml", store_); }
  Judgement only(const std::string& toml) const {
    const auto judgements = judged(toml);
    EXPECT_EQ(judgements.size(), 1u);
    return judgements.at(0);
  }

 private:
  TemporaryFolder folder_;
  Store store_{folder_.path()};
};

TEST_F(Claims, BetterIsReproducedWhenEveryComparisonIsSignificantAfterHolm) {
  add("trad_gru_1", {0.50, 0.51, 0.52, 0.50, 0.49});
  add("pre_gru_fc6", {0.60, 0.62, 0.61, 0.60, 0.60});
  add("sih_gru_fc6", {0.60, 0.60, 0.63, 0.61, 0.58});
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  ASSERT_EQ(judgement.comparisons.size(), 2u);
  EXPECT_EQ(judgement.comparisons[0].than, "trad_gru_1");
  EXPECT_EQ(judgement.n, 5);
  EXPECT_THAT(judgement.reason, AllOf(HasSubstr("2 of 2 comparisons"), HasSubstr("strongest: "), HasSubstr("5 seeds")));
  EXPECT_EQ(judgement.reason.find('\n'), std::string::npos);
}

TEST_F(Claims, AComparisonSaysWhatThePairedTestSays) {
  const std::vector<double> a{0.60, 0.62, 0.61}, b{0.50, 0.51, 0.55};
  add("trad_gru_1", b);
  add("pre_gru_fc6", a);
  const PairedTest expected = paired_t(a, b, 0.90);  // each direction is tested at 0.05
  const Judgement judgement = only(better);
  const Comparison& comparison = judgement.comparisons.at(0);
  EXPECT_DOUBLE_EQ(comparison.effect, expected.difference);
  EXPECT_DOUBLE_EQ(comparison.low, expected.interval->low);
  EXPECT_DOUBLE_EQ(comparison.high, expected.interval->high);
  EXPECT_DOUBLE_EQ(comparison.p, expected.p_greater);
  EXPECT_DOUBLE_EQ(comparison.p_holm, expected.p_greater);
  EXPECT_DOUBLE_EQ(comparison.p_against, expected.p_below(0));
  ASSERT_EQ(judgement.effects.size(), 1U);
  EXPECT_EQ(judgement.effects[0].metric, "auc");
  EXPECT_DOUBLE_EQ(judgement.effects[0].effect, expected.difference);
  EXPECT_DOUBLE_EQ(judgement.effects[0].low, expected.interval->low);
}

// A method against itself in another quantity: its first layer against its second.
TEST_F(Claims, AnotherMetricOfTheSameMethodCanBeTheOtherSide) {
  for (std::int64_t seed = 0; seed < 4; ++seed) {
    auto record = make_seeds({.method = "pre_gru"}, std::vector<double>(4, 0.8)).at(static_cast<std::size_t>(seed));
    auto second = record.metrics.at(0);
    second.name = "second";
    second.value = 0.3 + 0.01 * static_cast<double>(seed);
    record.metrics.push_back(second);
    add({record});
  }
  const Judgement judgement = only(R"toml(
[[claim]]
id = "11"
says = "the first layer saturates more than the second"
source = "figure 2"
kind = "better"
methods = "pre_.*"
than = "$&"
metric = "auc"
than_metric = "second"
table = "table1"
)toml");
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  ASSERT_EQ(judgement.comparisons.size(), 1u);
  EXPECT_NEAR(judgement.comparisons[0].effect, 0.8 - 0.315, 1e-12);
  EXPECT_EQ(judgement.comparisons[0].metric, "auc against second");
}

TEST_F(Claims, HolmCanTakeAwayWhatASingleTestWouldGive) {
  // Each pair alone has p = 0.04 (d = 0.01 * {1, 2, 0.2, 1.2}, t about 2.9); 0.05 is not reached when two or more share the level.
  const std::vector<double> base{0.5, 0.5, 0.5, 0.5}, gained{0.51, 0.52, 0.502, 0.512};
  const double p = paired_t(gained, base).p_greater;
  ASSERT_GT(p, 0.025);
  ASSERT_LT(p, 0.05);
  add("trad_gru_1", base);
  add("pre_gru_fc6", gained);
  EXPECT_EQ(only(better).verdict, Verdict::Reproduced);
  add("pre_gru_fc7", gained);
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::Undecided);
  EXPECT_DOUBLE_EQ(judgement.comparisons[0].p_holm, 2 * p);
}

TEST_F(Claims, ClaimsOfOneFamilyShareTheLevel) {
  add("trad_gru_1", {0.5, 0.5, 0.5, 0.5});
  add("pre_gru_fc6", {0.51, 0.52, 0.502, 0.512});
  std::string second = better;
  second.replace(second.find("\"1\""), 3, "\"2\"");
  for (const auto& judgement : judged(better + second)) EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  const std::string family = "family = \"table1\"\n";
  for (const auto& judgement : judged(better + family + second + family)) EXPECT_EQ(judgement.verdict, Verdict::Undecided);
}

TEST_F(Claims, LowerIsBetterTurnsTheEffectRound) {
  add(make_seeds({.method = "trad_gru_1", .direction = Direction::LowerIsBetter}, {5.0, 5.1, 5.2}));
  add(make_seeds({.method = "pre_gru_fc6", .direction = Direction::LowerIsBetter}, {4.0, 4.1, 4.21}));
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
              AllOf(HasSubstr("1 of 2 comparisons"), HasSubstr("1 significantly contradict"), HasSubstr("weakest: pre_gru_fc7")));
}

TEST_F(Claims, ANoisyDifferenceIsUndecided) {
  add("trad_gru_1", {0.50, 0.60, 0.40});
  add("pre_gru_fc6", {0.55, 0.50, 0.52});
  EXPECT_EQ(only(better).verdict, Verdict::Undecided);
}

TEST_F(Claims, OneSeedIsUndecidedByDefinition) {
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

TEST_F(Claims, AFailedOrUnfinishedCellKeepsAClaimFromBeingReproduced) {
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

TEST_F(Claims, MissingComparisonsAreAtBestUndecided) {
  add("trad_gru_1", {0.50, 0.51, 0.52});
  add("pre_gru_fc6", {0.60, 0.62, 0.61});
  EXPECT_EQ(only(better + "comparisons = 1\n").verdict, Verdict::Reproduced);
  const Judgement judgement = only(better + "comparisons = 15\n");
  EXPECT_EQ(judgement.verdict, Verdict::Undecided);
  EXPECT_THAT(judgement.reason, HasSubstr("14 of 15 were not run"));
}

TEST_F(Claims, DifferentProtocolsAreNotComparable) {
  add("trad_gru_1", {0.50, 0.51, 0.52});
  add(make_seeds({.method = "pre_gru_fc6", .protocol = "outer eyes"}, {0.60, 0.62, 0.61}));
  const Judgement judgement = only(better);
  EXPECT_EQ(judgement.verdict, Verdict::NotComparable);
  EXPECT_THAT(judgement.reason, AllOf(HasSubstr("outer eyes"), HasSubstr("box diagonal")));
}

TEST_F(Claims, WithoutRecordsAClaimIsNotRun) {
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

const std::string similar = R"toml(
[[claim]]
id = "3"
says = "SIH is as accurate"
source = "text"
kind = "similar"
methods = "sih_(.*)"
than = "pre_$1"
metric = "auc"
table = "table1"
margin = 0.02
)toml";

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

// Not inferior: better or equal is no worse, and a loss must be shown to be smaller than the margin.
TEST_F(Claims, NoWorseIsOneSidedAndEqualHolds) {
  std::string no_worse = similar;
  no_worse.replace(no_worse.find("\"similar\""), 9, "\"no_worse\"");
  add("pre_gru", {0.60, 0.61, 0.62, 0.60, 0.61});
  add("sih_gru", {0.60, 0.61, 0.62, 0.60, 0.61});
  EXPECT_EQ(only(no_worse).verdict, Verdict::Reproduced);
  add("sih_gru", {0.70, 0.72, 0.721, 0.70, 0.71});
  EXPECT_EQ(only(no_worse).verdict, Verdict::Reproduced);
  add("sih_gru", {0.65, 0.56, 0.67, 0.56, 0.61});
  EXPECT_EQ(only(no_worse).verdict, Verdict::Undecided);
  add("sih_gru", {0.50, 0.51, 0.521, 0.50, 0.51});
  EXPECT_EQ(only(no_worse).verdict, Verdict::Contradicted);
  EXPECT_THAT([&] { only(no_worse + "items = true\n"); }, ThrowsUsageError(HasSubstr("judged over seeds")));
  no_worse.erase(no_worse.find("margin"));
  EXPECT_THAT([&] { only(no_worse); }, ThrowsUsageError(HasSubstr("'margin' is missing")));
}

const std::string sooner = R"toml(
[[claim]]
id = "4"
says = "training converges faster"
source = "text"
kind = "sooner"
methods = "pre_gru"
than = "trad_gru"
curve = "validation"
table = "table1"
)toml";

TEST_F(Claims, SoonerCountsTheEpochsToTheWorseOfBothBestValues) {
  // The worse best, 0.3, is the other's: it comes in epoch 4, 4 and 3; the method is there in epoch 2, 1 and 2.
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

TEST_F(Claims, SoonerForACurveThatShouldRise) {
  add_curves("trad_gru", {{0.1, 0.2, 0.5}, {0.1, 0.2, 0.5}});
  add_curves("pre_gru", {{0.5, 0.6, 0.7}, {0.6, 0.6, 0.7}});
  EXPECT_DOUBLE_EQ(only(sooner + "higher = true\n").effects.at(0).effect, 2);
}

TEST_F(Claims, ParametersAreComparedExactlyFromGivenNumbersOrRecords) {
  const std::string head = "[[claim]]\nid = \"5\"\nsays = \"s\"\nsource = \"t\"\nkind = \"parameters\"\n";
  const std::string given = head + "left = 67108864\nright = 375390208\nfraction = 0.179\ntolerance = 0.001\n";
  EXPECT_EQ(only(given).verdict, Verdict::Reproduced);
  EXPECT_NEAR(only(given).fraction.value(), 0.17877, 1e-5);
  EXPECT_EQ(only(head + "left = 1\nright = 2\nfraction = 0.4\ntolerance = 0.05\n").verdict, Verdict::Contradicted);
  const std::string from_records = head +
                                   "left = { table = \"table1\", dataset = \"faces\", method = \"sih\", count = \"recurrent\" }\n"
                                   "right = 134217728\nfraction = 0.5\ntolerance = 1e-9\n";
  EXPECT_EQ(only(from_records).verdict, Verdict::NotRun);
  add("sih", {0.5, 0.6});
  EXPECT_EQ(only(from_records).verdict, Verdict::Reproduced);
  const std::string fewer = head + "left = 3\nright = 4\n";
  EXPECT_EQ(only(fewer + "at_most = 0.75\n").verdict, Verdict::Reproduced);
  EXPECT_EQ(only(fewer + "at_most = 0.74\n").verdict, Verdict::Contradicted);
  EXPECT_THAT([&] { only(fewer + "at_most = 0.75\nfraction = 0.7\n"); }, ThrowsUsageError(HasSubstr("one of both")));
  Record other = make({.method = "sih", .seed = 2});
  other.parameters["recurrent"] = 5;
  add({other});
  EXPECT_EQ(only(from_records).verdict, Verdict::NotComparable);
}

TEST_F(Claims, WhatTheStudyDoesNotTestSaysWhy) {
  const Judgement judgement = only("[[claim]]\nid = \"6\"\nsays = \"s\"\nsource = \"t\"\nkind = \"none\"\nbecause = \"needs 3D CNNs\"\n");
  EXPECT_EQ(judgement.verdict, Verdict::NotRun);
  EXPECT_EQ(judgement.reason, "needs 3D CNNs");
}

TEST_F(Claims, SeveralTestsMustAllHold) {
  add("pre_gru", {0.600, 0.610, 0.620, 0.600});
  add("sih_gru", {0.601, 0.608, 0.621, 0.602});
  const auto claim = [](const std::string& fraction, const std::string& last) {
    return "[[claim]]\nid = \"3\"\nsays = \"fewer parameters, similar accuracy\"\nsource = \"text\"\n"
           "[[claim.test]]\nkind = \"parameters\"\nleft = 1\nright = 2\ntolerance = 0.01\nfraction = " +
           fraction +
           "\n[[claim.test]]\nkind = \"similar\"\nmethods = \"sih_(.*)\"\nthan = \"pre_$1\"\nmetric = \"auc\"\ntable = \"table1\"\nmargin "
           "= 0.02\n" +
           last;
  };
  EXPECT_EQ(only(claim("0.5", "")).verdict, Verdict::Reproduced);
  EXPECT_THAT(only(claim("0.5", "")).reason, AllOf(HasSubstr("test 1: "), HasSubstr("test 2 (auc in table1): 1 of 1")));
  EXPECT_EQ(only(claim("0.9", "")).verdict, Verdict::Contradicted);
  EXPECT_EQ(only(claim("0.5", "[[claim.test]]\nkind = \"none\"\nbecause = \"no data\"\n")).verdict, Verdict::Undecided);
}

TEST_F(Claims, AMisspeltMetricIsAnErrorNotAnAbsentResult) {
  add("trad_gru_1", {0.50, 0.51});
  add("pre_gru_fc6", {0.60, 0.62});
  std::string misspelt = better;
  misspelt.replace(misspelt.find("\"auc\""), 5, "\"auk\"");
  EXPECT_THAT([&] { only(misspelt); }, ThrowsUsageError(HasSubstr("claim \"1\""), HasSubstr("'auk'")));
  // Where the claim says that a profile may leave the metric out, it is not run.
  EXPECT_EQ(only(misspelt + "optional = true\n").verdict, Verdict::NotRun);
}

TEST_F(Claims, NothingIsBetterInAMetricWithoutADirection) {
  add(make_seeds({.method = "trad_gru_1", .direction = Direction::Neither}, {0.5, 0.6}));
  add(make_seeds({.method = "pre_gru_fc6", .direction = Direction::Neither}, {0.5, 0.6}));
  EXPECT_THAT([&] { only(better); }, ThrowsUsageError(HasSubstr("no better direction")));
}

TEST_F(Claims, AClaimThatCannotBeReadNamesItsIdAndKey) {
  const auto judging = [&](const std::string& toml) { return [this, toml] { only(toml); }; };
  EXPECT_THAT(judging("[[claim]]\nid = 1x\n"), ThrowsUsageError(HasSubstr("claims.toml, line 2")));
  EXPECT_THAT(judging(better + "margni = 2\n"),
              ThrowsUsageError(HasSubstr("claim \"1\""), HasSubstr("'margni'"), HasSubstr("comparisons")));
  EXPECT_THAT(judging(better + "level = \"high\"\n"), ThrowsUsageError(HasSubstr("'level' must be a number")));
  EXPECT_THAT(judging(better + "level = 1.5\n"), ThrowsUsageError(HasSubstr("between 0 and 1")));
  EXPECT_THAT(judging(better + better), ThrowsUsageError(HasSubstr("two claims have the id \"1\"")));
  EXPECT_THAT(judging("[claim]\nid = \"1\"\n"), ThrowsUsageError(HasSubstr("[[claim]]")));
  EXPECT_THAT(judging("[[claims]]\nid = \"1\"\n"), ThrowsUsageError(HasSubstr("'claims'")));
  for (const auto& [from, to, expected] :
       {std::tuple{"kind = \"better\"", "kind = \"best\"", "'best' is not known"},
        std::tuple{"table = \"table1\"", "", "'table' is missing"}, std::tuple{"(pre|sih)", "(pre|sih", "not a regular expression"},
        std::tuple{"kind = \"better\"", "kind = \"similar\"", "'margin' is missing"}}) {
    std::string toml = better;
    toml.replace(toml.find(from), std::string(from).size(), to);
    EXPECT_THAT(judging(toml), ThrowsUsageError(HasSubstr("claim \"1\""), HasSubstr(expected)));
  }
}

TEST_F(Claims, ACountThatNoIntegerHoldsIsRefused) {
  for (const std::string count : {"1e300", "15.5", "nan", "-3"})
    EXPECT_THAT([&] { only(better + "comparisons = " + count + "\n"); },
                ThrowsUsageError(HasSubstr("comparisons"), HasSubstr("whole number")));
}

TEST(Verdict, TextsAreThoseOfTheCommandLineAndTheFormerFiveAreKept) {
  const std::vector<std::tuple<Verdict, std::string_view, std::string_view>> texts{
      {Verdict::Reproduced, "reproduced", "reproduced"},
      {Verdict::Contradicted, "contradicted", "not reproduced"},
      {Verdict::NoEffect, "no effect", "inconclusive"},
      {Verdict::Undecided, "undecided", "inconclusive"},
      {Verdict::NotTestable, "not testable", "inconclusive"},
      {Verdict::NotComparable, "not comparable", "not comparable"},
      {Verdict::NotRun, "not run", "not run"}};
  for (const auto& [verdict, text, former] : texts) {
    EXPECT_EQ(verdict_text(verdict), text);
    EXPECT_EQ(former_verdict(verdict), former);
  }
}

}  // namespace
}  // namespace reprise::records
