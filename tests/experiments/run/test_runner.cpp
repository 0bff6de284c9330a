#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/files.h"
#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "tests/experiments/toy_study.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using records::Cell;
using records::Record;
using records::Status;
using testing::AllOf;
using testing::HasSubstr;

Cell cell(const std::string& method, std::int64_t seed = 0) {
  return {"toy", method == "start" ? "base" : "main", "toys", method, seed};
}

struct Runner : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "results";

  Record record(const std::string& method, std::int64_t seed = 0) const {
    return cells_in(results).find(cell(method, seed)).value();
  }
  RunResult go(const std::string& methods) const {
    return run(toy(), toy_request(results, methods));
  }
};

Outcome outcome(const RunResult& result, const std::string& method, std::int64_t seed = 0) {
  for (const auto& found : result.cells)
    if (found.cell == cell(method, seed)) return found.outcome;
  throw Error("no cell " + method, "look at the plan");
}

TEST_F(Runner, ARecordHoldsMetricsOptionsEnvironmentAndCurvesSlow) {
  const auto result = go(R"(["good"])");
  EXPECT_EQ(result.cells.size(), 4u);
  const auto made = record("good", 1);
  EXPECT_EQ(made.status, Status::Done);
  EXPECT_TRUE(made.metric("score").has_value());
  EXPECT_EQ(made.profile, "smoke");
  EXPECT_EQ(made.options->at("depth.layers"), 3);
  EXPECT_EQ(made.options->at("run.device"), "cpu");
  EXPECT_FALSE(made.options->contains("seeds"))
      << "how many seeds there are is no option of a cell";
  EXPECT_EQ(made.environment->threads, 1);
  EXPECT_THAT(made.environment->torch, HasSubstr("."));
  EXPECT_GT(made.seconds.at("total"), 0);
  EXPECT_GE(made.peak_memory_bytes, 0);
  EXPECT_LT(made.peak_memory_bytes, 64 << 20) << "its own, without what the process holds";
  EXPECT_EQ(cells_in(results).curves(cell("good", 1)).at("loss").size(), 3u);
}

// A run that SIGKILL ended between the temporary name and the real one.
TEST_F(Runner, WhatAKilledRunBeganToWriteGoesWithTheNextSlow) {
  const auto place = cells_in(results).folder(cell("good"));
  write_file(place / ".record.json.31073.0.tmp", "{");
  write_file(results / ".run.json.31073.1.tmp", "{");
  write_file(place / ".mine.tmp", "kept");
  go(R"(["good"])");
  EXPECT_FALSE(fs::exists(place / ".record.json.31073.0.tmp"));
  EXPECT_FALSE(fs::exists(results / ".run.json.31073.1.tmp"));
  EXPECT_TRUE(fs::exists(place / ".mine.tmp"));
}

TEST_F(Runner, WhatIsDoneIsSkippedAndMoreSeedsContinueSlow) {
  go(R"(["good"])");
  auto request = toy_request(results, R"(["good"])");
  request.seeds = 3;
  const auto result = run(toy(), request);
  EXPECT_EQ(outcome(result, "good", 1), Outcome::Skipped);
  EXPECT_EQ(outcome(result, "good", 2), Outcome::Done);
  EXPECT_EQ(starts(results, "main/toys/good/seed0"), 1);
  EXPECT_EQ(record("good", 0).options, record("good", 2).options);
}

TEST_F(Runner, OtherOptionsInTheSameFolderAreRefusedSlow) {
  go(R"(["good"])");
  auto request = toy_request(results, R"(["good"])");
  request.set.push_back("scale=2");
  EXPECT_THAT([&] { run(toy(), request); },
              ThrowsUsageError(HasSubstr("scale 1.0 -> 2.0"), HasSubstr("--out")));
  request = toy_request(results, R"(["good"])");
  request.profile = "slow";
  EXPECT_THAT([&] { run(toy(), request); },
              ThrowsUsageError(HasSubstr("profile \"smoke\" -> \"slow\"")));
}

// A smoke test trains base networks without a health check: its cells would stand in a full run as
// if they had passed one.
TEST_F(Runner, ARecordOfASmokeTestIsNoneOfAFullRunSlow) {
  auto request = toy_request(results, R"(["good"])");
  run(toy(), request);
  EXPECT_FALSE(cells_in(results).find(cell("good"))->options->contains("purpose"))
      << "records of full runs stay as they are";
  request = toy_request(folder.path() / "smoke", R"(["good"])");
  auto smoke = request;
  smoke.set.emplace_back("purpose=smoke_test");
  run(toy(), smoke);
  EXPECT_THAT([&] { run(toy(), request); },
              ThrowsUsageError(HasSubstr("purpose \"smoke_test\" -> \"full_experiment\"")));
  EXPECT_NO_THROW(run(toy(), smoke));
}

