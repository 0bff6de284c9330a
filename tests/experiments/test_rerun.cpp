// Committed cells that are re-run: what counts as equal, what a cell starts from, and what the
// budget leaves out.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>

#include "core/compression.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "experiments/reporting.h"
#include "experiments/rerun/rerun.h"
#include "experiments/rerun/sample.h"
#include "experiments/rerun/scratch.h"
#include "experiments/run/runner.h"
#include "reproduce/studies.h"
#include "tests/cli/command_line.h"
#include "tests/experiments/toy_study.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using records::Record;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A run of the toy study, packed as results are committed.
struct Rerunning : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "results", reports = folder.path() / "small",
                 packed = reports / "toy";

  void commit(const std::string& methods = R"(["good","better"])") const {
    auto request = toy_request(results, methods);
    request.seeds = 3;
    run(toy(), request);
    CommandLine::mark_as_committed(results);
    pack_results(test_studies(), results, packed);
  }
  Committed committed(const std::string& sample = "") const {
    static const Study plain = toy();
    if (sample.empty()) return read_committed(plain, packed);
    samples_.push_back(toy());
    samples_.back().sample = sample;
    return read_committed(samples_.back(), packed);
  }
  /// Changes the packed records of a table.
  void change_records(const std::string& table,
                      const std::function<void(nlohmann::json&)>& change) const {
    const auto file = packed / "records" / (table + ".jsonl.gz");
    std::string changed, text = decompress(read_file(file), file.string(), "");
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = text.find('\n', begin);
      auto line = parse_json(text.substr(begin, end - begin), file.string(), "");
      change(line);
      changed += json_text(line) + "\n";
      begin = end + 1;
    }
    write_file(file, changed);
  }
  /// Another value in the packed record of a cell.
  void change_value(const std::string& table, const std::string& method, std::int64_t seed,
                    double value) const {
    change_records(table, [&](auto& line) {
      if (line.at("method") == method && line.at("seed") == seed)
        line["metrics"][0]["value"] = value;
    });
  }
  static RerunResult rerun_all(const Committed& committed, RerunRequest request = {}) {
    std::vector<Committed> all;
    all.push_back(committed);
    return rerun(all, sample_tasks(all), request);
  }
  static std::map<std::string, RerunOutcome> by_cell(const RerunResult& result) {
    std::map<std::string, RerunOutcome> outcomes;
    for (const auto& outcome : result.cells) outcomes[outcome.cell.id()] = outcome;
    return outcomes;
  }
  /// What lies below the committed results: nothing of it may change.
  std::string content() const { return sha256_list(reports); }

 private:
  mutable std::list<Study> samples_;
};

TEST_F(Rerunning, AReRunCellHasTheCommittedBitsAndChangesNoCommittedFileSlow) {
  commit();
  const auto before = content();
  const auto result = rerun_all(committed());
  EXPECT_EQ(result.cells.size(), 3U);
  for (const auto& outcome : result.cells) {
    EXPECT_EQ(outcome.error, "") << outcome.cell.id();
    EXPECT_EQ(outcome.comparison.agreement, Agreement::Equal) << outcome.cell.id();
    EXPECT_EQ(outcome.comparison.metric, "score");
    EXPECT_EQ(outcome.comparison.measured, outcome.comparison.committed);
  }
  EXPECT_EQ(count(result, Agreement::Equal), 3U);
  EXPECT_EQ(result.not_started, 0U);
  EXPECT_EQ(content(), before);
}

// A setting that came after the records were made has the value of its profile, also in the cell
// that reads it.
TEST_F(Rerunning, ARecordThatIsOlderThanASettingIsReRunSlow) {
  commit();
  change_records("main", [](auto& line) { EXPECT_EQ(line.at("options").erase("scale"), 1U); });
  for (const auto& [id, outcome] : by_cell(rerun_all(committed()))) {
    EXPECT_EQ(outcome.error, "") << id;
    EXPECT_EQ(outcome.comparison.agreement, Agreement::Equal) << id;
  }
}

