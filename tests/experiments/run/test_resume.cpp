#include <chrono>
#include <filesystem>
#include <string>

#include "core/files.h"
#include "core/sha256.h"
#include "experiments/reporting.h"
#include "experiments/run/own_profile.h"
#include "experiments/run/processes.h"
#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "reproduce/studies.h"
#include "tests/experiments/toy_study.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using records::Record;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// What a finished cell rests on: the version of its study, its data, its settings. Nothing outdated
// passes for new, and nothing that is up to date is made again.
struct Resume : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "results", data = folder.path() / "data";

  Resume() {
    fs::create_directories(data / "numbers");
    write_file(data / "numbers" / "score.txt", "0.5");
  }

  RunRequest request(const std::string& methods) const {
    auto made = toy_request(results, methods);
    made.seeds = 1;
    made.data = data;
    return made;
  }
  Record record(const std::string& method) const {
    return cells_in(results)
        .find({"toy", method == "start" ? "base" : "main", "toys", method, 0})
        .value();
  }
  int starts_of(const std::string& method) const {
    return starts(results, "main/toys/" + method + "/seed0");
  }
  /// As if version 7 of the study had made the cell.
  void set_version_7(const std::string& method) const {
    auto made = record(method);
    made.version = 7;
    cells_in(results).write(made);
  }
  /// As if the process that runs the cell had been killed 100 s after its start, just after it
  /// wrote this file.
  void kill_after(const std::string& method, const std::string& last_file) const {
    auto made = record(method);
    const auto cells = cells_in(results);
    made.status = records::Status::Running;
    made.processes = {{.started = "2026-11-28T23:35:01Z"}};
    cells.write(made);
    const auto last = cells.folder(made.cell) / last_file;
    write_file(last, "");
    fs::last_write_time(cells.folder(made.cell) / "record.json",
                        fs::last_write_time(last) - std::chrono::seconds(100));
  }
};

TEST_F(Resume, ACellOfAnotherVersionRunsAgainWithWhatNeedsItUnlessItIsKeptSlow) {
  const auto asked = request(R"(["good", "after_good"])");
  run(toy(), asked);
  set_version_7("good");
  auto kept = asked;
  kept.keep = true;
  EXPECT_THAT(
      run(toy(), kept).notes,
      ElementsAre(AllOf(
          HasSubstr(
              "1 finished cell is outdated, made by version 7 of toy (it is at version 1 now)"),
          HasSubstr("kept"))));
  EXPECT_EQ(starts_of("good"), 1);
  EXPECT_THAT(run(toy(), asked).notes,
              ElementsAre(HasSubstr("1 finished cell is in need of a cell that runs again"),
                          AllOf(HasSubstr("1 now): run again"), HasSubstr("--keep"))));
  EXPECT_EQ(starts_of("good"), 2);
  EXPECT_EQ(starts_of("after_good"), 2) << "it rests on what ran again";
  EXPECT_EQ(starts(results, "base/toys/start/seed0"), 1) << "what it needs itself still stands";
  EXPECT_THAT(run(toy(), asked).notes, IsEmpty());
}

TEST_F(Resume, ARaisedVersionOutdatesEveryCellAndIsInTheNewRecordsSlow) {
  auto raised = toy();
  const auto asked = request(R"(["good"])");
  run(raised, asked);
  EXPECT_EQ(record("good").version, 1);
  raised.version = 2;
  EXPECT_THAT(
      run(raised, asked).notes,
      ElementsAre(HasSubstr(
          "2 finished cells are outdated, made by version 1 of toy (it is at version 2 now)")));
  EXPECT_EQ(record("good").version, 2);
  EXPECT_EQ(starts_of("good"), 2);
}

// "Kept" said of cells that run again after all would be found out hours later.
TEST_F(Resume, ACellThatRunsAgainForItsNeedIsNotSaidToBeKeptSlow) {
  auto asked = request(R"(["good", "after_good"])");
  run(toy(), asked);
  set_version_7("after_good");
  asked.keep = true;
  asked.only = asked.redo = {"main/toys/good/seed0"};
  EXPECT_THAT(run(toy(), asked).notes,
              ElementsAre(HasSubstr("1 finished cell is in need of a cell that runs again"),
                          HasSubstr("1 finished cell is named by --redo")));
  EXPECT_EQ(starts_of("after_good"), 2);
}

