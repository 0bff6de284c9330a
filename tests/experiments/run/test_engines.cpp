#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "experiments/preregistration.h"
#include "experiments/run/engines.h"
#include "tests/experiments/toy_study.h"
#include "tests/ranks.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Engines : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "shared results";

  EnginePlan plan(Engine engine, const std::string& methods = R"(["good","after_good"])") const {
    return write_plan(toy(), toy_request(results, methods), engine, "");
  }
  nlohmann::json planned() const { return nlohmann::json::parse(read_file(results / "plan.json")); }
  /// As `reprise cell` does.
  RunResult run_cells(const std::vector<std::string>& cells) const {
    auto planned = read_plan(results, cells, test_studies());
    planned.request.progress = nullptr;
    return run_preregistered(toy(), planned.request);
  }
};

TEST_F(Engines, ALevelNeedsWhatStandsOnLowerOnes) {
  const auto made = plan(Engine::Json);
  EXPECT_EQ(made.cells, 6U);
  EXPECT_EQ(made.levels, 3U);
  EXPECT_EQ(made.file, results / "plan.json");
  std::map<std::string, std::pair<int, std::vector<std::string>>> cells;
  const auto plan_file = planned();
  for (const auto& cell : plan_file.at("cells"))
    cells[cell.at("id").get<std::string>()] = {cell.at("level"), cell.at("needs")};
  EXPECT_EQ(cells.at("base/toys/start/seed1").first, 0);
  EXPECT_EQ(cells.at("main/toys/good/seed1").first, 1);
  EXPECT_EQ(cells.at("main/toys/after_good/seed1").first, 2);
  EXPECT_THAT(cells.at("main/toys/after_good/seed1").second,
              testing::UnorderedElementsAre("base/toys/start/seed1", "main/toys/good/seed1"));
  EXPECT_FALSE(fs::exists(results / "run.json")) << "nothing has run";
}

// A task that the engine ends at its limit starts again, and never gets done: a guess has more room
// than what such cells took here.
TEST_F(Engines, ALimitIsTwelveTimesAGuessAndFourTimesWhatSuchCellsTook) {
  auto study = toy();
  study.seconds = {{"main", 100}};
  const auto minutes = [&](const std::string& id) {
    write_plan(study, toy_request(results, R"(["good"])"), Engine::Json, "");
    const auto plan_file = planned();
    for (const auto& cell : plan_file.at("cells"))
      if (cell.at("id") == id) return cell.at("minutes").get<int>();
    throw Error("no cell " + id, "look at the plan");
  };
  EXPECT_EQ(minutes("main/toys/good/seed1"), 20);
  EXPECT_EQ(minutes("base/toys/start/seed1"), 10) << "the least";
  records::Record record;
  record.cell = {"toy", "main", "toys", "good", 0};
  record.profile = "smoke";
  record.version = study.version;
  record.seconds["total"] = 3000;
  record.status = records::Status::Done;
  cells_in(results).write(record);
  EXPECT_EQ(minutes("main/toys/good/seed1"), 200);
}

TEST_F(Engines, SlurmGetsAnArrayALevelEachAfterTheOneBefore) {
  const auto made = plan(Engine::Slurm);
  const auto submit = read_file(made.out / "submit.sh"), script = read_file(made.out / "level1.sh");
  EXPECT_THAT(submit, AllOf(HasSubstr("--dependency=afterok:${level0_0}"),
                            HasSubstr("--dependency=afterok:${level1_0}")));
  EXPECT_THAT(script, AllOf(HasSubstr("#SBATCH --requeue\n"), HasSubstr("#SBATCH --mem-per-cpu="),
                            HasSubstr("#SBATCH --time="),
                            HasSubstr(" cell --results '" + results.string() + "'"),
                            Not(HasSubstr("gpu"))));
  EXPECT_EQ(std::system(("bash -n '" + (made.out / "submit.sh").string() + "' && bash -n '" +
                         (made.out / "level1.sh").string() + "'")
                            .c_str()),
            0);
  std::size_t cells = 0;
  for (int level = 0; level < 3; ++level) {
    const auto tasks = read_file(made.out / fmt::format("level{}.tasks", level));
    cells += static_cast<std::size_t>(std::count(tasks.begin(), tasks.end(), '/')) / 3;
  }
  EXPECT_EQ(cells, made.cells);
}

TEST_F(Engines, ACellRunsAloneAndNotBeforeWhatItNeedsSlow) {
  plan(Engine::Json);
  EXPECT_THAT([&] { run_cells({"main/toys/good/seed0"}); },
              testing::ThrowsMessage<Error>(AllOf(HasSubstr("not done: base/toys/start/seed0"),
                                                  HasSubstr("run these first"))));
  EXPECT_FALSE(fs::exists(results / "cells" / "base"));
  EXPECT_EQ(describe_progress(results), "0 of 6 planned cells are done");
  EXPECT_EQ(run_cells({"base/toys/start/seed0"}).cells.size(), 1U);
  const auto both = run_cells({"main/toys/good/seed0", "main/toys/after_good/seed0"});
  EXPECT_TRUE(std::all_of(both.cells.begin(), both.cells.end(),
                          [](const CellResult& cell) { return cell.outcome == Outcome::Done; }));
  EXPECT_EQ(describe_progress(results), "3 of 6 planned cells are done");
  EXPECT_EQ(run_cells({"main/toys/good/seed0"}).cells.at(0).outcome, Outcome::Skipped);
  EXPECT_EQ(starts(results, "main/toys/good/seed0"), 1);
  EXPECT_EQ(plan(Engine::Json).cells, 3U) << "a plan has what is not done";
}

