#include <cmath>

#include "records/aggregate.h"
#include "records/environment.h"
#include "records/store.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Record, SurvivesJsonWithEveryField) {
  Record record = make({.method = "pre_gru_fc6", .seed = 3, .value = 0.1 + 0.2});
  record.status = Status::Failed;
  record.error = "loss is NaN\n  fix: lower rate";
  const auto json = to_json(record);
  const Record again = record_from_json(json, "here");
  EXPECT_EQ(to_json(again), json);
  EXPECT_EQ(again.cell, record.cell);
  EXPECT_EQ(again.metric("auc"), 0.1 + 0.2);
  EXPECT_EQ(again.metric("none"), std::nullopt);
  EXPECT_EQ(again.status, Status::Failed);
  EXPECT_EQ(again.environment->threads, 2);
}

TEST(Record, KeepsTheStudysVersionAndTheProcessesThatWorkedOnTheCell) {
  Record record = make({.method = "cnn"});
  record.version = 3;
  record.processes = {{.started = "2026-11-28T23:35:01Z", .seconds = 1936},
                      {.started = "2026-11-29T08:00:00Z", .seconds = 12.25}};
  const auto json = to_json(record);
  EXPECT_EQ(json["started"], "2026-11-28T23:35:01Z");
  const auto again = record_from_json(json, "r");
  EXPECT_EQ(again.version, 3);
  EXPECT_EQ(again.processes, record.processes);
  auto broken = json;
  broken["processes"][1]["started"] = "yesterday";
  EXPECT_THAT([&] { record_from_json(broken, "r"); },
              ThrowsError(HasSubstr("r, processes[1]"), HasSubstr("\"yesterday\"")));
  broken = json;
  broken["processes"][1]["seconds"] = -1;
  EXPECT_THAT([&] { record_from_json(broken, "r"); }, ThrowsError(HasSubstr("-1 seconds")));
  broken = json;
  broken["started"] = "2026-11-29T08:00:00Z";
  EXPECT_THAT([&] { record_from_json(broken, "r"); },
              ThrowsError(HasSubstr("the first process started at 2026-11-28T23:35:01Z")));
  broken = json;
  broken["version"] = 0;
  EXPECT_THAT([&] { record_from_json(broken, "r"); }, ThrowsError(HasSubstr("\"version\" is 0")));
}

TEST(Record, OfARenamedProfileHasTodaysName) {
  auto old = to_json(make({.method = "cnn"}));
  for (const auto& [before, now] :
       {std::pair{"desk", "small"}, std::pair{"gate", "ci"}, std::pair{"mine", "mine"}}) {
    old["profile"] = before;
    EXPECT_EQ(record_from_json(old, "r").profile, now);
  }
}

TEST(Record, FromBeforeVersionsAndProcessesIsOfVersion1AndLosesItsHash) {
  auto old = to_json(make({.method = "cnn"}));
  old.erase("version");
  old["environment"]["program"] = std::string(64, 'a');
  const auto read = record_from_json(old, "r");
  EXPECT_EQ(read.version, 1);
  const auto again = to_json(read);
  EXPECT_EQ(again["version"], 1);
  for (const char* absent : {"started", "processes"})
    EXPECT_FALSE(again.contains(absent)) << absent;
  EXPECT_FALSE(again["environment"].contains("program"));
}

TEST(Record, HasTheShapeThatOtherProgramsReadOnIt) {
  const auto json = to_json(make({.method = "cnn", .seed = 1, .value = 0.5}));
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["seed"], 1);
  EXPECT_EQ(
      json["metrics"],
      nlohmann::json::parse(R"([{"name": "auc", "value": 0.5, "unit": "", "direction": "higher",
                                                        "protocol": "box diagonal, limit 0.08"}])"));
}

TEST(Record, OfAnotherSchemaVersionSaysHowToRegenerate) {
  auto json = to_json(make({.method = "cnn"}));
  json["schema"] = 99;
  EXPECT_THAT([&] { record_from_json(json, "a/record.json"); },
              ThrowsError(HasSubstr("a/record.json"), HasSubstr("version 99"),
                          HasSubstr("version 1"), HasSubstr("regenerate")));
}