// Who reads a page of kept cells must not take them for the present version's.
TEST_F(Resume, ThePageTellsCellsOfSeveralVersionsApartSlow) {
  run(toy(), request(R"(["good", "better"])"));
  const auto page = [&] {
    make_report({toy()}, results, folder.path() / "page");
    return read_file(folder.path() / "page" / "details.html");
  };
  EXPECT_THAT(page(), testing::Not(HasSubstr("Several versions")));
  set_version_7("good");
  EXPECT_THAT(page(), AllOf(HasSubstr("Several versions of the study made these results"),
                            HasSubstr("version 1 made base (1), main (1)"),
                            HasSubstr("version 7 made main (1)")));
}

TEST_F(Resume, ADryRunSaysWhatWouldRunAgainAndWritesNothingSlow) {
  auto asked = request(R"(["good"])");
  run(toy(), asked);
  set_version_7("good");
  asked.dry_run = true;
  const auto result = run(toy(), asked);
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("run again")));
  EXPECT_EQ(record("good").version, 7);
}

TEST_F(Resume, ARecordHoldsTheStartAndTheTimeOfItsProcessSlow) {
  run(toy(), request(R"(["good"])"));
  const auto made = record("good");
  ASSERT_EQ(made.processes.size(), 1u);
  EXPECT_THAT(made.processes[0].started, testing::MatchesRegex("20..-..-..T..:..:..Z"));
  EXPECT_GT(made.processes[0].seconds, 0);
  EXPECT_EQ(made.seconds.at("total"), made.processes[0].seconds);
  EXPECT_EQ(to_json(made)["started"], made.processes[0].started);
}

// The cost of a cell is what all of its processes took, not what the last one added.
TEST_F(Resume, ACellThatGoesOnFromACheckpointAddsAProcessAndItsTimeToTheTotalSlow) {
  const auto asked = request(R"(["good"])");
  run(toy(), asked);
  kill_after("good", "checkpoint.safetensors");
  run(toy(), asked);
  const auto made = record("good");
  ASSERT_EQ(made.processes.size(), 2u);
  EXPECT_EQ(made.processes[0],
            (records::Process{.started = "2026-11-28T23:35:01Z", .seconds = 100}));
  EXPECT_GT(made.processes[1].seconds, 0);
  EXPECT_EQ(made.seconds.at("total"), 100 + made.processes[1].seconds);
  EXPECT_EQ(to_json(made)["started"], "2026-11-28T23:35:01Z");
}

TEST_F(Resume, ACellThatStartsFromTheBeginningCountsItsOwnProcessAloneSlow) {
  const auto asked = request(R"(["good"])");
  run(toy(), asked);
  kill_after("good", "curves.json");
  run(toy(), asked);
  EXPECT_EQ(record("good").processes.size(), 1u) << "no checkpoint was left";
  auto again = asked;
  again.redo = {"main/*"};
  run(toy(), again);
  EXPECT_EQ(record("good").processes.size(), 1u) << "the cell was finished";
}

TEST_F(Resume, ACheckpointOfAnotherVersionIsRemovedAndNotResumedSlow) {
  const auto asked = request(R"(["good"])");
  run(toy(), asked);
  kill_after("good", "checkpoint.safetensors");
  set_version_7("good");
  run(toy(), asked);
  EXPECT_EQ(record("good").processes.size(), 1u);
  EXPECT_FALSE(
      fs::exists(cells_in(results).folder(record("good").cell) / "checkpoint.safetensors"));
}

TEST_F(Resume, ARecordHoldsTheContentOfWhatItsCellReadAndNoPathSlow) {
  run(toy(), request(R"(["good", "reads"])"));
  EXPECT_THAT(record("reads").data, ElementsAre(Pair("numbers", sha256_path(data / "numbers"))));
  EXPECT_THAT(record("good").data, IsEmpty());
  EXPECT_THAT(to_json(record("reads")).dump(), testing::Not(HasSubstr(folder.path().string())));
}

