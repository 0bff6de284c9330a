#include <functional>

#include "core/random.h"
#include "records/check.h"
#include "records/statistics.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const Judged& find(const CheckResult& result, const std::string& method) {
  for (const auto& judged : result.judged)
    if (judged.quantity.method == method) return judged;
  throw Error("no " + method + " was judged", "look at the test");
}

std::vector<Record> both(std::vector<Record> a, const std::vector<Record>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const std::vector<double> usual{0.60, 0.61, 0.62};

/// Outcome of one method whose reference is `usual`.
Judged outcome(const std::vector<double>& now, Direction direction = Direction::HigherIsBetter, const std::vector<double>& before = usual) {
  const auto reference = make_reference(make_seeds({.method = "cnn", .direction = direction}, before), "first");
  return check(reference, make_seeds({.method = "cnn", .direction = direction}, now)).judged.at(0);
}

TEST(Check, TheBandIsTheTPredictionIntervalOfASingleQuantity) {
  // One quantity: nothing to borrow from. t_{0.975, 2} = 4.302653; sd 0.01; 3 old and 3 new seeds.
  const Judged judged = outcome(usual);
  EXPECT_NEAR(judged.band, 4.302652729749464 * 0.01 * std::sqrt(2.0 / 3), 1e-10);
  EXPECT_EQ(judged.outcome, Outcome::Same);
  EXPECT_LT(outcome({0.6, 0.61, 0.62, 0.6, 0.61, 0.62}).band, judged.band);
}

TEST(Check, AFallBeyondTheBandFailsAndARiseIsReportedInBothDirections) {
  const double band = outcome(usual).band;
  const auto shifted = [](double by) { return std::vector<double>{0.60 + by, 0.61 + by, 0.62 + by}; };
  EXPECT_EQ(outcome(shifted(-1.01 * band)).outcome, Outcome::Fell);
  EXPECT_EQ(outcome(shifted(-0.99 * band)).outcome, Outcome::Same);
  EXPECT_EQ(outcome(shifted(1.01 * band)).outcome, Outcome::Rose);
  EXPECT_EQ(outcome(shifted(1.01 * band), Direction::LowerIsBetter).outcome, Outcome::Fell);
  EXPECT_EQ(outcome(shifted(-1.01 * band), Direction::LowerIsBetter).outcome, Outcome::Rose);
  EXPECT_EQ(outcome(shifted(-1.01 * band), Direction::Neither).outcome, Outcome::Moved);
  EXPECT_TRUE(fails(Outcome::Fell));
  EXPECT_FALSE(fails(Outcome::Rose));
  EXPECT_FALSE(fails(Outcome::Moved));
  EXPECT_FALSE(fails(Outcome::Added));
}

TEST(Check, TheMessageBeginsWithThePercentAndHasOldNewAndWhatPasses) {
  const Judged judged = outcome({0.50, 0.51, 0.52});
  EXPECT_THAT(judged.message, StartsWith("auc of table1/faces/cnn fell by 16.4 % (0.61 to 0.51, 3 seeds"));
  EXPECT_THAT(judged.message, HasSubstr("5.8 % passes"));
  EXPECT_NEAR(judged.percent, -100 * 0.1 / 0.61, 1e-9);
  EXPECT_TRUE(judged.worse);
  EXPECT_THAT(outcome({0.70, 0.71, 0.72}, Direction::LowerIsBetter).message, HasSubstr("rose by 16.4 %"));
  EXPECT_DOUBLE_EQ(*judged.old_value, 0.61);
  EXPECT_DOUBLE_EQ(*judged.new_value, 0.51);
}

TEST(Check, RoundingGivesNoAlarmWhereNoSeedMovesTheValue) {
  const std::vector<double> still{0.75, 0.75, 0.75};
  EXPECT_EQ(outcome({0.75 - 1e-9, 0.75, 0.75}, Direction::HigherIsBetter, still).outcome, Outcome::Same);
  EXPECT_EQ(outcome({0.74, 0.74, 0.74}, Direction::HigherIsBetter, still).outcome, Outcome::Fell);
  EXPECT_EQ(outcome({1e-15, 0, 0}, Direction::LowerIsBetter, {0, 0, 0}).outcome, Outcome::Same);
}

TEST(Check, AMissingAFailedAndAChangedCellFailAndAnAddedOneIsReported) {
  const auto reference = make_reference(both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)), "first");
  const auto missing = check(reference, make_seeds({.method = "cnn"}, usual));
  EXPECT_EQ(find(missing, "sih").outcome, Outcome::Missing);
  EXPECT_FALSE(missing.passed());

  auto records = both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual));
  EXPECT_TRUE(check(reference, records).passed());
  records[4].status = Status::Failed;
  records[4].error = "loss is NaN\n  fix: lower rate";
  const auto failed = check(reference, records);
  EXPECT_EQ(find(failed, "sih").outcome, Outcome::Failed);
  EXPECT_THAT(find(failed, "sih").message, AllOf(HasSubstr("table1/faces/sih/seed1"), HasSubstr("loss is NaN"), Not(HasSubstr("\n"))));
  EXPECT_EQ(find(failed, "cnn").outcome, Outcome::Same);

  const auto changed = check(
      reference, both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih", .protocol = "outer eyes"}, {0.9, 0.9, 0.9})));
  EXPECT_EQ(find(changed, "sih").outcome, Outcome::ProtocolChanged);
  EXPECT_THAT(find(changed, "sih").message, AllOf(HasSubstr("box diagonal"), HasSubstr("outer eyes")));
  EXPECT_FALSE(changed.passed());

  const auto added = check(reference, both(both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)),
                                           both(make_seeds({.method = "pre"}, {0.9, 0.8}), make_seeds({.method = "trial"}, {0.9}))));
  EXPECT_EQ(find(added, "pre").outcome, Outcome::Added);
  EXPECT_THAT([&] { find(added, "trial"); }, ThrowsError(HasSubstr("trial")));  // one seed: no part of a reference
  EXPECT_TRUE(added.passed());
}