TEST(Record, NamesAFieldThatIsMissingOrWronglyTyped) {
  const auto whole = to_json(make({.method = "cnn"}));
  for (const auto& [key, value] : whole.items()) {
    auto json = whole;
    json.erase(key);
    if (key != "version")  // it is 1 in records made before it was kept
      EXPECT_THAT([&] { record_from_json(json, "r"); },
                  ThrowsError(HasSubstr("\"" + key + "\" is missing")));
    json[key] = nullptr;
    EXPECT_THAT([&] { record_from_json(json, "r"); },
                ThrowsError(HasSubstr("\"" + key + "\" must be")));
  }
  auto json = whole;
  json["metrics"][0]["direction"] = "sideways";
  EXPECT_THAT([&] { record_from_json(json, "r"); },
              ThrowsError(HasSubstr("metrics[0]"), HasSubstr("sideways"), HasSubstr("lower")));
  json["metrics"][0]["direction"] = "higher";
  json["metrics"][0]["unit"] = "px\x1b[31m\nFAIL";  // would be obeyed by a terminal
  EXPECT_THAT([&] { record_from_json(json, "r"); },
              ThrowsError(HasSubstr("metrics[0]"), HasSubstr("control character")));
  json["metrics"][0]["unit"] = "px";
  // Would be run by a spreadsheet, or be markup.
  for (const std::string bad :
       {"=cmd|calc", "+1", "@x", "-x", "<img src=x>", "a b", "", ".x", "ä"}) {
    json["metrics"][0]["name"] = bad;
    EXPECT_THAT([&] { record_from_json(json, "r"); },
                ThrowsError(HasSubstr("r: '" + bad + "' cannot be the name of a metric")));
    json["metrics"][0]["name"] = "failures@0.08";
    for (const std::string axis : {"study", "table", "dataset", "method"}) {
      json[axis] = bad;
      EXPECT_THAT([&] { record_from_json(json, "r"); },
                  ThrowsError(HasSubstr("'" + bad + "' cannot be the name of a " + axis)));
      json[axis] = axis == "method" ? "gru+lr=0.01" : "plain_name-2";
    }
  }
  record_from_json(json, "r");
  EXPECT_THAT([] { record_from_json(nlohmann::json::array(), "r"); },
              ThrowsError(HasSubstr("an object was expected")));
}

TEST(Record, AFinishedCellCannotHideAValueThatIsNoNumber) {
  Record record = make({.method = "cnn", .value = std::nan("")});
  EXPECT_THAT([&] { to_json(record); },
              ThrowsError(HasSubstr("auc"), HasSubstr("table1/faces/cnn/seed0")));
  record.status = Status::Failed;
  EXPECT_EQ(to_json(record)["metrics"].size(), 0u);
}

TEST(Record, OfANumberThatItsFieldCannotHoldIsRefused) {
  auto json = to_json(make({.method = "cnn"}));
  json["environment"]["threads"] = std::int64_t{1} << 40;
  EXPECT_THAT([&] { record_from_json(json, "r"); },
              ThrowsError(HasSubstr("\"threads\" is 1099511627776")));
  json["environment"]["threads"] = 1;
  json["seed"] = std::uint64_t{1} << 63;
  EXPECT_THAT([&] { record_from_json(json, "r"); },
              ThrowsError(HasSubstr("\"seed\" is 9223372036854775808")));
}

TEST(Store, RefusesARecordThatIsMadeToBeMisreadByName) {
  const TemporaryFolder folder;
  const Store store(folder.path() / "results");
  const Record record = make({.method = "cnn"});
  store.write(record);
  const auto path = store.folder(record.cell) / "record.json";
  const auto whole = read_file(path);
  const auto refused = [&](const std::string& text, const char* why) {
    write_file(path, text);
    EXPECT_THAT([&] { store.all(); }, ThrowsError(HasSubstr("record.json"), HasSubstr(why)));
  };
  auto deep = whole;
  deep.replace(
      deep.find("\"options\": "), 11,
      "\"options\": " + std::string(100000, '[') + std::string(100000, ']') + ", \"more\": ");
  refused(deep, "lists and objects");
  refused("{\"status\": \"failed\"," + whole.substr(1), "\"status\" is given twice");
  refused(whole + std::string("\0more", 5), "NUL");
  refused("{\"error\": \"\xff\"}", "UTF-8");
}

