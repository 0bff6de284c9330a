#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/files.h"
#include "core/sha256.h"
#include "reproduce/program.h"
#include "reproduce/reporting.h"
#include "reproduce/run/own_profile.h"
#include "reproduce/run/results.h"
#include "reproduce/run/runner.h"
#include "tests/reproduce/toy_study.h"
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

// What a finished cell rests on: its code, its data, its settings. Nothing stale passes for new, and nothing that stands is made again.
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
    return cells_in(results).find({"toy", method == "start" ? "base" : "main", "toys", method, 0}).value();
  }
  int starts_of(const std::string& method) const { return starts(results, "main/toys/" + method + "/seed0"); }
  /// As if a program with other code had made the cell.
  void change_program(const std::string& method) const {
    auto made = record(method);
    made.environment.edit().program = "0000";
    cells_in(results).write(made);
  }
};

TEST_F(Resume, ACellOfAProgramWithOtherCodeRunsAgainWithWhatNeedsItUnlessItIsKept) {
  const auto asked = request(R"(["good", "after_good"])");
  run(toy(), asked);
  change_program("good");
  auto kept = asked;
  kept.keep = true;
  EXPECT_THAT(run(toy(), kept).notes,
              ElementsAre(AllOf(HasSubstr("1 finished cell is made by a program with other code"), HasSubstr("kept"))));
  EXPECT_EQ(starts_of("good"), 1);
  EXPECT_THAT(run(toy(), asked).notes, ElementsAre(HasSubstr("1 finished cell is in need of a cell that runs again"),
                                                   AllOf(HasSubstr("other code: run again"), HasSubstr("--keep"))));
  EXPECT_EQ(starts_of("good"), 2);
  EXPECT_EQ(starts_of("after_good"), 2) << "it rests on what ran again";
  EXPECT_EQ(starts(results, "base/toys/start/seed0"), 1) << "what it needs itself still stands";
  EXPECT_THAT(run(toy(), asked).notes, IsEmpty());
}

// "Kept" said of cells that run again after all would be found out hours later.
TEST_F(Resume, ACellThatRunsAgainForItsNeedIsNotSaidToBeKept) {
  auto asked = request(R"(["good", "after_good"])");
  run(toy(), asked);
  change_program("after_good");
  asked.keep = true;
  asked.only = asked.redo = {"main/toys/good/seed0"};
  EXPECT_THAT(run(toy(), asked).notes, ElementsAre(HasSubstr("1 finished cell is in need of a cell that runs again"),
                                                   HasSubstr("1 finished cell is named by --redo")));
  EXPECT_EQ(starts_of("after_good"), 2);
}

// Who reads a page of kept cells must not take them for the present program's.
TEST_F(Resume, ThePageTellsCellsOfSeveralProgramsApart) {
  run(toy(), request(R"(["good", "better"])"));
  const auto page = [&] {
    make_report({toy()}, results, folder.path() / "page");
    return read_file(folder.path() / "page" / "index.html");
  };
  EXPECT_THAT(page(), testing::Not(HasSubstr("Several programs")));
  change_program("good");
  EXPECT_THAT(page(), AllOf(HasSubstr("Several programs made these results"), HasSubstr("program 0000"), HasSubstr("made main (1)")));
}

TEST_F(Resume, ADryRunSaysWhatWouldRunAgainAndWritesNothing) {
  auto asked = request(R"(["good"])");
  run(toy(), asked);
  change_program("good");
  asked.dry_run = true;
  const auto result = run(toy(), asked);
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("run again")));
  EXPECT_EQ(record("good").environment->program, "0000");
}

TEST_F(Resume, ARecordHoldsTheContentOfWhatItsCellReadAndNoPath) {
  run(toy(), request(R"(["good", "reads"])"));
  EXPECT_THAT(record("reads").data, ElementsAre(Pair("numbers", sha256_path(data / "numbers"))));
  EXPECT_THAT(record("good").data, IsEmpty());
  EXPECT_THAT(to_json(record("reads")).dump(), testing::Not(HasSubstr(folder.path().string())));
}

TEST_F(Resume, OneMoreDataSetBesideTheOthersChangesNothing) {
  const auto asked = request(R"(["good", "reads"])");
  run(toy(), asked);
  fs::create_directories(data / "another");
  write_file(data / "another" / "file", "x");
  EXPECT_THAT(run(toy(), asked).notes, IsEmpty());
  EXPECT_EQ(starts_of("reads"), 1);
}

