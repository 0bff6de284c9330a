// References with holes are refused, and no update makes one.
#include <chrono>
#include <functional>
#include <thread>

#include "tests/records/regression/checked.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Two tables of two methods with three seeds and two metrics, and a trial with one seed.
std::vector<Record> whole_study() {
  std::vector<Record> records;
  for (const char* table : {"table1", "gestures"})
    for (const char* method : {"cnn", "gru"})
      for (auto record : make_seeds({.method = method, .table = table}, usual)) {
        record.environment.edit().arithmetic = "here";
        record.metrics.push_back(record.metrics[0]);
        record.metrics.back().name = "error";
        records.push_back(record);
      }
  records.push_back(make({.method = "gru+lr=0.1", .value = 0.5, .table = "search"}));
  records.back().environment.edit().arithmetic = "here";
  return records;
}

std::vector<Record> without(std::vector<Record> records,
                            const std::function<bool(const Record&)>& gone) {
  std::erase_if(records, gone);
  return records;
}

std::vector<Record> times(std::vector<Record> records, double factor) {
  for (auto& record : records)
    for (auto& metric : record.metrics) metric.value *= factor;
  return records;
}

struct HolesOfAReference : testing::Test {
  const json whole = to_json(make_reference(whole_study(), "first"));
  static void refused(const json& stored, const char* what) {
    EXPECT_THAT([&] { reference_from_json(stored, "file.json"); },
                ThrowsError(HasSubstr("file.json"), HasSubstr(what)))
        << what;
  }
};

TEST_F(HolesOfAReference, AreNotInAWholeOne) {
  EXPECT_EQ(reference_from_json(whole, "file.json").entries.size(), 8U);
}

TEST_F(HolesOfAReference, CostsThatAreEmptyOrNameOtherCells) {
  auto stored = whole;
  stored["costs"] = json::array();
  refused(stored, "\"costs\" does not name");
  stored = whole;
  stored["costs"].erase(0);
  refused(stored, "\"costs\" does not name gestures/faces/cnn");
  stored = whole;
  stored["costs"][0]["method"] = "other";
  refused(stored, "\"costs\" does not name gestures/faces/cnn");
  stored = whole;
  stored["costs"][0]["seeds"] = {0, 1};
  refused(stored, "has seeds that \"costs\" does not name");
  stored = whole;
  stored["costs"].push_back(stored["costs"][0]);
  refused(stored, "twice");
}

TEST_F(HolesOfAReference, EntriesThatAreGone) {
  const auto keep = [&](const std::function<bool(const json&)>& kept, bool with_counts) {
    auto stored = whole;
    stored["entries"] = json::array();
    for (const auto& entry : whole.at("entries"))
      if (kept(entry)) stored["entries"].push_back(entry);
    if (!with_counts)
      for (auto& cost : stored["costs"]) cost.erase("quantities");
    return stored;
  };
  const auto no_method = [](const json& entry) { return entry.at("method") != "gru"; };
  const auto one = [&](const json& entry) { return entry == whole.at("entries").at(0); };
  const auto no_metric = [](const json& entry) { return entry.at("metric") != "error"; };
  for (const bool with_counts : {true, false}) {
    refused(keep(no_method, with_counts), "gestures/faces/gru has 0 entries");
    refused(keep(one, with_counts), "entries");
  }
  refused(keep(no_metric, true), "gestures/faces/cnn has 1 entries, and \"costs\" names 2 of them");
  EXPECT_NO_THROW(reference_from_json(keep([](const json&) { return true; }, false),
                                      "a file from before the counts were kept"));
}

TEST_F(HolesOfAReference, SeedsAndPlatformsThatStandTwice) {
  auto stored = whole;
  stored["entries"][0]["seeds"] = {0, 0, 1};
  refused(stored, "\"seeds\" must rise, and seed 0 comes after seed 0");
  stored = whole;
  stored["costs"][0]["seeds"] = {0, 1, 1};
  refused(stored, "\"seeds\" must rise");
  stored = whole;
  stored["arithmetics"] = {"here", "here"};
  for (auto& entry : stored["entries"]) entry["values"].push_back(entry["values"][0]);
  refused(stored, "names a platform twice");
  stored["arithmetics"] = {"here", "there"};
  for (auto& entry : stored["entries"]) entry["values"][1] = json::array();
  refused(stored, "names there, and no entry has its values");
  stored = whole;
  stored["costs"][0]["peak_memory_mib"] = {-5, 3};
  refused(stored, "peak_memory_mib");
}

