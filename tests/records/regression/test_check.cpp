// The check: what falls, rises, is missing or is another; bands, messages, summaries.
#include <functional>

#include "statistics/statistics.h"
#include "tests/records/regression/checked.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Outcome of one method whose reference is `usual`.
QuantityCheck outcome(const std::vector<double>& now,
                      Direction direction = Direction::HigherIsBetter,
                      const std::vector<double>& before = usual) {
  const auto reference =
      make_reference(make_seeds({.method = "cnn", .direction = direction}, before), "first");
  return check(reference, make_seeds({.method = "cnn", .direction = direction}, now)).judged.at(0);
}

TEST(Check, TheBandIsOfTheMeanChangeOverTheSeeds) {
  // One quantity: nothing to borrow from. t_{0.975, 2} = 4.302653; changes of 0, 0.01 and -0.01.
  const QuantityCheck judged = outcome({0.60, 0.62, 0.61});
  EXPECT_NEAR(judged.band, 4.302652729749464 * 0.01 / std::sqrt(3), 1e-10);
  EXPECT_EQ(judged.outcome, Outcome::Same);
  EXPECT_NEAR(outcome(usual).band, 4.302652729749464 * 0.002 * 0.61, 1e-10)
      << "alike changes: 0.2 percent of the mean";
}

TEST(Check, AFallBeyondTheBandFailsAndARiseIsReportedInBothDirections) {
  const double band = outcome(usual).band;
  const auto shifted = [](double by) {
    return std::vector<double>{0.60 + by, 0.61 + by, 0.62 + by};
  };
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
  const QuantityCheck judged = outcome({0.50, 0.51, 0.52});
  EXPECT_THAT(
      judged.message,
      StartsWith(
          "auc of table1/faces/cnn fell by 16.4 % (0.61 to 0.51, same seeds, other platform"));
  EXPECT_THAT(judged.message, HasSubstr("0.86 % passes"));
  EXPECT_NEAR(judged.percent, -100 * 0.1 / 0.61, 1e-9);
  EXPECT_TRUE(judged.worse);
  EXPECT_THAT(outcome({0.70, 0.71, 0.72}, Direction::LowerIsBetter).message,
              HasSubstr("rose by 16.4 %"));
  EXPECT_DOUBLE_EQ(*judged.old_value, 0.61);
  EXPECT_DOUBLE_EQ(*judged.new_value, 0.51);
}

TEST(Check, RoundingGivesNoAlarmWhereNoSeedMovesTheValue) {
  const std::vector<double> still{0.75, 0.75, 0.75};
  EXPECT_EQ(outcome({0.75 - 1e-9, 0.75, 0.75}, Direction::HigherIsBetter, still).outcome,
            Outcome::Same);
  EXPECT_EQ(outcome({0.74, 0.74, 0.74}, Direction::HigherIsBetter, still).outcome, Outcome::Fell);
  EXPECT_EQ(outcome({1e-15, 0, 0}, Direction::LowerIsBetter, {0, 0, 0}).outcome, Outcome::Same);
}

TEST(Check, AMissingAFailedAndAChangedCellFailAndAnAddedOneIsReported) {
  const auto reference = make_reference(
      both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)), "first");
  const auto missing = check(reference, make_seeds({.method = "cnn"}, usual));
  EXPECT_EQ(find(missing, "sih").outcome, Outcome::Missing);
  EXPECT_FALSE(missing.passes());

  auto records = both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual));
  EXPECT_TRUE(check(reference, records).passes());
  records[4].status = Status::Failed;
  records[4].error = "loss is NaN\n  fix: lower rate";
  const auto failed = check(reference, records);
  EXPECT_EQ(find(failed, "sih").outcome, Outcome::Failed);
  EXPECT_THAT(find(failed, "sih").message, AllOf(HasSubstr("table1/faces/sih/seed1"),
                                                 HasSubstr("loss is NaN"), Not(HasSubstr("\n"))));
  EXPECT_EQ(find(failed, "cnn").outcome, Outcome::Same);

  const auto changed = check(
      reference, both(make_seeds({.method = "cnn"}, usual),
                      make_seeds({.method = "sih", .protocol = "outer eyes"}, {0.9, 0.9, 0.9})));
  EXPECT_EQ(find(changed, "sih").outcome, Outcome::ProtocolChanged);
  EXPECT_THAT(find(changed, "sih").message,
              AllOf(HasSubstr("box diagonal"), HasSubstr("outer eyes")));
  EXPECT_FALSE(changed.passes());

  const auto added = check(
      reference,
      both(
          both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)),
          both(make_seeds({.method = "pre"}, {0.9, 0.8}), make_seeds({.method = "trial"}, {0.9}))));
  EXPECT_EQ(find(added, "pre").outcome, Outcome::Added);
  // One seed: no part of a reference.
  EXPECT_THAT([&] { find(added, "trial"); }, ThrowsError(HasSubstr("trial")));
  EXPECT_TRUE(added.passes());
}