TEST_F(Resume, OneMoreDataSetBesideTheOthersChangesNothingSlow) {
  const auto asked = request(R"(["good", "reads"])");
  run(toy(), asked);
  fs::create_directories(data / "another");
  write_file(data / "another" / "file", "x");
  EXPECT_THAT(run(toy(), asked).notes, IsEmpty());
  EXPECT_EQ(starts_of("reads"), 1);
}

TEST_F(Resume, OtherDataRunTheCellsAgainThatReadThemAndThoseThatNeedThemSlow) {
  const auto asked = request(R"(["good", "reads", "after_reads"])");
  run(toy(), asked);
  write_file(data / "numbers" / "score.txt", "0.75");
  EXPECT_THAT(run(toy(), asked).notes,
              ElementsAre(HasSubstr("in need of a cell that runs again"),
                          AllOf(HasSubstr("other data (numbers)"), HasSubstr("1 finished cell"))));
  EXPECT_EQ(record("reads").metric("score"), 0.75);
  EXPECT_EQ(starts_of("reads"), 2);
  EXPECT_EQ(starts_of("after_reads"), 2);
  EXPECT_EQ(starts_of("good"), 1);
}

TEST_F(Resume, RecordsFromBeforeDataWereHashedAreRefusedForNoNameOfASetSlow) {
  const auto asked = request(R"(["good"])");
  run(toy(), asked);
  auto old = record("good");
  old.options.edit()["run.data"] = {"faces", "numbers"};
  cells_in(results).write(old);
  EXPECT_NO_THROW(run(toy(), asked));
}

TEST_F(Resume, RedoRunsFinishedCellsAgainAndThoseThatNeedThemSlow) {
  auto asked = request(R"(["good", "after_good", "better"])");
  run(toy(), asked);
  asked.redo = {"main/*/good/*"};
  EXPECT_THAT(run(toy(), asked).notes, ElementsAre(HasSubstr("in need of a cell that runs again"),
                                                   HasSubstr("named by --redo: run again")));
  EXPECT_EQ(starts_of("good"), 2);
  EXPECT_EQ(starts_of("after_good"), 2);
  EXPECT_EQ(starts_of("better"), 1);
}

TEST_F(Resume, ChosenSeedsRunAloneAndTheSettingsSayHowFarTheyGoSlow) {
  auto asked = request(R"(["good"])");
  asked.seeds = Seeds("100..101");
  const auto result = run(toy(), asked);
  EXPECT_EQ(result.cells.size(), 4u);
  for (const auto& cell : result.cells) EXPECT_GE(cell.cell.seed, 100);
}

// Version 0 is that of a study whose description does not name its constant: raising it would then
// change nothing.
TEST(StudyVersion, OfEveryStudyIsPositive) {
  for (const auto& study : studies()) EXPECT_GT(study.version, 0) << study.name;
}

TEST(SeedsAsText, AreACountARangeOrAList) {
  EXPECT_EQ(Seeds("5").count, 5);
  EXPECT_THAT(Seeds("5").chosen, IsEmpty());
  EXPECT_THAT(Seeds("100..102").chosen, ElementsAre(100, 101, 102));
  EXPECT_EQ(Seeds("9,7,7").count, 10);
  EXPECT_THAT(Seeds("9,7,7").chosen, ElementsAre(7, 9));
  for (const auto* bad : {"", "0", "-1", "1001", "1000000000000000000000", "a", "3..1", "0..1000",
                          "1,,2", "1..", "5x"})
    EXPECT_THAT([&] { Seeds{std::string(bad)}; },
                ThrowsUsageError(HasSubstr("--seeds " + std::string(bad)), HasSubstr("100..104")))
        << bad;
}