TEST_F(Engines, ThePlanHoldsWhatIsRunAndNotTheEnvironmentSlow) {
  auto request = toy_request(results, R"(["good"])");
  request.set.push_back("scale=3.5");
  request.seeds = Seeds("4..5");
  write_plan(toy(), request, Engine::Json, "");
  const auto again = read_plan(results, {"main/toys/good/seed4"}, test_studies()).request;
  EXPECT_THAT(again.set, testing::Contains("scale=3.5"));
  EXPECT_THAT(again.seeds->chosen, ElementsAre(4, 5));
  EXPECT_TRUE(again.alone);
  run_cells({"base/toys/start/seed4"});
  run_cells({"main/toys/good/seed4"});
  EXPECT_EQ(read_description(results).settings.at("scale"), 3.5);
}

TEST_F(Engines, WhatIsNoPlanOrNoCellOfItIsRefused) {
  EXPECT_THAT([&] { read_plan(results, {"a/b/c/seed0"}, test_studies()); },
              ThrowsUsageError(HasSubstr("no plan.json"), HasSubstr("reprise plan")));
  plan(Engine::Json);
  EXPECT_THAT(
      [&] { read_plan(results, {"main/toys/god/seed0"}, test_studies()); },
      ThrowsUsageError(HasSubstr("main/toys/god/seed0"), HasSubstr("main/toys/good/seed0")));
  auto other = planned();
  other["version"] = 7;
  write_file(results / "plan.json", other.dump());
  EXPECT_THAT([&] { read_plan(results, {"main/toys/good/seed0"}, test_studies()); },
              ThrowsUsageError(HasSubstr("version 7 of toy, which is at version 1 now"),
                               HasSubstr("write it again")));
  write_file(results / "plan.json", "{");
  EXPECT_THAT([&] { read_plan(results, {"main/toys/good/seed0"}, test_studies()); },
              ThrowsUsageError(HasSubstr("plan.json")));
}

// Two processes as torchrun starts them. What is kept is rank 0's.
TEST_F(Engines, ProcessesTrainACellTogetherSlow) {
  plan(Engine::Json, R"(["trains"])");
  run_cells({"base/toys/start/seed0"});
  EXPECT_THAT(run_ranks({0, 1}, 2,
                        {"cli", "cell", "main/toys/trains/seed0", "--results", results.string()}),
              testing::Each(0));
  EXPECT_EQ(starts(results, "main/toys/trains/seed0"), 1) << "rank 1 keeps nothing";
  const auto together = cells_in(results).find({"toy", "main", "toys", "trains", 0});
  ASSERT_TRUE(together);
  EXPECT_EQ(together->status, records::Status::Done) << together->error;
}

// As two nodes would: each cell runs once, and both runs end with all of them.
TEST_F(Engines, TwoRunsShareAFolderAndNoCellRunsTwiceSlow) {
  auto request = toy_request(results, R"(["trains","good","better","after_trains"])");
  request.seeds = 4;
  const pid_t other = ::fork();
  if (other == 0) {
    const auto result = run_preregistered(toy(), request);
    const auto done = [](const CellResult& cell) {
      return cell.outcome == Outcome::Done || cell.outcome == Outcome::Skipped;
    };
    ::_exit(std::all_of(result.cells.begin(), result.cells.end(), done) ? 0 : 1);
  }
  const auto result = run_preregistered(toy(), request);
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  for (const auto& cell : result.cells) {
    EXPECT_TRUE(cell.outcome == Outcome::Done || cell.outcome == Outcome::Skipped)
        << cell.cell.id() << " " << cell.error;
    EXPECT_EQ(starts(results, cell.cell.id()), 1) << cell.cell.id();
  }
  EXPECT_FALSE(fs::exists(results / ".leases"));
}

// A cell that fails in one run fails in the other, and so does what needs it.
TEST_F(Engines, WhatFailedInAnotherRunFailsInThisOneSlow) {
  auto request = toy_request(results, R"(["trains","throws","after_throws"])");
  request.seeds = 2;
  const pid_t other = ::fork();
  if (other == 0) {
    run_preregistered(toy(), request);
    ::_exit(0);
  }
  const auto result = run_preregistered(toy(), request);
  ASSERT_EQ(::waitpid(other, nullptr, 0), other);
  for (const auto& cell : result.cells) {
    if (!cell.cell.method.ends_with("throws")) continue;
    EXPECT_EQ(cell.outcome, Outcome::Failed);
    EXPECT_FALSE(cell.error.empty());
  }
}

}  // namespace
}  // namespace reprise::reproduce