TEST_F(Rerunning, AChangedCommittedValueIsReportedWithBothValuesSlow) {
  commit();
  change_value("main", "good", 1, 42);
  const auto outcomes = by_cell(rerun_all(committed()));
  EXPECT_EQ(outcomes.at("main/toys/good/seed0").comparison.agreement, Agreement::Equal);
  const auto& changed = outcomes.at("main/toys/good/seed1").comparison;
  EXPECT_EQ(changed.agreement, Agreement::Differs);
  EXPECT_EQ(changed.committed, 42);
  EXPECT_LT(changed.measured, 1);
  EXPECT_NE(changed.reason, "");
}

TEST_F(Rerunning, TheCommandWritesThePagesAndExits1WhereAValueDiffersSlow) {
  commit();
  const auto reproduce = [&](const fs::path& out) {
    const auto words =
        std::vector<std::string>{"reproduce", "toy", "--results", reports, "--out", out, "--json"};
    return call(words, test_studies());
  };
  const auto equal = reproduce(folder.path() / "equal");
  EXPECT_EQ(equal.status, 0) << equal.err;
  EXPECT_THAT(equal.err, AllOf(HasSubstr("the committed bytes"),
                               HasSubstr("re-running 3 cells of the studies' samples"),
                               HasSubstr("main/toys/good/seed1"), HasSubstr("equal")));
  EXPECT_THAT(equal.object().at("summary"),
              AllOf(HasSubstr("3 cells of one study were re-run"), HasSubstr("3 equal")));
  EXPECT_TRUE(fs::exists(folder.path() / "equal" / "toy" / "index.html"));
  const auto kept = nlohmann::json::parse(read_file(folder.path() / "equal" / "rerun.json"));
  EXPECT_EQ(kept.at("cells").size(), 3U);
  EXPECT_EQ(kept.at("cells").at(0).at("measured"), kept.at("cells").at(0).at("committed"));
  EXPECT_EQ(kept.at("cells").at(0).at("unit"), "") << "a toy's score is a pure number";
  EXPECT_EQ(reproduce(folder.path() / "equal").status, 0) << "into the same folder again";

  change_value("main", "good", 1, 42);
  const auto differs = reproduce(folder.path() / "differs");
  EXPECT_EQ(differs.status, 1);
  EXPECT_THAT(differs.err, AllOf(HasSubstr("!= 42"), HasSubstr("differs")));
  EXPECT_FALSE(differs.object().at("pages_differ").empty())
      << "the page is not what the changed record gives";
}

TEST_F(Rerunning, WithoutCommittedResultsTheCommandSaysWhereTheyAre) {
  const auto answer = call({"reproduce", "toy", "--results", reports}, test_studies());
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("no committed results of toy"), HasSubstr("results"),
                                HasSubstr("reprise run toy")));
}

TEST_F(Rerunning, ACellStartsFromACommittedFileWhoseHashIsInTheRecordSlow) {
  commit(R"(["good","better","trains"])");
  const std::string trained = "main/toys/trains/seed0", name = "weights.safetensors";
  const auto file = packed / "checkpoints" / trained / name;
  write_file(file, read_file(results / "cells" / trained / name));
  pack_results(test_studies(), results, packed);
  const auto sample =
      std::string("[[cell]]\ncell = \"main/toys/good/seed0\"\nseconds = 1\ncheckpoint = [\"") +
      trained + "\"]\n";
  const auto started = rerun_all(committed(sample)).cells;
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started[0].error, "");
  EXPECT_TRUE(started[0].from_checkpoint);

  write_file(file, "other weights");
  const auto changed = rerun_all(committed(sample)).cells.at(0);
  EXPECT_THAT(changed.error, AllOf(HasSubstr(file.string()), HasSubstr(sha256("other weights"))));
  fs::remove(file);
  EXPECT_THAT(rerun_all(committed(sample)).cells.at(0).error,
              AllOf(HasSubstr(file.string()), HasSubstr("is missing")));
}