TEST_F(Resume, OtherDataRunTheCellsAgainThatReadThemAndThoseThatNeedThem) {
  const auto asked = request(R"(["good", "reads", "after_reads"])");
  run(toy(), asked);
  write_file(data / "numbers" / "score.txt", "0.75");
  EXPECT_THAT(run(toy(), asked).notes, ElementsAre(HasSubstr("in need of a cell that runs again"),
                                                   AllOf(HasSubstr("other data (numbers)"), HasSubstr("1 finished cell"))));
  EXPECT_EQ(record("reads").metric("score"), 0.75);
  EXPECT_EQ(starts_of("reads"), 2);
  EXPECT_EQ(starts_of("after_reads"), 2);
  EXPECT_EQ(starts_of("good"), 1);
}

TEST_F(Resume, RecordsFromBeforeDataWereHashedAreRefusedForNoNameOfASet) {
  const auto asked = request(R"(["good"])");
  run(toy(), asked);
  auto old = record("good");
  old.options.edit()["run.data"] = {"faces", "numbers"};
  cells_in(results).write(old);
  EXPECT_NO_THROW(run(toy(), asked));
}

TEST_F(Resume, RedoRunsFinishedCellsAgainAndThoseThatNeedThem) {
  auto asked = request(R"(["good", "after_good", "better"])");
  run(toy(), asked);
  asked.redo = {"main/*/good/*"};
  EXPECT_THAT(run(toy(), asked).notes,
              ElementsAre(HasSubstr("in need of a cell that runs again"), HasSubstr("named by --redo: run again")));
  EXPECT_EQ(starts_of("good"), 2);
  EXPECT_EQ(starts_of("after_good"), 2);
  EXPECT_EQ(starts_of("better"), 1);
}

TEST_F(Resume, ChosenSeedsRunAloneAndTheSettingsSayHowFarTheyGo) {
  auto asked = request(R"(["good"])");
  asked.seeds = Seeds("100..101");
  const auto result = run(toy(), asked);
  EXPECT_EQ(result.cells.size(), 4u);
  for (const auto& cell : result.cells) EXPECT_GE(cell.cell.seed, 100);
}

TEST(AProgramsHash, IsThereForEveryStudyOfTheTreeAndOfNoOther) {
  std::set<std::string> all;
  for (const auto& study : studies()) {
    EXPECT_EQ(program_of(study.name).size(), 64u) << study.name;
    all.insert(program_of(study.name));
  }
  EXPECT_EQ(all.size(), studies().size());
  EXPECT_EQ(program_of("toy"), "");
}

/// A source tree with two studies, of which the first runs code of a room below.
struct ATree : testing::Test {
  TemporaryFolder folder;
  ATree() {
    for (const auto& [file, text] : std::map<std::string, std::string>{
             {"reproduce/one/study.h", "#pragma once\n"},
             {"reproduce/one/cells.cpp", "#include \"models/net.h\"\n#include \"records/record.h\"\n#include \"reproduce/tools.h\"\n"},
             {"reproduce/one/report.cpp", "#include \"reports/page.h\"\n"},
             {"reproduce/two/study.h", "#pragma once\n"},
             {"reproduce/run/runner.h", "#pragma once\n"},
             {"reproduce/tools.h", "#include \"core/base.h\"\n"},
             {"reproduce/tools.cpp", "// one\n"},
             {"reproduce/cli/run.cpp", "// one\n"},
             {"models/net.h", "#pragma once\n"},
             {"models/loss.cpp", "// one\n"},
             {"core/base.h", "#pragma once\n"},
             {"records/record.h", "#pragma once\n"},
             {"records/record_text.cpp", "// one\n"},
             {"records/check.cpp", "// one\n"},
             {"reports/page.h", "// one\n"}}) {
      fs::create_directories((folder.path() / file).parent_path());
      write_file(folder.path() / file, text);
    }
  }
  /// The hashes of both studies.
  std::pair<std::string, std::string> hashes() const {
    const auto out = (folder.path() / "program.cpp").string();
    const auto command = "cmake '-DOUTPUT=" + out + "' '-DROOT=" + folder.path().string() + "' '-DLISTS=" + folder.path().string() +
                         "' -DBUILT_BY=clang -P '" + fixture("../../cmake/program.cmake").string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return {sha256_file(folder.path() / "one.program"), sha256_file(folder.path() / "two.program")};
  }
  void change(const std::string& file) const { write_file(folder.path() / file, read_file(folder.path() / file) + "// another\n"); }
};

// No finished cell may survive a change that could alter it, and none is made again for one that cannot.
TEST_F(ATree, HasAnotherHashAfterAChangeThatReachesACellAndNoOther) {
  auto before = hashes();
  for (const auto* file : {"reproduce/one/report.cpp", "reports/page.h", "reproduce/cli/run.cpp", "records/check.cpp"}) {
    change(file);
    EXPECT_EQ(hashes(), before) << file;
  }
  for (const auto* file :
       {"reproduce/one/cells.cpp", "models/net.h", "models/loss.cpp", "reproduce/tools.cpp", "core/base.h", "records/record_text.cpp"}) {
    change(file);
    const auto now = hashes();
    EXPECT_NE(now.first, before.first) << file;
    EXPECT_EQ(now.second, before.second) << file;
    before = now;
  }
  change("reproduce/run/runner.h");
  EXPECT_NE(hashes().second, before.second);
}

