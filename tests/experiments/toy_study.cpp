#include "tests/experiments/toy_study.h"

#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>

#include "core/error.h"
#include "core/files.h"
#include "core/random.h"
#include "reproduce/dynamic_face/study.h"
#include "reproduce/langevin/study.h"
#include "reproduce/mocogan/study.h"
#include "reproduce/prernn/study.h"
#include "reproduce/studies.h"
#include "reproduce/unit/study.h"
#include "tests/training/toy.h"
#include "training/module_state.h"

namespace reprise::reproduce {
namespace {

constexpr const char* smoke = R"(
seeds = 2
scale = 1.0
methods = ["good"]
[search]
rates = [1.0, 2.0]
[depth]
layers = 3
)";

constexpr const char* claims = R"(
[[claim]]
id = "1"
statement = "better beats good"
source = "the toy document"

[[claim.row]]
id = "toys"
kind = "better"
metric = "score"
table = "main"
dataset = "toys"
methods = "better"
than = "good"
)";

constexpr const char* sample = R"(
[[cell]]
cell = "base/toys/start/seed0"
seconds = 0.1

[[cell]]
cell = "main/toys/good/seed0"
seconds = 0.1

[[cell]]
cell = "main/toys/good/seed1"
seconds = 0.1
)";

Search search_for(const std::string& method, const Settings& settings) {
  return {.trials = {"toy", "search", "toys", method, 0},
          .grid = {{axis("lr", settings.numbers("search.rates"))}},
          .seeds = 2,
          .rules = {{.metric = "error"}},
          .widen = widen_setting(settings)};
}

/// A trial, or a method that the search has tuned.
void run_tuned(CellContext& context) {
  auto& record = context.record;
  const auto started = starts(context.store.results(), record.cell.id());
  if (!records::is_trial(record.cell)) {
    const auto chosen = best_trial(search_for(record.cell.method, context.settings), context.store);
    record.metrics = {{"learning_rate", chosen.value("lr"), "", records::Direction::Neither, ""}};
    return;
  }
  const auto trial = records::parse_trial(record.cell.method);
  const bool new_value = trial.value("lr") == 4;
  if (new_value && trial.method == "tuned_failing") throw Error("the toy broke", "mend it");
  if (new_value && trial.method == "tuned_interrupted" && record.cell.seed == 0 && started == 1) {
    ::kill(::getppid(), SIGTERM);
    for (int i = 0; i < 600; ++i) ::usleep(100000);
  }
  const double best = trial.method == "tuned_inside" ? 1 : 4;
  record.metrics = {{"error", std::abs(std::log(trial.value("lr") / best)), "",
                     records::Direction::LowerIsBetter, "toy error"}};
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder&) {
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
    const records::Cell start{"toy", "base", "toys", "start", seed};
    cells.push_back({start, {}, 1});
    for (const auto& method : settings.texts("methods")) {
      PlannedCell planned{{"toy", "main", "toys", method, seed}, {start}, 2};
      if (method.starts_with("after_"))
        planned.needs.push_back({"toy", "main", "toys", method.substr(6), seed});
      if (method.starts_with("tuned")) {
        const auto search = search_for(method, settings);
        add_search(planned, search);
        for (const auto& trial : trial_cells(search))
          if (trial.seed == seed) cells.push_back({.cell = trial, .cost = 1});
      }
      cells.push_back(planned);
    }
  }
  return cells;
}

std::vector<ExternalTable> tables_for_others(const Settings& settings, const DataFolder&) {
  ExternalTable table{
      .table = "main",
      .dataset = "toys",
      .title = "scores on toys",
      .columns = {{"score", "score"}},
      .own_rows = {{"good", "good"}, {"better", "better"}},
      .predictions = "a score",
      .forward = "a score",
      .mismatch =
          [](const auto& file) { return read_file(file).empty() ? "the file is empty" : ""; },
      .check_script = [](const auto&, bool) { return ScriptCheck{.learns = true}; }};
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
    table.cells.push_back(
        {{"toy", "main", "toys", "", seed}, {{"toy", "base", "toys", "start", seed}}, 1});
  return {table};
}

void wait_to_be_ended() {
  for (int i = 0; i < 600; ++i) ::usleep(100000);
}