// A judge trained in the run has other weights wherever arithmetic has another last bit: its gate must hold there all the same.
TEST(Check, AJudgeOfOtherWeightsIsNotAnotherProtocol) {
  const auto reference = make_reference(
      both(make_seeds({.method = "cnn", .protocol = "agreement/judge-0123abcd"}, usual), make_seeds({.method = "sih"}, usual)), "first");
  const auto other = check(
      reference, both(make_seeds({.method = "cnn", .protocol = "agreement/judge-89ef4567"}, usual), make_seeds({.method = "sih"}, usual)));
  EXPECT_EQ(find(other, "cnn").outcome, Outcome::Same);
  const auto changed = check(
      reference, both(make_seeds({.method = "cnn", .protocol = "distance/judge-0123abcd"}, usual), make_seeds({.method = "sih"}, usual)));
  EXPECT_EQ(find(changed, "cnn").outcome, Outcome::ProtocolChanged);
}

// Seeds 0 to 2 happen to lie far below the reference's mean. The run that gave them must pass for good, yet a fall below it is found.
TEST(Check, SeedsThatWereLowInTheReferenceMayBeLowAgain) {
  std::vector<double> stored(25);
  for (int seed = 0; seed < 25; ++seed) stored[seed] = seed < 3 ? 0.5 : seed % 2 ? 0.60 : 0.61;
  const std::vector<double> same{0.5, 0.5, 0.5};
  const Judged low = outcome(same, Direction::HigherIsBetter, stored);
  EXPECT_EQ(low.outcome, Outcome::Same);
  EXPECT_THAT(low.message, HasSubstr("25 seeds of which these had 0.5"));
  EXPECT_EQ(outcome({0.44, 0.44, 0.44}, Direction::HigherIsBetter, stored).outcome, Outcome::Fell);
  // As far off on the other side, where these seeds never were: band² = band_of_new_seeds², not + before².
  EXPECT_LT(outcome({0.7, 0.7, 0.7}, Direction::HigherIsBetter, stored).band, low.band);
  // Other seeds get no allowance.
  auto elsewhere = make_seeds({.method = "cnn", .seed = 100}, same);
  EXPECT_EQ(check(make_reference(make_seeds({.method = "cnn"}, stored), "first"), elsewhere).judged.at(0).outcome, Outcome::Fell);
}

TEST(Check, AQuantityThatOnlySomeSeedsHaveMayBeAbsentButNotOneThatAllHave) {
  auto stored = make_seeds({.method = "cnn"}, usual);
  for (int seed = 0; seed < 2; ++seed) {
    auto extra = stored[seed].metrics[0];
    extra.name = "kept";
    stored[seed].metrics.push_back(extra);
  }
  const auto reference = make_reference(stored, "first");
  const auto result = check(reference, make_seeds({.method = "cnn"}, usual));
  ASSERT_EQ(result.judged.size(), 2u);
  EXPECT_EQ(result.judged[1].outcome, Outcome::Absent);
  EXPECT_THAT(result.judged[1].message, HasSubstr("2 seeds"));
  EXPECT_TRUE(result.passed());
  EXPECT_TRUE(result.scores.empty()) << "it has no part in the mean of its cell";
  stored = make_seeds({.method = "cnn", .metric = "kept"}, usual);
  EXPECT_EQ(check(reference, stored).judged[0].outcome, Outcome::Missing);
}