// A judge trained in the run has other weights wherever arithmetic has another last bit: its gate
// must hold there all the same.
TEST(Check, AJudgeOfOtherWeightsIsNotAnotherProtocol) {
  const auto reference = make_reference(
      both(make_seeds({.method = "cnn", .protocol = "agreement/judge-0123abcd"}, usual),
           make_seeds({.method = "sih"}, usual)),
      "first");
  const auto other = check(
      reference, both(make_seeds({.method = "cnn", .protocol = "agreement/judge-89ef4567"}, usual),
                      make_seeds({.method = "sih"}, usual)));
  EXPECT_EQ(find(other, "cnn").outcome, Outcome::Same);
  const auto changed = check(
      reference, both(make_seeds({.method = "cnn", .protocol = "distance/judge-0123abcd"}, usual),
                      make_seeds({.method = "sih"}, usual)));
  EXPECT_EQ(find(changed, "cnn").outcome, Outcome::ProtocolChanged);
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
  EXPECT_TRUE(result.passes());
  EXPECT_TRUE(result.scores.empty()) << "it has no part in the mean of its cell";
  stored = make_seeds({.method = "cnn", .metric = "kept"}, usual);
  EXPECT_EQ(check(reference, stored).judged[0].outcome, Outcome::Missing);
}

TEST(Check, AMetricThatEverySeedHadFailsWhereItIsGoneOrLeftInOneSeed) {
  auto stored = make_seeds({.method = "cnn"}, usual);
  for (auto& record : stored) {
    auto extra = record.metrics[0];
    extra.name = "other";
    record.metrics.push_back(extra);
  }
  const auto reference = make_reference(stored, "first");
  for (const std::size_t kept : {0, 1}) {
    auto now = stored;
    for (std::size_t i = kept; i < now.size(); ++i) now[i].metrics.erase(now[i].metrics.begin());
    const auto result = check(reference, now);
    EXPECT_FALSE(result.passes()) << kept;
    EXPECT_EQ(result.judged.at(0).outcome, Outcome::Missing) << result.judged.at(0).message;
  }
}

TEST(Check, AFailedCellOfAMethodThatTheReferenceDoesNotKnowFails) {
  const auto reference = make_reference(make_seeds({.method = "cnn"}, usual), "first");
  auto records =
      both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "pre"}, {0.5, 0.5}));
  records[4].status = Status::Failed;
  const auto result = check(reference, records);
  EXPECT_EQ(find(result, "pre").outcome, Outcome::Failed);
  EXPECT_EQ(result.judged.size(), 2u);
}

TEST(Check, RefusesResultsOfAnotherStudyOrProfileAndEmptyOnes) {
  const auto reference = make_reference(make_seeds({.method = "cnn"}, usual), "first");
  auto records = make_seeds({.method = "cnn"}, usual);
  for (auto& record : records) record.profile = "small";
  EXPECT_THAT([&] { check(reference, records); },
              ThrowsUsageError(HasSubstr("prernn (smoke)"), HasSubstr("prernn (small)")));
  EXPECT_THAT([&] { check(reference, {}); }, ThrowsError(HasSubstr("no record")));
}

TEST(Check, AnInformationalMetricFailsNothingAndHasNoPartInItsCell) {
  const auto cell = [](double saturation) {
    return both(make_seeds({.method = "cnn"}, usual),
                make_seeds({.method = "cnn", .metric = "saturation_first"},
                           {saturation, saturation + 0.01, saturation + 0.02}));
  };
  // One record a cell with both metrics.
  const auto joined = [&](double saturation) {
    auto records = cell(saturation);
    for (int seed = 0; seed < 3; ++seed)
      records[seed].metrics.push_back(records[seed + 3].metrics[0]);
    records.resize(3);
    return records;
  };
  auto reference = make_reference(joined(0.9), "first");
  EXPECT_FALSE(check(reference, joined(0.2)).passes());
  reference.informational = {"saturation_*"};
  const auto result = check(reference_from_json(to_json(reference), "r"), joined(0.2));
  EXPECT_TRUE(result.passes());
  ASSERT_EQ(result.judged.size(), 2u);
  EXPECT_EQ(result.judged[1].outcome, Outcome::Moved);
  EXPECT_TRUE(result.scores.empty());
  EXPECT_EQ(update_reference(reference, joined(0.9), "again").informational,
            reference.informational);
  // What guards still does.
  auto fallen = joined(0.9);
  for (auto& record : fallen) record.metrics[0].value -= 0.3;
  EXPECT_FALSE(check(reference, fallen).passes());
}