void train(CellContext& context) {
  training::Toy toy(0.3);
  auto task = toy.task();
  const auto batch = task.batch;
  task.batch = [&](std::int64_t epoch, std::int64_t index, Random& random) {
    ::usleep(3000);  // the work is too small to be interrupted
    return batch(epoch, index, random);
  };
  const auto checkpoint = context.folder / "checkpoint.safetensors";
  const auto seed = seed_of({"toy", std::to_string(context.record.cell.seed)});
  const auto report = training::fit(
      *toy.network, toy.all(), task,
      {.epochs = 12, .ema_decay = 0.9, .seed = seed, .checkpoint = checkpoint}, context.progress);
  training::save_weights(*toy.network, context.folder / "weights.safetensors");
  context.store.write_curves(
      context.record.cell, {{"loss", report.train_loss}, {"validation", report.validation_error}});
  context.record.metrics = {
      {"score", -report.validation_error.at(static_cast<std::size_t>(report.best_epoch)), "",
       records::Direction::HigherIsBetter, "toy score"}};
  std::filesystem::remove(checkpoint);
}

void run_cell(CellContext& context) {
  const std::string method = context.record.cell.method;
  const auto before = starts(context.store.results(), context.record.cell.id());
  std::ofstream(context.folder / "starts", std::ios::app) << "x";
  std::ofstream(context.folder / "process") << ::getpid();
  context.progress.update(0.5, "half way");
  if (method.starts_with("tuned")) return run_tuned(context);
  if (method == "throws") throw Error("the toy broke", "mend it");
  if (method == "hungry") throw std::bad_alloc();
  if (method == "aborts") {
    std::fputs("last words\n", stderr);
    std::abort();
  }
  if (method == "killed") ::raise(SIGKILL);
  if (method == "interrupts" && before == 0) {
    ::kill(::getppid(), SIGTERM);
    wait_to_be_ended();
  }
  if (method == "falters" && context.record.cell.seed == 3 && before == 0) {
    ::kill(::getppid(), SIGTERM);
    wait_to_be_ended();
  }
  if (method == "orphan") {
    ::kill(::getppid(), SIGKILL);
    wait_to_be_ended();
  }
  if (method == "trains") return train(context);
  if (method == "reads" || method == "after_reads") {
    const double score =
        method == "reads" ? std::stod(read_file(context.data / "numbers" / "score.txt")) : 0;
    context.record.metrics = {
        {"score", score, "", records::Direction::HigherIsBetter, "toy score"}};
    return;
  }
  Random random(seed_of({"toy", std::to_string(context.record.cell.seed)}));
  if (!context.method_file.empty()) {
    context.record.metrics = {{"score", std::stod(read_file(context.method_file)), "",
                               records::Direction::HigherIsBetter, "toy score"}};
    return;
  }
  double score = context.settings.number("scale") * random.uniform() +
                 (method == "better" ? 1 + 0.01 * random.uniform() : 0);
  if (method == "helps" || method == "idle" || method == "falters") {
    Random noise(seed_of({"toy", "noise", method, std::to_string(context.record.cell.seed)}));
    score += 0.05 * ((method == "idle" ? 0 : 1.5) + noise.normal());
  }
  context.record.metrics = {{"score", score, "", records::Direction::HigherIsBetter, "toy score"}};
  context.store.write_curves(context.record.cell,
                             {{"loss", method == "long_curves" ? std::vector<double>(2000, 0.1)
                                                               : std::vector<double>{3, 2, 1}}});
}

Report report(const Settings&) {
  reports::Table table{.id = "scores",
                       .title = "Scores",
                       .caption = "What the toys score.",
                       .corner = "method",
                       .columns = {"score"}};
  for (const std::string method : {"good", "better"}) {
    table.rows.push_back(method);
    table.entries.push_back({reports::Entry{"main", "toys", method, "score"}});
  }
  return {.tables = {table}, .figures = {}, .galleries = {}, .notes = {"A toy."}};
}

}  // namespace

Study toy() {
  return {.name = "toy",
          .title = "A study for tests",
          .document = "None",
          .version = 1,
          .profiles = {{"smoke", smoke}, {"slow", smoke}},
          .claims = claims,
          .published = "",
          .sample = sample,
          .plan = plan,
          .run = run_cell,
          .report = report,
          .external = {.tables = tables_for_others}};
}

const std::vector<Study>& test_studies() {
  static const std::vector<Study> all = {toy(),      prernn(),  dynamic_face(),
                                         langevin(), mocogan(), unit()};
  return all;
}

RunRequest toy_request(const std::filesystem::path& results, const std::string& methods) {
  RunRequest request;
  request.set = {"methods=" + methods};
  request.results = results;
  request.device = "cpu";
  request.jobs = 1;
  request.progress = nullptr;
  return request;
}

int starts(const std::filesystem::path& results, const std::string& cell) {
  const auto file = results / "cells" / cell / "starts";
  return std::filesystem::exists(file) ? static_cast<int>(std::filesystem::file_size(file)) : 0;
}

}  // namespace reprise::reproduce