// Where the reference has draws of rounding, values of a metric are counted more than once; that must not make it look like one that only
// some seeds had.
TEST(Check, AMetricThatEverySeedHadFailsWhereItIsGoneOrLeftInOneSeed) {
  auto stored = make_seeds({.method = "cnn"}, usual);
  for (auto& record : stored) {
    auto extra = record.metrics[0];
    extra.name = "other";
    record.metrics.push_back(extra);
  }
  const auto reference = make_reference(stored, "first", {stored, stored});
  for (const std::size_t kept : {0, 1}) {
    auto now = stored;
    for (std::size_t i = kept; i < now.size(); ++i) now[i].metrics.erase(now[i].metrics.begin());
    const auto result = check(reference, now);
    EXPECT_FALSE(result.passed()) << kept;
    EXPECT_EQ(result.judged.at(0).outcome, Outcome::Missing) << result.judged.at(0).message;
  }
}

TEST(Check, AFailedCellOfAMethodThatTheReferenceDoesNotKnowFails) {
  const auto reference = make_reference(make_seeds({.method = "cnn"}, usual), "first");
  auto records = both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "pre"}, {0.5, 0.5}));
  records[4].status = Status::Failed;
  const auto result = check(reference, records);
  EXPECT_EQ(find(result, "pre").outcome, Outcome::Failed);
  EXPECT_EQ(result.judged.size(), 2u);
}

TEST(Check, RefusesResultsOfAnotherStudyOrProfileAndEmptyOnes) {
  const auto reference = make_reference(make_seeds({.method = "cnn"}, usual), "first");
  auto records = make_seeds({.method = "cnn"}, usual);
  for (auto& record : records) record.profile = "desk";
  EXPECT_THAT([&] { check(reference, records); }, ThrowsUsageError(HasSubstr("prernn (quick)"), HasSubstr("prernn (desk)")));
  EXPECT_THAT([&] { check(reference, {}); }, ThrowsError(HasSubstr("no record")));
}

TEST(Check, AnInformationalMetricFailsNothingAndHasNoPartInItsCell) {
  const auto cell = [](double saturation) {
    return both(make_seeds({.method = "cnn"}, usual),
                make_seeds({.method = "cnn", .metric = "saturation_first"}, {saturation, saturation + 0.01, saturation + 0.02}));
  };
  // One record a cell with both metrics.
  const auto joined = [&](double saturation) {
    auto records = cell(saturation);
    for (int seed = 0; seed < 3; ++seed) records[seed].metrics.push_back(records[seed + 3].metrics[0]);
    records.resize(3);
    return records;
  };
  auto reference = make_reference(joined(0.9), "first");
  EXPECT_FALSE(check(reference, joined(0.2)).passed());
  reference.informational = {"saturation_*"};
  const auto result = check(reference_from_json(to_json(reference), "r"), joined(0.2));
  EXPECT_TRUE(result.passed());
  ASSERT_EQ(result.judged.size(), 2u);
  EXPECT_EQ(result.judged[1].outcome, Outcome::Moved);
  EXPECT_TRUE(result.scores.empty());
  EXPECT_EQ(update_reference(reference, joined(0.9), "again").informational, reference.informational);
  // What guards still does.
  auto fallen = joined(0.9);
  for (auto& record : fallen) record.metrics[0].value -= 0.3;
  EXPECT_FALSE(check(reference, fallen).passed());
}

// The reference was made by one arithmetic, and knows what rounding does to its five seeds from eight runs.
struct SameArithmetic : testing::Test {
  static constexpr const char* here = "AVX512, float32";
  const std::vector<double> base{0.400, 0.404, 0.398, 0.402, 0.396};
  const Direction direction = Direction::HigherIsBetter;