TEST(Check, NumbersOfParametersMustBeTheSameAndMemoryMayGrowByAQuarter) {
  const auto records = make_seeds({.method = "cnn"}, usual);
  const auto reference = make_reference(records, "first");
  const auto changed = [&](const std::function<void(Record&)>& change) {
    auto others = records;
    for (auto& record : others) change(record);
    return check(reference, others);
  };
  const auto little = changed(
      [](Record& record) { record.peak_memory_bytes = record.peak_memory_bytes / 100 * 124; });
  EXPECT_TRUE(little.passes());
  const auto memory = changed(
      [](Record& record) { record.peak_memory_bytes = record.peak_memory_bytes / 100 * 127; });
  EXPECT_EQ(memory.count(Outcome::Fell), 1);
  EXPECT_FALSE(memory.passes());
  EXPECT_THAT(memory.judged.at(1).message,
              HasSubstr("peak memory of table1/faces/cnn rose by 27 % (1024 to 1300 MiB"));
  // What a cell takes depends on what its process ran before: one of the reference's cells may have
  // taken more, and one of the run's less.
  auto wide = records;
  wide.front().peak_memory_bytes = wide.front().peak_memory_bytes / 100 * 130;
  const auto with_memory = [&](double factor) {
    auto others = records;
    for (auto& record : others)
      record.peak_memory_bytes =
          static_cast<std::int64_t>(factor * static_cast<double>(record.peak_memory_bytes));
    return others;
  };
  const auto as_wide = check(make_reference(wide, "first"), with_memory(1.6));
  EXPECT_TRUE(as_wide.passes());
  EXPECT_FALSE(check(make_reference(wide, "first"), with_memory(1.65)).passes());
  const auto parameters = changed([](Record& record) { record.parameters["recurrent"] -= 1; });
  EXPECT_FALSE(parameters.passes());
  EXPECT_THAT(
      parameters.judged.at(1).message,
      AllOf(HasSubstr("table1/faces/cnn has 67108863 parameters"), HasSubstr("67108864 before")));
  EXPECT_FALSE(changed([](Record& record) { record.parameters = {{"all", 1}}; }).passes());
}

TEST(Check, WhatNoSeedChangesIsAFactThatMustStayUnlessItIsInformational) {
  const auto with = [](double deviation) {
    auto records = make_seeds({.method = "cnn"}, usual);
    for (auto& record : records)
      record.metrics.push_back(
          {"input_deviation", deviation, "", Direction::Neither, "of the test inputs"});
    return records;
  };
  auto reference = make_reference(with(0.5), "first");
  EXPECT_TRUE(check(reference, with(0.5)).passes());
  EXPECT_TRUE(check(reference, with(0.50004)).passes()) << "another machine's sum";
  for (const double other : {0.495, 0.505}) {
    const auto result = check(reference, with(other));
    EXPECT_EQ(result.count(Outcome::Differs), 1);
    EXPECT_FALSE(result.passes());
  }
  reference.informational = {"input_*"};
  EXPECT_TRUE(check(reference, with(0.505)).passes());
}

TEST(Check, APartOfARunIsJudgedByTableOrGlob) {
  const auto table2 = make_seeds({.method = "cnn", .table = "table2"}, usual);
  const auto reference = make_reference(
      both(both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)),
           table2),
      "r");
  const auto now = both(
      both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, {0.1, 0.1, 0.1})),
      table2);
  EXPECT_FALSE(check(reference, now).passes());
  EXPECT_TRUE(check(reference, now, {.only = "table2/*"}).passes());
  EXPECT_EQ(check(reference, now, {.only = "table2/*"}).judged.size(), 1u);
  EXPECT_TRUE(check(reference, now, {.only = "*/faces/cnn"}).passes());
  EXPECT_FALSE(check(reference, now, {.only = "table1/*"}).passes());
  EXPECT_THAT([&] { check(reference, now, {.only = "table3/*"}); },
              ThrowsUsageError(HasSubstr("table3"), HasSubstr("table1/faces/cnn")));
}