TEST(SeedsAsText, InASettingAreBoundedAndNotSaidTwice) {
  auto asked = toy_request("unused", R"(["good"])");
  asked.set.emplace_back("seeds=1000000000");
  EXPECT_THAT([&] { settings_of(toy(), asked); },
              ThrowsUsageError(HasSubstr("seeds is 1000000000, expected at most 1000")));
  asked.seeds = 5;
  EXPECT_THAT([&] { settings_of(toy(), asked); }, ThrowsUsageError(HasSubstr("--seeds")));
}

struct AnOwnProfile : testing::Test {
  TemporaryFolder folder;
  RunRequest request;
  void is(const std::string& text) {
    write_file(folder.path() / "mine.toml", text);
    request.profile = (folder.path() / "mine.toml").string();
  }
};

TEST_F(AnOwnProfile, ChangesSomeSettingsOfTheOneItNamesAndKeepsItsOwnNameSlow) {
  is("base = \"smoke\"\nscale = 2\n[depth]\nlayers = 5\n");
  const auto settings = settings_of(toy(), request);
  EXPECT_EQ(settings.number("scale"), 2.0);
  EXPECT_EQ(settings.integer("depth.layers"), 5);
  EXPECT_EQ(settings.integer("seeds"), 2) << "as in smoke";
  auto asked = toy_request(folder.path() / "results", R"(["good"])");
  asked.profile = request.profile;
  run(toy(), asked);
  const auto description = read_description(folder.path() / "results");
  EXPECT_EQ(description.profile, "mine");
  EXPECT_EQ(description.base, "smoke");
  EXPECT_EQ(cells_in(folder.path() / "results").all().front().profile, "mine");
}

TEST_F(AnOwnProfile, ThatDoesNotDoIsRefusedByFileAndKey) {
  is("scale = 2\n");
  EXPECT_THAT([&] { settings_of(toy(), request); },
              ThrowsUsageError(HasSubstr("mine.toml"), HasSubstr("base = ")));
  is("base = \"quik\"\n");
  EXPECT_THAT([&] { settings_of(toy(), request); },
              ThrowsUsageError(HasSubstr("smok"), HasSubstr("smoke")));
  is("base = \"smoke\"\nscal = 2\n");
  EXPECT_THAT([&] { settings_of(toy(), request); },
              ThrowsUsageError(AllOf(HasSubstr("mine.toml, line 2"), HasSubstr("scal")),
                               HasSubstr("did you mean 'scale'")));
  is("base = \"smoke\"\nscale = \"much\"\n");
  EXPECT_THAT(
      [&] { settings_of(toy(), request); },
      ThrowsUsageError(AllOf(HasSubstr("mine.toml"), HasSubstr("scale"), HasSubstr("a number"))));
  is("base = smoke\n");
  EXPECT_THAT([&] { settings_of(toy(), request); },
              ThrowsUsageError(AllOf(HasSubstr("mine.toml"), HasSubstr("line 1"))));
  write_file(folder.path() / "slow.toml", "base = \"smoke\"\n");
  request.profile = (folder.path() / "slow.toml").string();
  EXPECT_THAT([&] { settings_of(toy(), request); },
              ThrowsUsageError(HasSubstr("name of a profile")));
}

TEST(TheLockOfAFolder, IsNoLinkAndNoPipeOfAStranger) {
  const TemporaryFolder folder;
  const auto results = folder.path() / "results";
  fs::create_directories(results);
  write_file(folder.path() / "precious", "what a user has");
  fs::create_symlink(folder.path() / "precious", results / ".lock");
  EXPECT_THAT([&] { FolderLock lock(results); },
              ThrowsUsageError(HasSubstr("symbolic link"), HasSubstr("remove it")));
  EXPECT_EQ(read_file(folder.path() / "precious"), "what a user has");
  fs::remove(results / ".lock");
  fs::create_hard_link(folder.path() / "precious", results / ".lock");
  EXPECT_THAT([&] { FolderLock lock(results); },
              ThrowsUsageError(HasSubstr("hard link"), HasSubstr("remove it")));
  EXPECT_EQ(read_file(folder.path() / "precious"), "what a user has");
}

}  // namespace
}  // namespace reprise::reproduce