  static std::vector<Record> by(const std::string& arithmetic, std::vector<Record> records) {
    for (auto& record : records) record.environment.arithmetic = arithmetic;
    return records;
  }
  /// Rounding moves every seed by its own 0.5 percent.
  std::vector<double> rounded(int pattern) const {
    Random random = Random(3).split("pattern", pattern);
    auto values = base;
    for (auto& value : values) value *= 1 + 0.005 * random.normal();
    return values;
  }
  Reference reference() const {
    std::vector<std::vector<Record>> runs;
    for (int pattern = 1; pattern <= 8; ++pattern) runs.push_back(by(here, make_seeds({.method = "cnn"}, rounded(pattern))));
    return make_reference(by(here, make_seeds({.method = "cnn"}, base)), "first", runs);
  }
  Judged judged(const std::vector<double>& now, const std::string& arithmetic = here) const {
    return check(reference(), by(arithmetic, make_seeds({.method = "cnn"}, now))).judged.at(0);
  }
  std::vector<double> times(double factor) const {
    auto values = base;
    for (auto& value : values) value *= factor;
    return values;
  }
};

TEST_F(SameArithmetic, TheSameValuesPassAndATenthOfAPercentThatAllSeedsLoseFails) {
  EXPECT_EQ(judged(base).outcome, Outcome::Same);
  EXPECT_EQ(judged(base).ground, Ground::Values);
  EXPECT_EQ(judged(times(1 - 5e-7)).outcome, Outcome::Same) << "within 1e-6";
  const Judged fell = judged(times(0.999));
  EXPECT_EQ(fell.outcome, Outcome::Fell);
  EXPECT_THAT(fell.message, StartsWith("auc of table1/faces/cnn fell by 0.1 % (0.4 to 0.3996, same seeds, same arithmetic"));
  EXPECT_EQ(judged(times(1.001)).outcome, Outcome::Changed) << "better is no failure";
  EXPECT_EQ(judged({base[0] * 0.999, base[1] * 0.999, base[2] * 0.999}).outcome, Outcome::Fell) << "three of the seeds are enough";
}

// A reordered sum gives what another pattern of rounding gives: it must pass.
TEST_F(SameArithmetic, WhatAnotherRoundingGivesPassesAndAFallBeyondItFails) {
  for (int pattern = 20; pattern < 60; ++pattern) {
    const auto one = judged(rounded(pattern));
    EXPECT_FALSE(fails(one.outcome)) << one.message;
    EXPECT_EQ(one.ground, Ground::Values);
  }
  auto lower = rounded(20);
  for (auto& value : lower) value *= 0.97;
  EXPECT_EQ(judged(lower).outcome, Outcome::Fell);
  EXPECT_THAT(judged(lower).message, HasSubstr("same seeds, same arithmetic"));
}

TEST_F(SameArithmetic, ElsewhereTheBandIsOfWhatRoundingDoesToTheMeanOfTheSameSeeds) {
  const Judged there = judged(rounded(20), "AVX2, float32");
  EXPECT_EQ(there.ground, Ground::Rounding);
  EXPECT_EQ(there.outcome, Outcome::Same);
  // The nine means scatter by s; the new one is one more draw.
  std::vector<double> means{mean(base)};
  for (int pattern = 1; pattern <= 8; ++pattern) means.push_back(mean(rounded(pattern)));
  const double scatter = std::max(deviation(means), 0.002 * mean(means));
  EXPECT_NEAR(there.band, student_quantile(0.975, 8) * scatter * std::sqrt(1 + 1.0 / 9), 1e-9);
  EXPECT_NEAR(*there.old_value, mean(means), 1e-12);
  EXPECT_EQ(judged(times(0.999), "AVX2, float32").outcome, Outcome::Same);
  EXPECT_EQ(judged(times(0.97), "AVX2, float32").outcome, Outcome::Fell);
  EXPECT_THAT(judged(times(0.97), "AVX2, float32").message, HasSubstr("same seeds, other arithmetic"));
  // Seeds that the reference does not hold are judged by the spread over seeds.
  EXPECT_EQ(check(reference(), make_seeds({.method = "cnn", .seed = 100}, base)).judged.at(0).ground, Ground::Seeds);
}

TEST_F(SameArithmetic, ARunThatPassesIsRememberedAndJudgedByItsOwnValuesThen) {
  auto known = reference();
  const auto there = by("AVX2, float32", make_seeds({.method = "cnn"}, rounded(20)));
  remember(known, there);
  known = reference_from_json(to_json(known), "r");
  const auto again = check(known, there);
  EXPECT_TRUE(again.known_arithmetic);
  EXPECT_EQ(again.judged.at(0).outcome, Outcome::Same);
  EXPECT_EQ(again.judged.at(0).ground, Ground::Values);
  auto lower = there;
  for (auto& record : lower) record.metrics[0].value *= 0.999;
  EXPECT_FALSE(check(known, lower).passed());
  EXPECT_EQ(check(known, by(here, make_seeds({.method = "cnn"}, base))).judged.at(0).outcome, Outcome::Same);
  EXPECT_THAT([&] { remember(known, there); }, ThrowsUsageError(HasSubstr("AVX2"), HasSubstr("--update")));
  EXPECT_THAT([&] { remember(known, make_seeds({.method = "cnn"}, base)); }, ThrowsError(HasSubstr("do not say")));
  EXPECT_THAT([&] { remember(known, by("x", make_seeds({.method = "cnn"}, {0.4, 0.5}))); }, ThrowsError(HasSubstr("2 seeds")));
}

