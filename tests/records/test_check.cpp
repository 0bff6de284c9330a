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

TEST(Check, AFallBeyondTheBandFailsAndARiseIsToldInBothDirections) {
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

TEST(Check, TheMessageHasTheQuantityOldNewAndBand) {
  const Judged judged = outcome({0.50, 0.51, 0.52});
  EXPECT_THAT(judged.message, AllOf(HasSubstr("table1/faces/cnn auc"), HasSubstr("0.61 before (3 seeds)"), HasSubstr("0.51 now (3 seeds)"),
                                    HasSubstr("band 0.0351")));
  EXPECT_DOUBLE_EQ(*judged.old_value, 0.61);
  EXPECT_DOUBLE_EQ(*judged.new_value, 0.51);
}

TEST(Check, RoundingGivesNoAlarmWhereNoSeedMovesTheValue) {
  const std::vector<double> still{0.75, 0.75, 0.75};
  EXPECT_EQ(outcome({0.75 - 1e-9, 0.75, 0.75}, Direction::HigherIsBetter, still).outcome, Outcome::Same);
  EXPECT_EQ(outcome({0.74, 0.74, 0.74}, Direction::HigherIsBetter, still).outcome, Outcome::Fell);
  EXPECT_EQ(outcome({1e-15, 0, 0}, Direction::LowerIsBetter, {0, 0, 0}).outcome, Outcome::Same);
}

TEST(Check, AMissingAFailedAndAChangedCellFailAndAnAddedOneIsTold) {
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

// Seeds 0 to 2 happen to lie far below the reference's mean. The run that gave them must pass for good, yet a fall below it is found.
TEST(Check, SeedsThatWereLowInTheReferenceMayBeLowAgain) {
  std::vector<double> stored(25);
  for (int seed = 0; seed < 25; ++seed) stored[seed] = seed < 3 ? 0.5 : seed % 2 ? 0.60 : 0.61;
  const std::vector<double> same{0.5, 0.5, 0.5};
  const Judged low = outcome(same, Direction::HigherIsBetter, stored);
  EXPECT_EQ(low.outcome, Outcome::Same);
  EXPECT_THAT(low.message, HasSubstr("(25 seeds, 0.5 of these)"));
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

TEST(Check, AMetricThatIsOnlyToldOfFailsNothingAndHasNoPartInItsCell) {
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
  reference.told = {"saturation_*"};
  const auto result = check(reference_from_json(to_json(reference), "r"), joined(0.2));
  EXPECT_TRUE(result.passed());
  ASSERT_EQ(result.judged.size(), 2u);
  EXPECT_EQ(result.judged[1].outcome, Outcome::Moved);
  EXPECT_TRUE(result.scores.empty());
  EXPECT_EQ(update_reference(reference, joined(0.9), "again").told, reference.told);
  // What guards still does.
  auto fallen = joined(0.9);
  for (auto& record : fallen) record.metrics[0].value -= 0.3;
  EXPECT_FALSE(check(reference, fallen).passed());
}

TEST(ExactLane, AsksForTheSameValuesOnTheSameMachineAndFallsBackElsewhere) {
  auto reference = make_reference(make_seeds({.method = "cnn"}, usual), "first");
  reference.entries.begin()->second.lane = Lane::Exact;
  const auto judged = [&](
                          std::vector<double> values, const std::function<void(Record&)>& change = [](Record&) {}) {
    auto records = make_seeds({.method = "cnn"}, values);
    for (auto& record : records) change(record);
    return check(reference, records).judged.at(0);
  };
  EXPECT_EQ(judged(usual).outcome, Outcome::Same);
  EXPECT_EQ(judged(usual).lane, Lane::Exact);
  EXPECT_EQ(judged({0.60 * (1 + 1e-14), 0.61, 0.62}).outcome, Outcome::Same);
  const Judged differs = judged({0.60, 0.61 + 1e-9, 0.62});
  EXPECT_EQ(differs.outcome, Outcome::Differs);
  EXPECT_THAT(differs.message, HasSubstr("seed 1"));
  EXPECT_TRUE(fails(Outcome::Differs));
  EXPECT_EQ(judged({0.60, 0.61}).lane, Lane::Exact);
  for (const auto& change : std::vector<std::function<void(Record&)>>{
           [](Record& record) { record.environment.cpu = "Another CPU"; }, [](Record& record) { record.environment.torch = "2.12.0"; },
           [](Record& record) { record.environment.threads = 1; }, [](Record& record) { record.cell.seed += 100; }}) {
    const Judged elsewhere = judged({0.60, 0.61 + 1e-9, 0.62}, change);
    EXPECT_EQ(elsewhere.outcome, Outcome::Same);
    EXPECT_EQ(elsewhere.lane, Lane::Approximate);
  }
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
  reference.entries.begin()->second.lane = Lane::Exact;
  reference =
      update_reference(reference, both(make_seeds({.method = "cnn"}, {0.7, 0.71}), make_seeds({.method = "pre"}, usual)), "better crops");
  write_reference(folder.path() / "reference.json", reference);
  EXPECT_EQ(to_json(read_reference(folder.path() / "reference.json")), to_json(reference));
}

TEST(Reference, AnUpdateKeepsLanesAndSaysWhatMovedAndWhy) {
  auto old = make_reference(both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)), "first");
  old.entries.begin()->second.lane = Lane::Exact;
  const auto updated =
      update_reference(old, both(make_seeds({.method = "cnn"}, {0.7, 0.72}), make_seeds({.method = "pre"}, usual)), "better crops");
  EXPECT_EQ(updated.entries.begin()->second.lane, Lane::Exact);
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
  json["entries"][0]["values"] = {0.5};
  EXPECT_THAT([&] { reference_from_json(json, "r"); }, ThrowsError(HasSubstr("entries[0]"), HasSubstr("at least two")));
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