TEST_F(Runner, ASettingThatHasNoPartInARecordMayChangeAndOneThatHasMayNot) {
  const RunDescription description{.study = "toy",
                                   .profile = "smoke",
                                   .settings = {{"scale", 1.0}, {"depth.layers", 3}, {"depths", 1}},
                                   .device = "cpu"};
  EXPECT_FALSE(description.options({"depth"}).contains("depths"))
      << "another key that begins alike";
  EXPECT_EQ(description.options({}), description.options()) << "a cell that names none reads all";
  Record made;
  made.cell = cell("good");
  made.profile = "smoke";
  made.options = description.options({"scale", "depths"});
  EXPECT_EQ(*made.options, (nlohmann::json{{"scale", 1.0}, {"depths", 1}, {"run.device", "cpu"}}));
  made.status = Status::Done;
  cells_in(results).write(made);
  auto now = description;
  now.settings["depth.layers"] = 4;
  EXPECT_NO_THROW(expect_same_run(results, now));
  now.settings["depths"] = 2;
  EXPECT_THAT([&] { expect_same_run(results, now); }, ThrowsUsageError(HasSubstr("depths 1 -> 2")));
  // An older record may hold what the plan says by now that its cell does not read.
  EXPECT_NO_THROW(expect_same_run(results, now, {{.cell = cell("good"), .reads = {"scale"}}}));
  // Of a row that the plan does not have, what no planned cell reads is left out, and nothing else.
  EXPECT_NO_THROW(expect_same_run(results, now, {{.cell = cell("bad"), .reads = {"scale"}}}));
  EXPECT_THAT(
      [&] {
        expect_same_run(results, now,
                        {{.cell = cell("bad"), .reads = {"scale"}},
                         {.cell = cell("slow"), .reads = {"depths"}}});
      },
      ThrowsUsageError(HasSubstr("depths 1 -> 2")));
  now.settings["scale"] = 2.0;
  EXPECT_THAT([&] { expect_same_run(results, now, {{.cell = cell("good"), .reads = {"scale"}}}); },
              ThrowsUsageError(HasSubstr("scale 1.0 -> 2.0"), HasSubstr("--out")));
}

// A wrong list of what a cell reads is an error in the first test that runs the cell, not a record
// that goes stale, or does not.
TEST_F(Runner, ACellGetsTheSettingsThatItsPlanNamesAlone) {
  const Settings all("seeds = 2\npurpose = \"full_experiment\"\nscale = 1.0\n[depth]\nlayers = 3\n",
                     "toy.toml");
  const auto part = all.for_cell({{"scale", 1.0}, {"run.device", "cpu"}});
  EXPECT_EQ(part.number("scale"), 1.0);
  EXPECT_EQ(part.text("purpose"), "full_experiment");
  for (const auto* key : {"depth.layers", "seeds"})
    EXPECT_THAT([&] { part.integer(key); },
                ThrowsUsageError(HasSubstr(key), HasSubstr("PlannedCell::reads")))
        << key;
}

TEST_F(Runner, AnExceptionCostsItsCellOnlyAndTheCellRunsAgainSlow) {
  const auto result = go(R"(["throws", "hungry", "good"])");
  EXPECT_EQ(outcome(result, "throws"), Outcome::Failed);
  EXPECT_EQ(outcome(result, "good"), Outcome::Done);
  EXPECT_EQ(record("throws").status, Status::Failed);
  EXPECT_THAT(record("throws").error, AllOf(HasSubstr("the toy broke"), HasSubstr("mend it")));
  EXPECT_THAT(record("hungry").error, HasSubstr("memory"));
  go(R"(["throws", "hungry", "good"])");
  EXPECT_EQ(starts(results, "main/toys/throws/seed0"), 2);
  EXPECT_EQ(starts(results, "main/toys/good/seed0"), 1);
}

TEST_F(Runner, ACrashCostsItsCellOnlyAndTheRecordNamesTheSignalSlow) {
  const auto result = go(R"(["aborts", "killed", "good"])");
  EXPECT_EQ(outcome(result, "good", 0), Outcome::Done);
  EXPECT_EQ(outcome(result, "good", 1), Outcome::Done);
  EXPECT_EQ(record("aborts").status, Status::Failed);
  EXPECT_THAT(record("aborts").error, AllOf(HasSubstr("SIGABRT"), HasSubstr("last words")));
  EXPECT_THAT(record("killed", 1).error, AllOf(HasSubstr("SIGKILL"), HasSubstr("memory")));
}

TEST_F(Runner, CellsThatNeedAFailedCellFailAndSayWhichSlow) {
  const auto result = go(R"(["throws", "after_throws", "after_after_throws"])");
  EXPECT_EQ(outcome(result, "after_after_throws", 1), Outcome::Failed);
  EXPECT_THAT(record("after_throws").error, HasSubstr("main/toys/throws/seed0"));
  EXPECT_THAT(record("after_after_throws").error, HasSubstr("main/toys/after_throws/seed0"));
  EXPECT_EQ(starts(results, "main/toys/after_throws/seed0"), 0);
}