TEST_F(SameArithmetic, RunsThatDoNotBelongTogetherMakeNoReference) {
  const auto first = by(here, make_seeds({.method = "cnn"}, base));
  EXPECT_THAT([&] { make_reference(first, "r", {by("AVX2", make_seeds({.method = "cnn"}, base))}); }, ThrowsError(HasSubstr("AVX2")));
  EXPECT_THAT(
      [&] {
        make_reference(first, "r", {by(here, make_seeds({.method = "cnn"}, {0.4, 0.4}))});
      },
      ThrowsError(HasSubstr("2 seeds")));
  EXPECT_EQ(arithmetic_of(both(first, make_seeds({.method = "sih"}, base))), "") << "records of several";
}

TEST(Check, NumbersOfParametersMustBeTheSameAndMemoryMayGrowByATenth) {
  const auto records = make_seeds({.method = "cnn"}, usual);
  const auto reference = make_reference(records, "first");
  const auto changed = [&](const std::function<void(Record&)>& change) {
    auto others = records;
    for (auto& record : others) change(record);
    return check(reference, others);
  };
  const auto little = changed([](Record& record) { record.peak_memory_bytes = record.peak_memory_bytes / 100 * 109; });
  EXPECT_TRUE(little.passed());
  const auto memory = changed([](Record& record) { record.peak_memory_bytes = record.peak_memory_bytes / 100 * 112; });
  EXPECT_EQ(memory.count(Outcome::Fell), 1);
  EXPECT_FALSE(memory.passed());
  EXPECT_THAT(memory.judged.at(1).message, HasSubstr("peak memory of table1/faces/cnn rose by 12 % (1024 to 1147 MiB"));
  // What a cell takes depends on what its process ran before: one of the reference's cells may have taken more, and one of the run's less.
  auto wide = records;
  wide.front().peak_memory_bytes = wide.front().peak_memory_bytes / 100 * 130;
  const auto with_memory = [&](double factor) {
    auto others = records;
    for (auto& record : others)
      record.peak_memory_bytes = static_cast<std::int64_t>(factor * static_cast<double>(record.peak_memory_bytes));
    return others;
  };
  const auto as_wide = check(make_reference(wide, "first"), with_memory(1.29));
  EXPECT_TRUE(as_wide.passed());
  EXPECT_FALSE(check(make_reference(wide, "first"), with_memory(1.45)).passed());
  const auto parameters = changed([](Record& record) { record.parameters["recurrent"] -= 1; });
  EXPECT_FALSE(parameters.passed());
  EXPECT_THAT(parameters.judged.at(1).message, AllOf(HasSubstr("table1/faces/cnn has 67108863 parameters"), HasSubstr("67108864 before")));
  EXPECT_FALSE(changed([](Record& record) { record.parameters = {{"all", 1}}; }).passed());
}

TEST(Check, WhatNoSeedChangesIsAFactThatMustStayUnlessItIsInformational) {
  const auto with = [](double deviation) {
    auto records = make_seeds({.method = "cnn"}, usual);
    for (auto& record : records) record.metrics.push_back({"input_deviation", deviation, "", Direction::Neither, "of the test inputs"});
    return records;
  };
  auto reference = make_reference(with(0.5), "first");
  EXPECT_TRUE(check(reference, with(0.5)).passed());
  EXPECT_TRUE(check(reference, with(0.50004)).passed()) << "another machine's sum";
  for (const double other : {0.495, 0.505}) {
    const auto result = check(reference, with(other));
    EXPECT_EQ(result.count(Outcome::Differs), 1);
    EXPECT_FALSE(result.passed());
  }
  reference.informational = {"input_*"};
  EXPECT_TRUE(check(reference, with(0.505)).passed());
}