TEST(CheckSummary, PutsWhatFailsFirstThenTheLargestChangeAndNamesSeedsAndRecords) {
  auto records = both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "a|b"}, usual));
  const auto reference = make_reference(records, "first");
  for (auto& record : records) record.metrics[0].value *= record.cell.method == "cnn" ? 0.5 : 2;
  const auto text = summary_markdown(check(reference, records), reference, "results/x");
  EXPECT_THAT(text, StartsWith("## Accuracy of prernn (smoke): FAILED\n"));
  EXPECT_LT(
      text.find("| **fails** | fell | auc of table1/faces/cnn | -50 % | 0.61 | 0.305 | 0, 1, 2 |"),
      text.find("rose"));
  EXPECT_THAT(text, AllOf(HasSubstr("`results/x/cells/table1/faces/cnn/seed*/record.json`"),
                          HasSubstr("a\\|b"), Not(HasSubstr("/a|b"))));
  EXPECT_THAT(summary_markdown(check(reference, both(make_seeds({.method = "cnn"}, usual),
                                                     make_seeds({.method = "a|b"}, usual))),
                               reference, "r"),
              AllOf(HasSubstr("passed"), Not(HasSubstr("fails"))));
}

TEST(Check, ARecordThatCannotBeReadFailsWhateverTheOthersSay) {
  const auto records = make_seeds({.method = "cnn"}, usual);
  const auto reference = make_reference(records, "first");
  auto result = check(reference, records);
  EXPECT_TRUE(result.passes());
  result.unreadable = {"records/table1.jsonl.gz, line 3: the field \"metrics\" is missing"};
  EXPECT_FALSE(result.passes());
  EXPECT_THAT(summary_markdown(result, reference, "r"),
              AllOf(HasSubstr("FAILED"),
                    HasSubstr("**fails**: cannot be read: records/table1.jsonl.gz, line 3")));
  EXPECT_THAT(
      junit_xml(result),
      AllOf(HasSubstr("<testcase classname=\"records\" name=\"records/table1.jsonl.gz, line 3\">"),
            HasSubstr("type=\"unreadable\"")));
}

TEST(CheckSummary, NamesTheFileOfPackedRecords) {
  const TemporaryFolder folder;
  write_file(folder.path() / "records" / "table1.jsonl.gz", "");
  auto records = make_seeds({.method = "cnn"}, usual);
  const auto reference = make_reference(records, "first");
  for (auto& record : records) record.metrics[0].value *= 0.5;
  EXPECT_THAT(summary_markdown(check(reference, records), reference, folder.path()),
              HasSubstr("`" + folder.path().string() + "/records/table1.jsonl.gz`"));
}

TEST(JUnit, CountsFailuresAndEscapesText) {
  auto records = both(make_seeds({.method = "cnn"}, usual),
                      make_seeds({.method = "sih", .protocol = "a <b> & \"c\""}, usual));
  const auto reference = make_reference(records, "first");
  for (auto& record : records)
    if (record.cell.method == "cnn") record.metrics[0].value -= 0.5;
  for (auto& record : records)
    if (record.cell.method == "sih") record.metrics[0].protocol = "d";
  const std::string xml = junit_xml(check(reference, records));
  EXPECT_THAT(
      xml,
      StartsWith(
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"prernn (smoke)\" tests=\"2\" failures=\"2\">\n"
          "  <testsuite name=\"table1\" tests=\"2\" failures=\"2\">\n"
          "    <testcase classname=\"table1.faces.cnn\" name=\"auc\">\n      <failure type=\"fell\" message=\""));
  EXPECT_THAT(xml, HasSubstr("a &lt;b&gt; &amp; &quot;c&quot;"));
  EXPECT_THAT(xml, Not(HasSubstr("<b>")));
  const std::string passed = junit_xml(
      check(reference, both(make_seeds({.method = "cnn"}, usual),
                            make_seeds({.method = "sih", .protocol = "a <b> & \"c\""}, usual))));
  EXPECT_THAT(passed, AllOf(HasSubstr("failures=\"0\""), Not(HasSubstr("<failure")),
                            HasSubstr("<system-out>")));
}

}  // namespace
}  // namespace reprise::records