TEST_F(Runner, AProgramThatIsNoWorkerFailsTheCellsAndSaysSo) {
  auto request = toy_request(results, R"(["good"])");
  request.worker = {(folder.path() / "missing").string()};
  const auto result = run(toy(), request);
  EXPECT_EQ(outcome(result, "start"), Outcome::Failed);
  EXPECT_THAT(record("start").error, HasSubstr("status 127"));
}

TEST_F(Runner, OnlyRunsTheChosenCellsAndTheirNeedsSlow) {
  auto request = toy_request(results, R"(["good", "better"])");
  request.only = {"*/better/seed1"};
  const auto result = run(toy(), request);
  EXPECT_EQ(result.cells.size(), 2u);
  EXPECT_EQ(outcome(result, "start", 1), Outcome::Done);
  EXPECT_EQ(outcome(result, "better", 1), Outcome::Done);
}

TEST_F(Runner, ADryRunWritesNothing) {
  auto request = toy_request(results, R"(["good"])");
  request.dry_run = true;
  const auto result = run(toy(), request);
  EXPECT_EQ(result.cells.size(), 4u);
  EXPECT_EQ(outcome(result, "good"), Outcome::Planned);
  EXPECT_FALSE(fs::exists(results));
}

TEST_F(Runner, RecordsDoNotDependOnTheNumberOfWorkersSlow) {
  go(R"(["good", "better"])");
  auto request = toy_request(folder.path() / "two", R"(["good", "better"])");
  request.jobs = 2;
  run(toy(), request);
  const auto one = cells_in(results).all(), two = cells_in(request.results).all();
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].cell, two[i].cell);
    EXPECT_EQ(one[i].metric("score"), two[i].metric("score"));
    EXPECT_EQ(one[i].options, two[i].options);
    EXPECT_EQ(one[i].environment->threads, two[i].environment->threads);
  }
}

TEST_F(Runner, TerminationKeepsWhatIsDoneAndTheNextRunGoesOnSlow) {
  auto request = toy_request(results, R"(["interrupts"])");
  request.seeds = 1;
  const auto stopped = run(toy(), request);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(outcome(stopped, "start"), Outcome::Done);
  EXPECT_EQ(outcome(stopped, "interrupts"), Outcome::Planned);
  EXPECT_EQ(record("interrupts").status, Status::Running);
  const auto resumed = run(toy(), request);
  EXPECT_FALSE(resumed.interrupted);
  EXPECT_EQ(outcome(resumed, "start"), Outcome::Skipped);
  EXPECT_EQ(outcome(resumed, "interrupts"), Outcome::Done);
}

/// 'R', 'S', ... or 'Z' for a process that has ended and waits to be reaped; 0 when there is none.
char state_of(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(stat, text);
  const auto name_end = text.rfind(')');
  return name_end == std::string::npos ? '\0' : text.at(name_end + 2);
}

TEST_F(Runner, WorkersDieWithTheirParentSlow) {
  auto request = toy_request(results, R"(["orphan"])");
  request.seeds = 1;
  const pid_t parent = ::fork();
  if (parent == 0) {
    run(toy(), request);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto worker = static_cast<pid_t>(
      std::stol(read_file(results / "cells" / "main/toys/orphan/seed0" / "process")));
  char state = state_of(worker);
  for (int i = 0; i < 100 && state != '\0' && state != 'Z'; ++i) {
    ::usleep(50000);
    state = state_of(worker);
  }
  EXPECT_TRUE(state == '\0' || state == 'Z') << "the worker is still in state " << state;
  EXPECT_EQ(record("start").status, Status::Done) << "what was done is kept";
}

TEST_F(Runner, WhoChangesWhatAllShareIsAloneSlow) {
  {
    const FolderLock lock(results);
    EXPECT_THAT(
        [&] { FolderLock(results, std::chrono::milliseconds(100)); },
        ThrowsUsageError(HasSubstr("in use"), HasSubstr("process " + std::to_string(::getpid()))));
  }
  EXPECT_EQ(outcome(go(R"(["good"])"), "good"), Outcome::Done);
}

TEST_F(Runner, UnknownProfilesAndKeysListTheKnownOnes) {
  auto request = toy_request(results, R"(["good"])");
  request.profile = "smok";
  EXPECT_THAT([&] { run(toy(), request); },
              ThrowsUsageError(HasSubstr("smok"), HasSubstr("did you mean 'smoke'")));
  request = toy_request(results, R"(["good"])");
  request.data = folder.path() / "missing";
  EXPECT_THAT([&] { run(toy(), request); },
              ThrowsUsageError(HasSubstr("--data"), HasSubstr("missing")));
  request = toy_request(results, R"(["good"])");
  request.device = "gpu";
  EXPECT_THAT([&] { run(toy(), request); }, ThrowsUsageError(HasSubstr("gpu"), HasSubstr("cuda")));
}

}  // namespace
}  // namespace reprise::reproduce