TEST(Check, APartOfARunIsJudgedByTableOrGlob) {
  const auto table2 = make_seeds({.method = "cnn", .table = "table2"}, usual);
  const auto reference =
      make_reference(both(both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)), table2), "r");
  const auto now = both(both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, {0.1, 0.1, 0.1})), table2);
  EXPECT_FALSE(check(reference, now).passed());
  EXPECT_TRUE(check(reference, now, {.table = "table2"}).passed());
  EXPECT_EQ(check(reference, now, {.table = "table2"}).judged.size(), 1u);
  EXPECT_TRUE(check(reference, now, {.only = "*/faces/cnn"}).passed());
  EXPECT_FALSE(check(reference, now, {.only = "table1/*"}).passed());
  EXPECT_THAT([&] { check(reference, now, {.table = "table3"}); }, ThrowsUsageError(HasSubstr("table3"), HasSubstr("table1/faces/cnn")));
}

TEST(CheckSummary, PutsWhatFailsFirstThenTheLargestChangeAndNamesSeedsAndRecords) {
  auto records = both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "a|b"}, usual));
  const auto reference = make_reference(records, "first");
  for (auto& record : records) record.metrics[0].value *= record.cell.method == "cnn" ? 0.5 : 2;
  const auto text = summary_markdown(check(reference, records), reference, "results/x");
  EXPECT_THAT(text, StartsWith("## Accuracy of prernn (quick): FAILED\n"));
  EXPECT_LT(text.find("| **fails** | fell | auc of table1/faces/cnn | -50 % | 0.61 | 0.305 | 0, 1, 2 |"), text.find("rose"));
  EXPECT_THAT(text, AllOf(HasSubstr("`results/x/cells/table1/faces/cnn/seed*/record.json`"), HasSubstr("a/b"), Not(HasSubstr("a|b"))));
  EXPECT_THAT(
      summary_markdown(check(reference, both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "a|b"}, usual))), reference, "r"),
      AllOf(HasSubstr("passed"), Not(HasSubstr("fails"))));
}

TEST(Check, ARecordThatCannotBeReadFailsWhateverTheOthersSay) {
  const auto records = make_seeds({.method = "cnn"}, usual);
  const auto reference = make_reference(records, "first");
  auto result = check(reference, records);
  EXPECT_TRUE(result.passed());
  result.unreadable = {"records/table1.jsonl, line 3: the field \"metrics\" is missing"};
  EXPECT_FALSE(result.passed());
  EXPECT_THAT(summary_markdown(result, reference, "r"),
              AllOf(HasSubstr("FAILED"), HasSubstr("**fails**: cannot be read: records/table1.jsonl, line 3")));
  EXPECT_THAT(junit_xml(result),
              AllOf(HasSubstr("<testcase classname=\"records\" name=\"records/table1.jsonl, line 3\">"), HasSubstr("type=\"unreadable\"")));
}

TEST(CheckSummary, NamesTheFileOfPackedRecords) {
  const TemporaryFolder folder;
  write_file(folder.path() / "records" / "table1.jsonl", "");
  auto records = make_seeds({.method = "cnn"}, usual);
  const auto reference = make_reference(records, "first");
  for (auto& record : records) record.metrics[0].value *= 0.5;
  EXPECT_THAT(summary_markdown(check(reference, records), reference, folder.path()),
              HasSubstr("`" + folder.path().string() + "/records/table1.jsonl`"));
}

/// A table of `cells` methods with true spread sd_of(cell); a reference and one re-run of it, with `fall` true deviations lost in cell 0
/// (or everywhere).
struct Simulation {
  int cells, seeds;
  std::function<double(int)> deviation_of;
  double fall = 0;
  bool everywhere = false;

  std::vector<Record> run(Random& random, double lost) const {
    std::vector<Record> records;
    for (int cell = 0; cell < cells; ++cell) {
      const double sd = deviation_of(cell), centre = 0.5 + 0.01 * cell - (cell == 0 || everywhere ? lost * sd : 0);
      std::vector<double> values;
      for (int seed = 0; seed < seeds; ++seed) values.push_back(centre + sd * random.normal());
      for (auto& record : make_seeds({.method = "method" + std::to_string(cell)}, values)) records.push_back(std::move(record));
    }
    return records;
  }
  /// Share of re-runs in which the check fails; with a fall in cell 0 alone: in which that cell is found.
  double alarms(int rounds) const {
    Random random(20240611);
    int found = 0;
    for (int round = 0; round < rounds; ++round) {
      const auto reference = make_reference(run(random, 0), "first");
      const auto result = check(reference, run(random, fall));
      found += fall == 0 || everywhere ? !result.passed() : fails(find(result, "method0").outcome);
    }
    return static_cast<double>(found) / rounds;
  }
};

