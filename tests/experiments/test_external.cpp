// External methods, on the toy study: names, files, what a changed file does, tables and
// comparisons.
#include <algorithm>

#include "core/files.h"
#include "experiments/reporting.h"
#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "records/claims/claims.h"
#include "tests/experiments/toy_study.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using records::Cell;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto script = ExternalMethod::Kind::TorchScript;
constexpr auto predictions = ExternalMethod::Kind::Predictions;

struct ExternalMethodRuns : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "results";

  std::string file(const std::string& name, const std::string& text) const {
    write_file(folder.path() / name, text);
    return folder.path() / name;
  }
  RunResult go(std::vector<ExternalMethod> methods, std::int64_t seeds = 3) const {
    auto request = toy_request(results, R"(["good", "better"])");
    request.seeds = seeds;
    request.external = std::move(methods);
    return run(toy(), request);
  }
  std::optional<records::Record> record(const std::string& method, std::int64_t seed) const {
    return cells_in(results).find({"toy", "main", "toys", method, seed});
  }
};

Outcome outcome(const RunResult& result, const std::string& method, std::int64_t seed) {
  for (const auto& found : result.cells)
    if (found.cell == Cell{"toy", "main", "toys", method, seed}) return found.outcome;
  throw Error("no cell " + method, "look at the plan");
}

TEST_F(ExternalMethodRuns, AreNamedAsNameEqualsFile) {
  const auto method = external_method(script, "--method-file", "my-gru_2=a=b.pt");
  EXPECT_EQ(method.name, "my-gru_2");
  EXPECT_EQ(method.file, "a=b.pt");
  for (const char* wrong :
       {"my_gru", "my_gru=", "=a.pt", "_gru=a.pt", "my gru=a.pt", "a/b=a.pt", "a+lr=a.pt"})
    EXPECT_THAT([&] { external_method(script, "--method-file", wrong); },
                ThrowsUsageError(HasSubstr(wrong)))
        << wrong;
}

TEST_F(ExternalMethodRuns, RunAsCellsWhoseRecordsNameTheFileSlow) {
  const auto result = go({{script, "mine", file("mine.pt", "0.5")}});
  EXPECT_EQ(outcome(result, "mine", 2), Outcome::Done);
  EXPECT_THAT(result.notes, IsEmpty());
  const auto made = record("mine", 2).value();
  EXPECT_EQ(made.metric("score"), 0.5);
  EXPECT_EQ(made.options->at("method.kind"), "torchscript");
  EXPECT_EQ(made.options->at("method.file"), "mine.pt");
  EXPECT_EQ(made.options->at("method.sha256").get<std::string>().size(), 64u);
  EXPECT_THAT(records::to_json(made).dump(), Not(HasSubstr(folder.path().string())))
      << "no path of this machine";
  EXPECT_FALSE(record("good", 0)->options->contains("method.kind"));
}

TEST_F(ExternalMethodRuns, AnUnchangedFileIsSkippedAndAChangedOneRunsAgainSlow) {
  const auto path = file("mine.pt", "0.5");
  go({{script, "mine", path}});
  EXPECT_EQ(outcome(go({{script, "mine", path}}), "mine", 0), Outcome::Skipped);
  file("mine.pt", "0.75");
  const auto changed = go({{script, "mine", path}}, 2);
  EXPECT_EQ(outcome(changed, "mine", 0), Outcome::Done);
  EXPECT_EQ(outcome(changed, "good", 0), Outcome::Skipped);
  EXPECT_EQ(record("mine", 0)->metric("score"), 0.75);
  EXPECT_FALSE(record("mine", 2)) << "a third seed of the old file would be mixed with the new one";
  EXPECT_THAT(changed.notes, ElementsAre(HasSubstr("3 records of another file")));
}