TEST_F(Rerunning, ACellSeesTheFilesOfThoseThatWereReRunBeforeItSlow) {
  commit();
  const auto of = committed();
  const std::string start = "base/toys/start/seed0", good = "main/toys/good/seed0";
  EXPECT_THAT(of.all_needs(good), ElementsAre(start));
  const auto kept = folder.path() / "kept", scratch = folder.path() / "scratch";
  fs::create_directories(kept / "cells" / start);
  fs::copy(results / "cells" / start, kept / "cells" / start);
  fill_scratch(of, good, {}, {start}, kept, scratch);
  EXPECT_TRUE(fs::exists(scratch / "cells" / start / "process"));
  const auto store = cells_in(scratch);
  EXPECT_TRUE(store.find({"toy", "base", "toys", "start", 0}))
      << "once: below cells/, and not packed too";
  EXPECT_TRUE(store.is_packed({"toy", "base", "toys", "start", 1}));
  EXPECT_FALSE(store.find({"toy", "main", "toys", "good", 0})) << "it is to be run";
}

TEST_F(Rerunning, ACellThatWouldEndAfterTheBudgetDoesNotStartNorDoThoseThatNeedItSlow) {
  commit();
  std::vector<Committed> all;
  all.push_back(committed());
  std::vector<RerunTask> tasks{
      {.study = 0, .cell = "base/toys/start/seed0", .seconds = 1e6},
      {.study = 0, .cell = "main/toys/good/seed0", .seconds = 0.1, .needs = {0}},
      {.study = 0, .cell = "main/toys/good/seed1", .seconds = 0.1}};
  const auto result = rerun(all, tasks, {.minutes = 5, .jobs = 1});
  EXPECT_EQ(result.not_started, 2U);
  ASSERT_EQ(result.cells.size(), 1U);
  EXPECT_EQ(result.cells[0].cell.seed, 1);
  EXPECT_TRUE(rerun(all, tasks, {.minutes = 0}).cells.empty());
}

TEST_F(Rerunning, FurtherCellsFollowTheSampleBehindThoseThatTheyNeedSlow) {
  commit();
  std::vector<Committed> all;
  all.push_back(committed());
  auto tasks = sample_tasks(all);
  const auto samples = tasks.size();
  EXPECT_EQ(add_further_tasks(all, DataFolder(), tasks), 0U);
  EXPECT_EQ(tasks.size(), 9U) << "three seeds of start, good and better";
  for (std::size_t i = samples; i < tasks.size(); ++i)
    for (const auto need : tasks[i].needs) EXPECT_LT(need, i) << tasks[i].cell;
  const auto result = rerun(all, tasks, {.minutes = {}});
  EXPECT_EQ(count(result, Agreement::Equal), 9U);
}

/// A record of table main by hand, of one platform and one version of the study.
Record made(std::int64_t seed, double score, const std::string& arithmetic, int version = 1) {
  Record record;
  record.cell = {"toy", "main", "toys", "good", seed};
  record.profile = "smoke";
  record.metrics = {{"score", score, "", records::Direction::HigherIsBetter, "toy score"}};
  record.status = records::Status::Done;
  record.environment.edit().arithmetic = arithmetic;
  record.version = version;
  record.processes = {{"2026-01-01T00:00:00Z", 1}};
  return record;
}

TEST(CompareCells, TheSamePlatformAndCodeOweTheSameBits) {
  const auto committed = made(0, 0.5, "A");
  const auto compare = [&](double score) {
    return compare_cells({committed, {}}, {made(0, score, "A"), {}}, "score", {});
  };
  EXPECT_EQ(compare(0.5).agreement, Agreement::Equal);
  EXPECT_EQ(compare(0.5 * (1 + 1e-9)).agreement, Agreement::WithinTolerance)
      << "the regression check calls it the same";
  const auto differs = compare(0.5001);
  EXPECT_EQ(differs.agreement, Agreement::Differs);
  EXPECT_THAT(differs.reason, HasSubstr("please report"));
  auto other = committed;
  other.metrics.clear();
  EXPECT_THAT(compare_cells({committed, {}}, {other, {}}, "score", {}).reason,
              HasSubstr("does not measure score"));
  const CellValues with_curve{committed, {{"loss", {3, 2, 1}}}};
  EXPECT_EQ(compare_cells(with_curve, with_curve, "score", {}).agreement, Agreement::Equal);
  EXPECT_EQ(compare_cells(with_curve, {committed, {{"loss", {3, 2, 1.5}}}}, "score", {}).agreement,
            Agreement::Differs);
}