// 200 rounds of a true rate of 0.05 have a standard deviation of 0.0154; the limit is three of them above it.
constexpr double limit = 0.05 + 3 * 0.0154;

TEST(Check, FalseAlarmsAreAtMostOneInTwentyForAlikeSpreads) {
  for (const int cells : {1, 3, 22})
    for (const int seeds : {3, 5}) {
      const double rate = Simulation{.cells = cells, .seeds = seeds, .deviation_of = [](int) { return 0.01; }}.alarms(200);
      EXPECT_LE(rate, limit) << cells << " cells, " << seeds << " seeds";
    }
}

TEST(Check, FalseAlarmsAreAtMostOneInTwentyForSpreadsThatDiffer) {
  // Between 0.005 and 0.02, and one cell in five ten times as wide.
  const auto smooth = [](int cell) { return 0.005 * std::pow(4.0, (cell % 7) / 6.0); };
  const auto mixed = [](int cell) { return cell % 5 ? 0.005 : 0.05; };
  for (const int seeds : {3, 5}) {
    EXPECT_LE((Simulation{.cells = 22, .seeds = seeds, .deviation_of = smooth}.alarms(200)), limit) << seeds;
    EXPECT_LE((Simulation{.cells = 22, .seeds = seeds, .deviation_of = mixed}.alarms(200)), limit) << seeds;
  }
}

TEST(Check, AFallOfThreeDeviationsInOneOfTwentyTwoCellsIsFoundWithFiveSeeds) {
  EXPECT_GE((Simulation{.cells = 22, .seeds = 5, .deviation_of = [](int) { return 0.01; }, .fall = 3}.alarms(200)), 0.7);
}

TEST(Check, AFallOfThreeDeviationsInTheWholeTableIsFoundWithThreeSeeds) {
  const Simulation table{.cells = 22, .seeds = 3, .deviation_of = [](int) { return 0.01; }, .fall = 3, .everywhere = true};
  EXPECT_GE(table.alarms(100), 0.9);
}

TEST(Reference, SurvivesItsFileWithEveryField) {
  const TemporaryFolder folder;
  auto reference = make_reference(both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)), "first");
  reference.informational = {"saturation_*"};
  reference =
      update_reference(reference, both(make_seeds({.method = "cnn"}, {0.7, 0.71}), make_seeds({.method = "pre"}, usual)), "better crops");
  write_reference(folder.path() / "reference.json", reference);
  EXPECT_EQ(to_json(read_reference(folder.path() / "reference.json")), to_json(reference));
}

TEST(Reference, AnUpdateSaysWhatMovedAndWhy) {
  auto old = make_reference(both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)), "first");
  const auto updated =
      update_reference(old, both(make_seeds({.method = "cnn"}, {0.7, 0.72}), make_seeds({.method = "pre"}, usual)), "better crops");
  ASSERT_EQ(updated.history.size(), 2u);
  EXPECT_EQ(updated.history[0].reason, "first");
  const Revision& revision = updated.history[1];
  ASSERT_EQ(revision.moved.size(), 3u);
  EXPECT_DOUBLE_EQ(*revision.moved[0].old_value, 0.61);
  EXPECT_DOUBLE_EQ(*revision.moved[0].new_value, 0.71);
  EXPECT_THAT(text_of(revision, updated.entries.size()),
              AllOf(StartsWith("3 of 2 quantities moved: better crops"), HasSubstr("table1/faces/cnn auc: 0.61 -> 0.71"),
                    HasSubstr("pre auc: none -> 0.61"), HasSubstr("sih auc: 0.61 -> none")));
  EXPECT_TRUE(update_reference(old, both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)), "again")
                  .history[1]
                  .moved.empty());
}

TEST(Reference, AnUpdateKeepsWhatRoundingDoesToValuesThatMovedByNoMore) {
  const auto records = both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual));
  const auto rounded = both(make_seeds({.method = "cnn"}, {0.605, 0.615, 0.62}), make_seeds({.method = "sih"}, {0.604, 0.616, 0.62}));
  const auto old = make_reference(records, "first", {rounded});
  const auto updated =
      update_reference(old, both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, {0.7, 0.72, 0.71})), "sih");
  const auto of = [&](const Reference& reference, const char* method) {
    return reference.entries.at({"table1", "faces", method, "auc"}).rounded;
  };
  EXPECT_EQ(of(updated, "cnn"), of(old, "cnn"));
  EXPECT_TRUE(of(updated, "sih").empty());
  auto again = usual;
  again[0] += 2e-4, again[1] -= 3e-4;
  const auto reordered = update_reference(old, both(make_seeds({.method = "cnn"}, again), make_seeds({.method = "sih"}, usual)), "a sum");
  EXPECT_EQ(of(reordered, "cnn"), of(old, "cnn"));
  EXPECT_EQ(reordered.entries.at({"table1", "faces", "cnn", "auc"}).sample.values, again);
}