// Finished cells are not lost because a later call measures others: each seed of predictions has a
// file of its own.
TEST_F(ExternalMethodRuns, PredictionsOfCellsThatACallLeavesOutStaySlow) {
  file("mine0.csv", "0.5");
  const auto second = file("mine1.csv", "0.25");
  auto request = toy_request(results, R"(["good"])");
  request.external = {{predictions, "mine", folder.path() / "mine{seed}.csv"}};
  for (const char* only : {"main/toys/mine/seed0", "main/toys/mine/seed1"}) {
    request.only = {only};
    run(toy(), request);
  }
  EXPECT_EQ(record("mine", 0)->metric("score"), 0.5);
  EXPECT_EQ(record("mine", 1)->metric("score"), 0.25);
  fs::remove(second);
  file("mine0.csv", "0.75");
  request.only = {"*/*/mine/*"};
  run(toy(), request);
  EXPECT_EQ(record("mine", 0)->metric("score"), 0.75) << "a changed file replaces its record";
  EXPECT_EQ(record("mine", 1)->metric("score"), 0.25) << "its file is not there";
  file("other.csv", "2");
  request.seeds = Seeds("0..0");
  request.external.front().file = folder.path() / "other.csv";
  run(toy(), request);
  EXPECT_EQ(record("mine", 0)->metric("score"), 2);
  EXPECT_TRUE(record("mine", 1));
}

// A row of one script: with a new file no seed of the old one stays. Rows that a call leaves out
// are of scripts of their own.
TEST_F(ExternalMethodRuns, AScriptReplacesTheRowsThatACallChoosesAloneSlow) {
  auto two = toy();
  two.external.tables = [](const Settings& settings, const DataFolder& data) {
    auto tables = toy().external.tables(settings, data);
    tables.push_back(tables.front());
    tables.back().table = "second";
    for (auto& planned : tables.back().cells) planned.cell.table = "second";
    return tables;
  };
  auto request = toy_request(results, R"(["good"])");
  for (const std::string table : {"main", "second"}) {
    request.only = {table + "/*/mine/*"};
    request.external = {{script, "mine", file(table + ".pt", table == "main" ? "1" : "2")}};
    run(two, request);
  }
  EXPECT_EQ(record("mine", 1)->metric("score"), 1);
  request.only = {"main/*/mine/seed0"};
  run(two, request);
  EXPECT_EQ(record("mine", 0)->metric("score"), 2);
  EXPECT_FALSE(record("mine", 1));
}

// Else a row lacks seeds whose file has a wrong form, and the note says that there is no file.
TEST_F(ExternalMethodRuns, PredictionsThatNoTableTakesAreRefusedWhereOthersFit) {
  file("mine0.csv", "0.5");
  file("mine1.csv", "");
  EXPECT_THAT(
      [&] {
        go({{predictions, "mine", folder.path() / "mine{seed}.csv"}});
      },
      ThrowsUsageError(HasSubstr("the file is empty")));
}

TEST_F(ExternalMethodRuns, ARunThatDoesNotNameItKeepsItSlow) {
  go({{script, "mine", file("mine.pt", "0.5")}}, 2);
  go({}, 3);
  EXPECT_TRUE(record("mine", 1));
  EXPECT_FALSE(record("mine", 2));
}

TEST_F(ExternalMethodRuns, PredictionsHaveTheSeedsThatHaveAFileAndSaySoSlow) {
  file("mine0.csv", "0.5");
  file("mine2.csv", "0.25");
  const auto result = go({{predictions, "mine", folder.path() / "mine{seed}.csv"}});
  EXPECT_EQ(record("mine", 0)->metric("score"), 0.5);
  EXPECT_EQ(record("mine", 2)->metric("score"), 0.25);
  EXPECT_FALSE(record("mine", 1));
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("mine has 2 of 3 seeds")));
}

TEST_F(ExternalMethodRuns, NamesThatAreTakenAndFilesThatAreMissingAreWrongUse) {
  const auto path = file("mine.pt", "0.5");
  EXPECT_THAT(
      [&] {
        go({{script, "good", path}});
      },
      ThrowsUsageError(HasSubstr("good belongs to another")));
  EXPECT_THAT(
      [&] {
        go({{script, "mine", path}, {predictions, "mine", path}});
      },
      ThrowsUsageError(HasSubstr("mine belongs to another")));
  EXPECT_THAT(
      [&] {
        go({{script, "mine", "none.pt"}});
      },
      ThrowsUsageError(HasSubstr("mine"), HasSubstr("none.pt")));
  auto closed = toy();
  closed.external = {};
  auto request = toy_request(results, R"(["good"])");
  request.external = {{script, "mine", path}};
  EXPECT_THAT([&] { run(closed, request); },
              ThrowsUsageError(HasSubstr("study toy takes no external methods")));
}