TEST(SeedsAsText, AreACountARangeOrAList) {
  EXPECT_EQ(Seeds("5").count, 5);
  EXPECT_THAT(Seeds("5").chosen, IsEmpty());
  EXPECT_THAT(Seeds("100..102").chosen, ElementsAre(100, 101, 102));
  EXPECT_EQ(Seeds("9,7,7").count, 10);
  EXPECT_THAT(Seeds("9,7,7").chosen, ElementsAre(7, 9));
  for (const auto* bad : {"", "0", "-1", "1001", "1000000000000000000000", "a", "3..1", "0..1000", "1,,2", "1..", "5x"})
    EXPECT_THAT([&] { Seeds{std::string(bad)}; }, ThrowsUsageError(HasSubstr("--seeds " + std::string(bad)), HasSubstr("100..104"))) << bad;
}

TEST(SeedsAsText, InASettingAreBoundedAndNotSaidTwice) {
  auto asked = toy_request("unused", R"(["good"])");
  asked.set.emplace_back("seeds=1000000000");
  EXPECT_THAT([&] { settings_of(toy(), asked); }, ThrowsUsageError(HasSubstr("seeds is 1000000000"), HasSubstr("seeds=5")));
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

TEST_F(AnOwnProfile, ChangesSomeSettingsOfTheOneItNamesAndKeepsItsOwnName) {
  is("base = \"quick\"\nscale = 2\n[depth]\nlayers = 5\n");
  const auto settings = settings_of(toy(), request);
  EXPECT_EQ(settings.number("scale"), 2.0);
  EXPECT_EQ(settings.integer("depth.layers"), 5);
  EXPECT_EQ(settings.integer("seeds"), 2) << "as in quick";
  auto asked = toy_request(folder.path() / "results", R"(["good"])");
  asked.profile = request.profile;
  run(toy(), asked);
  const auto description = read_description(folder.path() / "results");
  EXPECT_EQ(description.profile, "mine");
  EXPECT_EQ(description.base, "quick");
  EXPECT_EQ(cells_in(folder.path() / "results").all().front().profile, "mine");
}

TEST_F(AnOwnProfile, ThatDoesNotDoIsRefusedByFileAndKey) {
  is("scale = 2\n");
  EXPECT_THAT([&] { settings_of(toy(), request); }, ThrowsUsageError(HasSubstr("mine.toml"), HasSubstr("base = ")));
  is("base = \"quik\"\n");
  EXPECT_THAT([&] { settings_of(toy(), request); }, ThrowsUsageError(HasSubstr("quik"), HasSubstr("quick")));
  is("base = \"quick\"\nscal = 2\n");
  EXPECT_THAT([&] { settings_of(toy(), request); }, ThrowsUsageError(HasSubstr("scal"), HasSubstr("did you mean 'scale'")));
  is("base = \"quick\"\nscale = \"much\"\n");
  EXPECT_THAT([&] { settings_of(toy(), request); },
              ThrowsUsageError(AllOf(HasSubstr("mine.toml"), HasSubstr("scale"), HasSubstr("a number"))));
  is("base = quick\n");
  EXPECT_THAT([&] { settings_of(toy(), request); }, ThrowsUsageError(AllOf(HasSubstr("mine.toml"), HasSubstr("line 1"))));
  write_file(folder.path() / "slow.toml", "base = \"quick\"\n");
  request.profile = (folder.path() / "slow.toml").string();
  EXPECT_THAT([&] { settings_of(toy(), request); }, ThrowsUsageError(HasSubstr("name of a profile")));
}

TEST(TheLockOfAFolder, IsNoLinkAndNoPipeOfAStranger) {
  const TemporaryFolder folder;
  const auto results = folder.path() / "results";
  fs::create_directories(results);
  write_file(folder.path() / "precious", "what a user has");
  fs::create_symlink(folder.path() / "precious", results / ".lock");
  EXPECT_THAT([&] { FolderLock lock(results); }, ThrowsUsageError(HasSubstr("symbolic link"), HasSubstr("remove it")));
  EXPECT_EQ(read_file(folder.path() / "precious"), "what a user has");
  fs::remove(results / ".lock");
  fs::create_hard_link(folder.path() / "precious", results / ".lock");
  EXPECT_THAT([&] { FolderLock lock(results); }, ThrowsUsageError(HasSubstr("hard link"), HasSubstr("remove it")));
  EXPECT_EQ(read_file(folder.path() / "precious"), "what a user has");
}

}  // namespace
}  // namespace reprise::reproduce