TEST(Reference, IsNotMadeFromResultsThatCannotGuard) {
  auto records = make_seeds({.method = "cnn"}, usual);
  EXPECT_THAT([] { make_reference({}, "first"); }, ThrowsError(HasSubstr("no record")));
  EXPECT_THAT([&] { make_reference(records, ""); }, ThrowsError(HasSubstr("reason")));
  EXPECT_THAT([] { make_reference(make_seeds({.method = "cnn"}, {0.5}), "first"); },
              ThrowsError(HasSubstr("one seed only"), HasSubstr("cnn auc")));
  EXPECT_EQ(make_reference(both(records, make_seeds({.method = "trial"}, {0.5})), "first").entries.size(),
            make_reference(records, "first").entries.size());
  records[1].status = Status::Running;
  EXPECT_THAT([&] { make_reference(records, "first"); }, ThrowsError(HasSubstr("1 cells are not done: table1/faces/cnn/seed1")));
  records[1] = make({.method = "sih", .seed = 1});
  records[1].profile = "desk";
  EXPECT_THAT([&] { make_reference(records, "first"); }, ThrowsError(HasSubstr("one study and profile")));
}

TEST(Reference, ADamagedFileIsNamedWithItsField) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "reference.json";
  write_file(path, "{");
  EXPECT_THAT([&] { read_reference(path); }, ThrowsUsageError(HasSubstr("reference.json")));
  const auto whole = to_json(make_reference(make_seeds({.method = "cnn"}, usual), "first"));
  auto json = whole;
  json["schema"] = 7;
  EXPECT_THAT([&] { reference_from_json(json, "r"); }, ThrowsError(HasSubstr("version 7")));
  json = whole;
  json["entries"][0]["seeds"] = {0};
  EXPECT_THAT([&] { reference_from_json(json, "r"); }, ThrowsError(HasSubstr("entries[0]"), HasSubstr("at least two")));
  json = whole;
  json["entries"][0]["values"][0] = {0.5};
  EXPECT_THAT([&] { reference_from_json(json, "r"); }, ThrowsError(HasSubstr("entries[0]"), HasSubstr("lists of 3 numbers")));
  json = whole;
  json["arithmetics"] = nlohmann::json::array();
  EXPECT_THAT([&] { reference_from_json(json, "r"); }, ThrowsError(HasSubstr("arithmetics")));
  json = whole;
  json["history"][0]["moved"].push_back({{"table", "t"}});
  EXPECT_THAT([&] { reference_from_json(json, "r"); }, ThrowsError(HasSubstr("r, history[0], moved["), HasSubstr("\"dataset\"")));
  json = whole;
  json["entries"].push_back(json["entries"][0]);
  EXPECT_THAT([&] { reference_from_json(json, "r"); }, ThrowsError(HasSubstr("twice")));
}

TEST(JUnit, CountsFailuresAndEscapesText) {
  auto records = both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih", .protocol = "a <b> & \"c\""}, usual));
  const auto reference = make_reference(records, "first");
  for (auto& record : records)
    if (record.cell.method == "cnn") record.metrics[0].value -= 0.5;
  for (auto& record : records)
    if (record.cell.method == "sih") record.metrics[0].protocol = "d";
  const std::string xml = junit_xml(check(reference, records));
  EXPECT_THAT(xml,
              StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"prernn (quick)\" tests=\"2\" failures=\"2\">\n"
                         "  <testsuite name=\"table1\" tests=\"2\" failures=\"2\">\n"
                         "    <testcase classname=\"table1.faces.cnn\" name=\"auc\">\n      <failure type=\"fell\" message=\""));
  EXPECT_THAT(xml, HasSubstr("a &lt;b&gt; &amp; &quot;c&quot;"));
  EXPECT_THAT(xml, Not(HasSubstr("<b>")));
  const std::string passed = junit_xml(
      check(reference, both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih", .protocol = "a <b> & \"c\""}, usual))));
  EXPECT_THAT(passed, AllOf(HasSubstr("failures=\"0\""), Not(HasSubstr("<failure")), HasSubstr("<system-out>")));
}

}  // namespace
}  // namespace reprise::records