TEST_F(HolesOfAReference, AreWrongUseAndNoFailureOfTheRun) {
  const TemporaryFolder folder;
  auto stored = whole;
  stored["costs"] = json::array();
  write_file(folder.path() / "r.json", stored.dump());
  EXPECT_THAT([&] { read_reference(folder.path() / "r.json"); },
              ThrowsUsageError(HasSubstr("r.json"), HasSubstr("costs")));
}

TEST_F(HolesOfAReference, AreNeverWritten) {
  const TemporaryFolder folder;
  auto reference = reference_from_json(whole, "r");
  reference.informational = {"*"};
  EXPECT_THAT([&] { write_reference(folder.path() / "r.json", reference); },
              ThrowsError(HasSubstr("r.json is not written")));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "r.json"));
}

TEST(ARecord, ThatCannotBeTrueIsRefused) {
  const auto refused = [](auto change, const char* what) {
    auto stored = to_json(make({.method = "cnn", .value = 0.5}));
    change(stored);
    EXPECT_THAT([&] { record_from_json(stored, "record.json"); },
                ThrowsError(HasSubstr("record.json"), HasSubstr(what)));
  };
  refused([](json& stored) { stored["error"] = "loss is NaN"; },
          "the status is done, and the error is");
  refused([](json& stored) { stored["seconds"]["total"] = -1e9; }, "took -1000000000 seconds");
  refused([](json& stored) { stored["peak_memory_bytes"] = -1; }, "peak_memory_bytes");
  refused([](json& stored) { stored["parameters"]["recurrent"] = -1; }, "recurrent");
}

const auto of_gestures = [](const Record& record) { return record.cell.table == "gestures"; };

TEST(AnUpdate, ThatWouldLoseQuantitiesIsRefusedUntilTheyAreNamed) {
  const auto old = make_reference(whole_study(), "first");
  const auto part = without(whole_study(), of_gestures);
  EXPECT_THAT(
      [&] { update_reference(old, part, "part"); },
      ThrowsUsageError(HasSubstr("would lose 4 of 8 quantities"),
                       HasSubstr("gestures/faces/cnn (2 quantities)"),
                       HasSubstr("--drop 'gestures/faces/cnn *' --drop 'gestures/faces/gru *'")));
  EXPECT_THAT([&] { update_reference(old, part, "part", {.drop = {"table1/*"}}); },
              ThrowsUsageError(HasSubstr("would lose 4 of 8")));
  const auto dropped = update_reference(old, part, "no gestures", {.drop = {"gestures/*"}});
  EXPECT_EQ(dropped.entries.size(), 4U);
  EXPECT_EQ(dropped.history.back().moved.size(), 4U) << "the history names each";
  EXPECT_EQ(find_defect(dropped), "");
}

TEST(AnUpdate, ThatWouldLoseASeedAMetricAGuardOrATrialIsRefused) {
  const auto old = make_reference(whole_study(), "first");
  const auto refused = [&](const std::vector<Record>& records, const char* what) {
    EXPECT_THAT([&] { update_reference(old, records, "again"); },
                ThrowsUsageError(HasSubstr(what), HasSubstr("--drop")))
        << what;
  };
  refused(without(whole_study(), [](const Record& record) { return record.cell.seed == 2; }),
          "would lose 8 of 8");
  refused(
      without(whole_study(), [](const Record& record) { return record.cell.table == "search"; }),
      "search/faces/gru+lr=0.1 cell");
  auto records = whole_study();
  for (auto& record : records)
    if (record.metrics.size() > 1) record.metrics.pop_back();
  refused(records, "error (no value)");
  records = whole_study();
  for (auto& record : records) record.metrics[0].direction = Direction::Neither;
  refused(records, "auc (no direction, which it had)");
}