TEST(Store, FindsWhatWasWrittenAndNothingElse) {
  const TemporaryFolder folder;
  const Store store(folder.path() / "results");
  const Record record = make({.method = "cnn", .seed = 4, .value = 0.5});
  EXPECT_EQ(store.find(record.cell), std::nullopt);
  EXPECT_TRUE(store.all().empty());
  store.write(record);
  ASSERT_TRUE(store.find(record.cell));
  EXPECT_EQ(to_json(*store.find(record.cell)), to_json(record));
  Cell other = record.cell;
  other.seed = 5;
  EXPECT_EQ(store.find(other), std::nullopt);
}

TEST(Store, ListsRecordsByCellWhateverTheOrderOfWriting) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  for (const int seed : {10, 2, 0})
    for (const char* method : {"sih", "cnn"}) store.write(make({.method = method, .seed = seed}));
  std::vector<std::string> ids;
  for (const auto& record : store.all())
    ids.push_back(record.cell.method + std::to_string(record.cell.seed));
  EXPECT_THAT(ids, ElementsAre("cnn0", "cnn2", "cnn10", "sih0", "sih2", "sih10"));
}

TEST(Store, WhatAKilledProcessLeftHalfWrittenIsNotARecord) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  const Record done = make({.method = "cnn", .seed = 0}),
               killed = make({.method = "cnn", .seed = 1});
  store.write(done);
  write_file(store.folder(killed.cell) / ".record.json.17.0.tmp", "{\"schema\": 1, \"stu");
  write_file(store.folder(killed.cell) / "checkpoint.safetensors", "x");
  EXPECT_EQ(store.find(killed.cell), std::nullopt);
  EXPECT_EQ(store.all().size(), 1u);
  store.write(killed);
  EXPECT_EQ(store.all().size(), 2u);
}

TEST(Store, AReplacedRecordIsTheNewOne) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  Record record = make({.method = "cnn"});
  record.status = Status::Running;
  store.write(record);
  record.status = Status::Done;
  store.write(record);
  EXPECT_EQ(store.find(record.cell)->status, Status::Done);
}

TEST(Store, IgnoresReportsAndOtherFoldersBesideTheTables) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  store.write(make({.method = "cnn"}));
  write_file(folder.path() / "index.html", "x");
  write_file(folder.path() / "figures" / "a" / "b" / "c" / "data.csv", "x");
  EXPECT_EQ(store.all().size(), 1u);
}

TEST(Store, NamesADamagedOrMisplacedRecord) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  const Record record = make({.method = "cnn"});
  write_file(store.folder(record.cell) / "record.json", "{\"schema\": ");
  EXPECT_THAT([&] { store.all(); },
              ThrowsError(HasSubstr("seed0/record.json"), HasSubstr("not complete")));
  EXPECT_THAT([&] { store.find(record.cell); }, ThrowsError(HasSubstr("seed0/record.json")));
  store.write(record);
  fs::rename(store.folder(record.cell),
             folder.path() / "cells" / "table1" / "faces" / "cnn" / "seed7");
  EXPECT_THAT([&] { store.all(); },
              ThrowsError(HasSubstr("cell table1/faces/cnn/seed0, which belongs into another folder")));
}

TEST(Store, NoNameLeadsOutOfTheResultsFolder) {
  const TemporaryFolder folder;
  const Store store(folder.path() / "results");
  for (const std::string bad : {"..", "", "a/b", ".hidden", "a b"}) {
    EXPECT_THAT([&] { store.write(make({.method = bad})); },
                ThrowsUsageError(HasSubstr("name of a method")));
    EXPECT_THAT([&] { store.write_curves(make({.method = bad}).cell, {}); }, ThrowsUsageError());
  }
  EXPECT_FALSE(fs::exists(folder.path() / "results"));
}