// Else the run says nothing, and only a later comparison finds that the method is not there.
TEST_F(ExternalMethodRuns, AMethodWhoseCellsAreAllLeftOutIsRefusedSlow) {
  auto request = toy_request(results, R"(["good"])");
  request.seeds = 3;
  request.external = {{script, "mine", file("mine.pt", "0.5")}};
  request.only = {"main/*/good/*"};
  for (const bool dry_run : {true, false}) {
    request.dry_run = dry_run;
    EXPECT_THAT(
        [&] { run(toy(), request); },
        ThrowsUsageError(AllOf(HasSubstr("no cell of method mine"),
                               HasSubstr("--only main/*/good/*"), HasSubstr("'*/*/mine/*'"))));
  }
  EXPECT_FALSE(fs::exists(results / "run.json"));
  request.only.emplace_back("*/*/mine/*");
  EXPECT_EQ(outcome(run(toy(), request), "mine", 0), Outcome::Done);
}

TEST_F(ExternalMethodRuns, OpenThePageOutsideEveryFoldSlow) {
  go({{script, "mine", file("mine.pt", "0.5")}});
  const auto page = read_file(make_report(test_studies(), results, results).page);
  const auto table = page.find("id=\"table-your_methods_main_toys\"");
  ASSERT_NE(table, std::string::npos);
  EXPECT_LT(table, page.find("id=\"table-scores\""));
  EXPECT_LT(table, page.find("<details class=\"more\""));
  EXPECT_LT(page.find("mine, score on toys:"), page.find("id=\"table-scores\""));
}

TEST_F(ExternalMethodRuns, ADryRunRemovesNothingSlow) {
  const auto path = file("mine.pt", "0.5");
  go({{script, "mine", path}});
  file("mine.pt", "0.75");
  auto request = toy_request(results, R"(["good", "better"])");
  request.seeds = 3;
  request.external = {{script, "mine", path}};
  request.dry_run = true;
  EXPECT_EQ(outcome(run(toy(), request), "mine", 0), Outcome::Planned);
  EXPECT_EQ(record("mine", 0)->metric("score"), 0.5);
}

TEST_F(ExternalMethodRuns, StandInATableOfTheirOwnBeforeTheStudysAndOnlyThenSlow) {
  go({});
  make_report(test_studies(), results, results);
  EXPECT_FALSE(fs::exists(results / "tables" / "your_methods_main_toys.md"));
  file("mine0.csv", "9");
  file("mine1.csv", "9.5");
  go({{predictions, "mine", folder.path() / "mine{seed}.csv"}});
  make_report(test_studies(), results, results);
  const auto table = read_file(results / "tables" / "your_methods_main_toys.md");
  EXPECT_THAT(table, AllOf(HasSubstr("| mine | **9.250 ±"), HasSubstr("(n 2†)"),
                           HasSubstr("Fewer seeds than the 3")));
  EXPECT_THAT(read_file(results / "index.html"),
              AllOf(HasSubstr("mine, score on toys:"), HasSubstr("Holm over 2 comparisons")));
  EXPECT_THAT(read_file(results / "tables" / "scores.md"), Not(HasSubstr("mine")));
}

TEST_F(ExternalMethodRuns, HaveNoPartInADocumentsClaimsSlow) {
  // The claim of the toy is about "better"; a stranger of that name in another folder must not
  // carry it.
  auto request = toy_request(results, R"(["good"])");
  request.seeds = 3;
  request.external = {{script, "better", file("mine.pt", "9")}};
  run(toy(), request);
  EXPECT_EQ(records::judge(toy().claims, "claims.toml", cells_in(results)).at(0).verdict,
            records::Verdict::NotRun);
}

TEST_F(ExternalMethodRuns, ResultsWithoutTheirDescriptionStillContinueSlow) {
  const auto path = file("mine.pt", "0.5");
  go({{script, "mine", path}});
  fs::remove(results / "run.json");
  EXPECT_EQ(outcome(go({{script, "mine", path}}), "mine", 0), Outcome::Skipped);
}

}  // namespace
}  // namespace reprise::reproduce