TEST(AnUpdate, OfAPartLeavesAllElseAsItIs) {
  auto old = make_reference(whole_study(), "first");
  auto there = times(whole_study(), 1.001);
  for (auto& record : there) record.environment.edit().arithmetic = "there";
  add_platform_values(old, there);
  const auto part = times(without(whole_study(), of_gestures), 1.01);
  for (const auto& scope : {Scope{.only = "table1/*"}}) {
    const auto updated = update_reference(old, part, "table1 is better", {.scope = scope});
    ASSERT_EQ(updated.entries.size(), old.entries.size());
    EXPECT_EQ(updated.costs.size(), old.costs.size());
    EXPECT_EQ(updated.settings, old.settings);
    EXPECT_EQ(updated.history.back().moved.size(), 4U);
    for (const auto& [quantity, entry] : updated.entries) {
      const auto& before = old.entries.at(quantity);
      const bool moved = quantity.table == "table1";
      EXPECT_EQ(entry.sample.values == before.sample.values, !moved) << quantity.text();
      EXPECT_EQ(entry.others.size(), 1U);
      EXPECT_EQ(entry.others[0] == before.others[0], !moved)
          << "what did not move here did not move there";
    }
    EXPECT_EQ(to_json(reference_from_json(to_json(updated), "r")), to_json(updated));
    EXPECT_TRUE(check(updated, both(part, without(whole_study(),
                                                  [](const Record& record) {
                                                    return !of_gestures(record);
                                                  })))
                    .passes());
  }
}

TEST(AnUpdate, OfAPartThatDoesNotFitTheRestIsRefused) {
  const auto old = make_reference(whole_study(), "first");
  auto other = whole_study();
  for (auto& record : other) record.options.edit()["rate"] = 2e-3;
  const UpdatePart table1{.scope = {.only = "table1/*"}};
  EXPECT_THAT([&] { update_reference(old, other, "rate", table1); },
              ThrowsUsageError(HasSubstr("rate 0.001 -> 0.002")));
  EXPECT_NO_THROW(update_reference(old, other, "rate"));
  other = whole_study();
  for (auto& record : other) record.environment.edit().arithmetic = "there";
  EXPECT_THAT([&] { update_reference(old, other, "there", table1); },
              ThrowsUsageError(HasSubstr("platform \"there\"")));
}

TEST(AnUpdate, TakesAMethodThatTheReferenceDoesNotKnow) {
  const auto old = make_reference(whole_study(), "first");
  auto records = make_seeds({.method = "mine"}, usual);
  for (auto& record : records) record.environment.edit().arithmetic = "here";
  const auto updated = update_reference(old, records, "mine", {.scope = {.only = "table1/*/mine"}});
  EXPECT_EQ(updated.entries.size(), old.entries.size() + 1);
  EXPECT_EQ(find_defect(updated), "");
}

TEST(AMemory, OfAPartLeavesTheRestOfThePlatformUnknownUntilItIsRemembered) {
  auto reference = make_reference(whole_study(), "first");
  auto there = times(whole_study(), 1.001);
  for (auto& record : there) record.environment.edit().arithmetic = "there";
  EXPECT_THAT([&] { add_platform_values(reference, without(there, of_gestures)); },
              ThrowsError(HasSubstr("gestures/faces/cnn"), HasSubstr("--only")));
  EXPECT_THAT(reference.arithmetics, ElementsAre("here"))
      << "nothing is changed by what is refused";
  add_platform_values(reference, there, {.only = "table1/*"});
  EXPECT_EQ(count_outcomes(check(reference, there)).own_values, 12) << "of the 24, those of table1";
  EXPECT_EQ(find_defect(reference), "");
  add_platform_values(reference, there);
  EXPECT_EQ(count_outcomes(check(reference, there)).own_values, 24);
  EXPECT_THAT([&] { add_platform_values(reference, there); },
              ThrowsUsageError(HasSubstr("already")));
}

// Each of many writers adds one revision to what it read: none is lost.
TEST(ReferenceLock, LosesNoUpdateOfSeveralAtOnceAlsoThroughALinkSlow) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "shared" / "reference.json", link = folder.path() / "link.json";
  write_reference(file, make_reference(whole_study(), "first"));
  std::filesystem::create_symlink(file, link);
  constexpr int writers = 8;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer)
    threads.emplace_back([&, writer] {
      const ReferenceLock lock(writer % 2 ? link : file);
      const auto updated =
          update_reference(read_reference(file), whole_study(), "writer " + std::to_string(writer));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      write_reference(file, updated);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(read_reference(file).history.size(), 1U + writers);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1)
      << "no lock is left behind";
}

}  // namespace
}  // namespace reprise::records
