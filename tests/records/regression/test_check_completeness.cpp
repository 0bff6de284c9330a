#include "records/regression/check.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<double> five_seeds{0.6, 0.61, 0.62, 0.6, 0.61};

/// A method with five seeds, and what lies beneath it with one, as the trials of a search.
std::vector<Record> whole_run() {
  auto records = make_seeds({.method = "gru"}, five_seeds);
  records.push_back(make({.method = "gru+lr=0.1", .value = 0.5, .table = "search"}));
  return records;
}

/// What a check finds wrong with the cells.
std::vector<std::string> complaints(const std::vector<Record>& records) {
  std::vector<std::string> found;
  for (const auto& judged : check(make_reference(whole_run(), "first"), records).judged)
    if (fails(judged.outcome)) found.push_back(judged.message);
  return found;
}

TEST(AWholeRun, Passes) { EXPECT_THAT(complaints(whole_run()), ElementsAre()); }

// One seed of five has no spread to judge by.
TEST(AWholeRun, LacksNoSeedOfTheReference) {
  auto records = whole_run();
  records.erase(records.begin() + 1, records.begin() + 5);
  EXPECT_THAT(complaints(records),
              ElementsAre(HasSubstr("fewer than two seeds"),
                          AllOf(HasSubstr("table1/faces/gru"), HasSubstr("seed 1, 2, 3, 4"))));
}

TEST(AWholeRun, HoldsNoCellThatWasKilledHalfWay) {
  auto records = whole_run();
  records[2].status = Status::Running;
  records[2].metrics.clear();
  EXPECT_THAT(complaints(records),
              ElementsAre(AllOf(HasSubstr("no finished cell of seed 2"), HasSubstr("unfinished"))));
}

TEST(AWholeRun, HasTheCellsWhoseQuantitiesAreNotJudgedToo) {
  auto records = whole_run();
  records.pop_back();
  EXPECT_THAT(complaints(records), ElementsAre(HasSubstr("search/faces/gru+lr=0.1")));
}

TEST(AWholeRun, IsJudgedInThePartThatIsInScopeAlone) {
  auto records = whole_run();
  records.pop_back();
  EXPECT_TRUE(check(make_reference(whole_run(), "first"), records, {.only = "table1/*"}).passes());
}

TEST(SettingsOfARun, ThatAreNotTheReferencesAreRefusedByName) {
  const auto reference = make_reference(whole_run(), "first");
  const auto refused = [&](auto change, const char* what) {
    auto records = whole_run();
    for (auto& record : records) change(record);
    EXPECT_THAT([&] { check(reference, records); },
                ThrowsUsageError(HasSubstr(what), HasSubstr("--update")))
        << what;
  };
  refused([](Record& record) { record.options.edit()["cnn.epochs"] = 6; }, "cnn.epochs 12 -> 6");
  refused([](Record& record) { record.options.edit()["run.device"] = "cuda"; },
          "run.device none -> \"cuda\"");
  refused([](Record& record) { record.data["faces_300w"] = "abc"; },
          "data/faces_300w none -> \"abc\"");
}

TEST(SettingsOfARun, ThatCannotMatterAreLeftOut) {
  auto records = whole_run();
  for (auto& record : records) record.options.edit().erase("rate");
  EXPECT_TRUE(check(make_reference(whole_run(), "first"), records).passes())
      << "a cell leaves out what has no part in it";
}

TEST(SettingsOfARun, AreTheSameInAllCellsOfAReference) {
  auto records = whole_run();
  records[3].options.edit()["rate"] = 2e-3;
  EXPECT_THAT([&] { make_reference(records, "first"); },
              ThrowsUsageError(AllOf(HasSubstr("rate is 0.001 in cell table1/faces/gru/seed0"),
                                     HasSubstr("0.002"))));
}

TEST(AReference, ThatGuardsNothingIsRefused) {
  auto reference = make_reference(whole_run(), "first");
  auto stored = to_json(reference);
  stored["informational"] = {"*"};
  EXPECT_THAT([&] { reference_from_json(stored, "file.json"); },
              ThrowsError(AllOf(HasSubstr("file.json"), HasSubstr("guards"))));
  stored = to_json(reference);
  stored["entries"] = nlohmann::json::array();
  EXPECT_THAT([&] { reference_from_json(stored, "file.json"); },
              ThrowsError(HasSubstr("none of its 0 quantities")));
  EXPECT_THAT([] { make_reference(whole_run(), " \n"); }, ThrowsError(HasSubstr("reason")));
}

// An update for another reason than the values costs nothing that took a run on another machine to
// find out.
TEST(AReference, KeepsOtherArithmeticsWhereNoValueMoved) {
  auto first = whole_run(), other = whole_run();
  for (auto& record : first) record.environment.edit().arithmetic = "here";
  for (auto& record : other)
    record.environment.edit().arithmetic = "there", record.metrics[0].value += 1e-3;
  auto reference = make_reference(first, "first");
  add_platform_values(reference, other);
  const auto updated = update_reference(reference, first, "the same again");
  EXPECT_THAT(updated.arithmetics, ElementsAre("here", "there"));
  EXPECT_EQ(updated.entries.begin()->second.others, reference.entries.begin()->second.others);
  first[0].metrics[0].value = 0.7;
  EXPECT_THAT(update_reference(reference, first, "moved").arithmetics, ElementsAre("here"));
}

}  // namespace
}  // namespace reprise::records