TEST(Store, CurvesComeBackToSevenDigitsWithTheirNaNs) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  const Cell cell = make({.method = "cnn"}).cell;
  EXPECT_TRUE(store.curves(cell).empty());
  store.write_curves(
      cell,
      {{"validation", {0.5, 0.1 + 0.2, -1.23456789e-12}}, {"broken", {1, NAN}}, {"empty", {}}});
  const Curves curves = store.curves(cell);
  EXPECT_THAT(curves.at("validation"), ElementsAre(0.5, 0.3, -1.234568e-12));
  EXPECT_TRUE(std::isnan(curves.at("broken").at(1)));
  EXPECT_TRUE(curves.at("empty").empty());
  write_file(store.folder(cell) / "curves.json", R"({"a": ["x"]})");
  EXPECT_THAT([&] { store.curves(cell); },
              ThrowsError(HasSubstr("curves.json"), HasSubstr("\"a\"")));
}

TEST(Environment, HoldsWhatTheCallerKnowsAndWhatTheMachineSays) {
  const TemporaryFolder folder;
  const Environment environment =
      describe_environment(folder.path(), "2.11.0", "A GPU", "AVX2, float32", 3);
  EXPECT_EQ(environment.commit, "");
  EXPECT_EQ(environment.torch, "2.11.0");
  EXPECT_EQ(environment.threads, 3);
  EXPECT_EQ(environment.arithmetic, "AVX2, float32");
  EXPECT_THAT(environment.machine,
              AllOf(HasSubstr(" x " + environment.cpu), HasSubstr(" GiB, A GPU")));
  EXPECT_FALSE(environment.compiler.empty());
}

TEST(Aggregate, GivesMeanIntervalAndSeedsOfFinishedCells) {
  auto records = make_seeds({.method = "cnn"}, {0.5, 0.7, 0.6});
  records.push_back(make({.method = "cnn", .seed = 3, .value = 9}));
  records.back().status = Status::Failed;
  records.push_back(make({.method = "sih", .seed = 0, .value = 0.4}));
  std::swap(records[0], records[2]);
  const Samples samples = aggregate(records);
  ASSERT_EQ(samples.size(), 2u);
  const Sample& cnn = samples.at({"table1", "faces", "cnn", "auc"});
  EXPECT_THAT(cnn.seeds, ElementsAre(0, 1, 2));
  EXPECT_THAT(cnn.values, ElementsAre(0.5, 0.7, 0.6));
  EXPECT_DOUBLE_EQ(cnn.mean, 0.6);
  // t_{0.975, 2} = 4.302652729749; sd 0.1.
  EXPECT_NEAR(cnn.half_width.value(), 4.302652729749 * 0.1 / std::sqrt(3), 1e-10);
  EXPECT_EQ(samples.at({"table1", "faces", "sih", "auc"}).half_width, std::nullopt);
}

TEST(Aggregate, RefusesToMixProtocolsUnitsDirectionsProfilesOrOneSeedTwice) {
  const auto mixed = [](auto change) {
    auto records = make_seeds({.method = "cnn"}, {0.5, 0.6});
    change(records[1]);
    return [records] { aggregate(records); };
  };
  EXPECT_THAT(mixed([](Record& record) { record.metrics[0].protocol = "outer eyes"; }),
              ThrowsError(HasSubstr("two protocols"), HasSubstr("outer eyes"),
                          HasSubstr("table1/faces/cnn/seed1")));
  EXPECT_THAT(mixed([](Record& record) { record.metrics[0].unit = "px"; }),
              ThrowsError(HasSubstr("two units")));
  EXPECT_THAT(mixed([](Record& record) { record.metrics[0].direction = Direction::Neither; }),
              ThrowsError(HasSubstr("two directions")));
  EXPECT_THAT(mixed([](Record& record) { record.profile = "small"; }),
              ThrowsError(HasSubstr("two profiles")));
  EXPECT_THAT(mixed([](Record& record) { record.cell.study = "unit"; }),
              ThrowsError(HasSubstr("two studies")));
  EXPECT_THAT(mixed([](Record& record) { record.cell.seed = 0; }),
              ThrowsError(HasSubstr("seed 0 has two values")));
}

}  // namespace
}  // namespace reprise::records