TEST(CompareCells, AnotherPlatformOrOtherCodeIsJudgedByTheSpreadOverSeeds) {
  std::vector<Record> seeds;
  for (std::int64_t seed = 0; seed < 8; ++seed)
    seeds.push_back(made(seed, 0.5 + 0.01 * static_cast<double>(seed % 4), "A"));
  const auto compare = [&](const Record& now, const std::vector<Record>& alike) {
    return compare_cells({seeds[0], {}}, {now, {}}, "score", alike);
  };
  const auto near = compare(made(0, 0.505, "B"), seeds);
  EXPECT_EQ(near.agreement, Agreement::WithinSpread);
  EXPECT_THAT(near.reason, HasSubstr("another platform"));
  EXPECT_EQ(compare(made(0, 0.1, "B"), seeds).agreement, Agreement::Differs);
  EXPECT_EQ(compare(made(0, 0.9, "B"), seeds).agreement, Agreement::Differs)
      << "better by more than the band is no reproduction";
  EXPECT_EQ(compare(made(0, 0.505, "A", 2), seeds).agreement, Agreement::WithinSpread);
  EXPECT_THAT(compare(made(0, 0.1, "A", 2), seeds).reason, HasSubstr("changed code"));
  seeds[0].processes.clear();
  EXPECT_EQ(compare(made(0, 0.505, "A"), seeds).agreement, Agreement::WithinSpread)
      << "of any code: older than versions";
  EXPECT_EQ(compare(made(0, 0.6, "B"), {seeds[0]}).agreement, Agreement::NotComparable)
      << "one seed has no spread";
  for (auto& seed : seeds) seed.metrics[0].direction = records::Direction::Neither;
  auto described = made(0, 0.6, "B");
  described.metrics[0].direction = records::Direction::Neither;
  EXPECT_EQ(compare(described, seeds).agreement, Agreement::NotComparable)
      << "the best epoch is no result";
}

TEST(Samples, WhatTheyMayNotSayIsNamed) {
  EXPECT_THAT([] { read_sample("[[cell]]\ncell = \"a/b/c/seed0\"\n", "x.toml"); },
              ThrowsUsageError(HasSubstr("x.toml, cell 1"), HasSubstr("seconds")));
  EXPECT_THAT(
      [] { read_sample("[[cell]]\ncell = \"a/b/c/seed0\"\nseconds = 1\nfrom = 2\n", "x.toml"); },
      ThrowsUsageError(HasSubstr("unknown key from")));
  const std::string one = "[[cell]]\ncell = \"a/b/c/seed0\"\nseconds = 1\n";
  EXPECT_THAT([&] { read_sample(one + one, "x.toml"); }, ThrowsUsageError(HasSubstr("twice")));
  EXPECT_TRUE(read_sample("", "x.toml").empty());
}

// What `reproduce` runs by default: cells that are committed, need no recorded data and fit into
// three minutes of two cores.
TEST(Samples, EveryStudyNamesCommittedCellsThatNeedNoRecordedDataSlow) {
  std::vector<Committed> all;
  for (const auto& study : studies())
    all.push_back(read_committed(study, fixture("../../results") / study.name));
  const auto tasks = sample_tasks(all);
  EXPECT_GE(tasks.size(), 25U);
  double seconds = 0;
  std::set<std::size_t> of_studies;
  for (const auto& task : tasks) {
    seconds += task.seconds;
    of_studies.insert(task.study);
    const auto& record = *all[task.study].records.at(task.cell);
    // Per-frame networks of dynamic_face have read where the recorded tracks lie, and learn from
    // none of them.
    if (record.cell.study != "dynamic_face") EXPECT_TRUE(record.data.empty()) << task.cell;
  }
  EXPECT_EQ(of_studies.size(), studies().size());
  EXPECT_LE(seconds, 420) << "of one core";
}

}  // namespace
}  // namespace reprise::reproduce
