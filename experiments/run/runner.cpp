#include "experiments/run/runner.h"

#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "core/say.h"
#include "core/text.h"
#include "experiments/arithmetic.h"
#include "experiments/run/device.h"
#include "experiments/run/execution.h"
#include "experiments/run/expected_seconds.h"
#include "experiments/run/external_cells.h"
#include "experiments/run/survey.h"
#include "records/environment.h"
#include "records/trial.h"

namespace reprise::reproduce {
namespace {

using Clock = std::chrono::steady_clock;
using records::Status;

/// Marks the cells whose records are read: all of them. A run that is `alone` reads only the chosen
/// cells and those they need.
std::vector<bool> with_part(const std::vector<PlannedCell>& plan, const std::vector<bool>& chosen,
                            bool alone) {
  if (!alone) return std::vector<bool>(plan.size(), true);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (chosen[i])
      for (const auto& need : plan[i].needs) ids.insert(need.id());
  // Direct needs are enough: their own needs are not read.
  auto part = chosen;
  for (std::size_t i = 0; i < plan.size(); ++i)
    part[i] = part[i] || ids.contains(plan[i].cell.id());
  return part;
}

void expect_needs_done(const std::vector<Step>& steps, const std::vector<PlannedCell>& plan,
                       const std::vector<bool>& chosen) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (chosen[i]) ids.insert(plan[i].cell.id());
  std::vector<std::string> missing;
  for (const auto& step : steps)
    if (!ids.contains(step.planned.cell.id())) missing.push_back(step.planned.cell.id());
  if (!missing.empty())
    throw Error("needed cells are not done: " + first_few(missing, 5), "run these first");
}

std::size_t count_emptied(const std::vector<PlannedCell>& plan,
                          const std::vector<Standing>& standing,
                          const std::set<records::Cell>& running) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < plan.size(); ++i)
    count += standing[i] == Standing::Emptied && running.contains(plan[i].cell) ? 1 : 0;
  return count;
}

/// Note on searches whose best trial lies at an edge of a list; "" if there is none.
std::string edge_note(const SearchResults& searches) {
  std::vector<std::string> edges;
  for (const auto& [trials, result] : searches)
    if (!result.edges.empty())
      edges.push_back(fmt::format("{}/{}/{} ({})", trials.table, trials.dataset, trials.method,
                                  join(result.edges, ", ")));
  if (edges.empty()) return "";
  const auto all = std::count_if(searches.begin(), searches.end(),
                                 [](const auto& search) { return !search.second.grid.empty(); });
  return fmt::format(
      "{} of {} searches have their best trial at an edge of a list, and better ones may lie beyond it: {}",
      edges.size(), all, join(edges, "; "));
}

/// Marks the trials of a search as chosen.
void choose_trials(const Search& search, const Grid& grid, const std::vector<PlannedCell>& plan,
                   std::vector<bool>& chosen) {
  const auto cells = trial_cells(search, grid);
  const std::set<records::Cell> trials(cells.begin(), cells.end());
  for (std::size_t i = 0; i < plan.size(); ++i)
    chosen[i] = chosen[i] || trials.contains(plan[i].cell);
}

/// A run before its first cell starts.
struct Prepared {
  RunDescription description;
  std::unique_ptr<FolderLock> lock;  ///< nothing in a dry run
  records::Store store;
  std::vector<PlannedCell> plan;
  std::vector<bool> chosen;
  std::vector<Step> steps;
  std::set<std::string> packed;  ///< cells of packed records that run again
  /// Reasons for which finished cells run again, and how many cells have each.
  std::map<std::string, std::size_t> changed;
  SearchResults searches;
  /// Finished cells whose search continues: the next round decides whether they are up to date.
  std::vector<std::string> searched;
  RunResult result;  ///< notes, and cells that are skipped
};

std::vector<PlannedCell> planned_cells(const std::vector<Step>& steps) {
  std::vector<PlannedCell> cells;
  for (const auto& step : steps) cells.push_back(step.planned);
  return cells;
}

/// Errors of the cells that failed in earlier rounds of a run, by id.
using Failures = std::map<std::string, std::string>;

/// Adds to each step what the survey found out: the time of its record, whether it waits for
/// trials, and its failure in an earlier round. Returns the cells of the steps.
std::set<records::Cell> complete_steps(const Survey& found, const Failures* failed, Prepared& run) {
  // The survey follows the order of the plan, steps have their own.
  std::map<std::string, std::optional<std::filesystem::file_time_type>> written;
  for (std::size_t i = 0; i < run.plan.size(); ++i)
    written[run.plan[i].cell.id()] = found.written[i];
  std::set<records::Cell> running;
  for (auto& step : run.steps) {
    const auto& cell = step.planned.cell;
    step.written = written[cell.id()];
    const auto* search = widened_search(step.planned, run.searches);
    step.waits_for_trials = search != nullptr && search->missing;
    // A cell that failed in an earlier round does not run again in this run.
    if (failed != nullptr)
      if (const auto failure = failed->find(cell.id()); failure != failed->end())
        step.failure = failure->second;
    running.insert(cell);
    if (run.store.is_packed(cell)) run.packed.insert(cell.id());
  }
  return running;
}

/// Counts and notes why finished cells run again.
void note_changes(const Survey& found, const std::set<records::Cell>& running, bool keep,
                  Prepared& run) {
  // Needs of chosen cells run again too, and so do up-to-date cells whose needs are not.
  for (std::size_t i = 0; i < run.plan.size(); ++i) {
    const bool runs = running.contains(run.plan[i].cell);
    if (runs && found.standing[i] == Standing::Done)
      ++run.changed[needs_a_change];
    else if (!found.reason[i].empty() && (run.chosen[i] || runs))
      ++run.changed[found.reason[i]];
  }
  auto& notes = run.result.notes;
  for (const auto& [reason, cells] : run.changed)
    notes.push_back(note_of_change(reason, cells, keep));
  if (const auto emptied = count_emptied(run.plan, found.standing, running); emptied > 0)
    notes.push_back(fmt::format(
        "{} packed cells run again, because other cells need their files, which are not packed",
        emptied));
}

/// Lists the chosen cells that do not run, and those of them whose search continues.
void list_skipped(const Survey& found, const std::set<records::Cell>& running, Prepared& run) {
  for (std::size_t i = 0; i < run.plan.size(); ++i) {
    if (!run.chosen[i] || running.contains(run.plan[i].cell)) continue;
    run.result.cells.push_back({.cell = run.plan[i].cell,
                                .outcome = Outcome::Skipped,
                                .error = "",
                                .seconds = found.seconds[i]});
    const auto* search = widened_search(run.plan[i], run.searches);
    if (search != nullptr && search->missing) run.searched.push_back(run.plan[i].cell.id());
  }
}

/// Marks the cells that the request names. A cell whose search misses trials needs these too.
void choose_cells(const RunRequest& request, const std::vector<std::int64_t>& seeds,
                  Prepared& run) {
  run.chosen = chosen_cells(run.plan, request.only, seeds);
  for (std::size_t i = 0; i < run.plan.size(); ++i)
    if (const auto* search = widened_search(run.plan[i], run.searches);
        run.chosen[i] && search != nullptr && search->missing)
      choose_trials(*run.plan[i].search, search->grid, run.plan, run.chosen);
}

/// Prepares a round. `failed`: cells that failed in earlier rounds; nullptr in the first round.
Prepared prepare(const Study& study, const RunRequest& request, const Failures* failed = nullptr) {
  const auto results = results_folder(study, request);
  Prepared run{.description = describe(study, request),
               .lock = {},
               .store = cells_in(results),
               .plan = {},
               .chosen = {},
               .steps = {},
               .packed = {},
               .changed = {},
               .searches = {},
               .searched = {},
               .result = {}};
  auto& notes = run.result.notes;
  run.result.results = results;
  const auto seeds = planned_seeds(Settings(run.description.settings), request);
  // All cells of the study. External methods and widened searches append theirs below.
  run.plan = study.plan(seeds.settings, request.data);
  if (!request.alone) expect_same_run(results, run.description, run.plan, request.from.has_value());
  const auto& plan = run.plan;
  const auto external = add_external(study, request, seeds, run.plan, notes);
  if (!request.alone) expect_seconds(study, seeds.settings, results, run.plan);
  const CodeAndData present{study, request.data};
  if (!request.alone || widen_setting(seeds.settings) > 0)
    run.searches = follow_searches(run.plan, request, run.store, present);
  // After the searches, so that --only can name trials that they added.
  choose_cells(request, seeds.chosen, run);
  const auto& chosen = run.chosen;
  // Later rounds choose only cells that the first one left.
  if (!request.alone && failed == nullptr) expect_chosen(external, request, chosen);
  // Missing data are reported before the results folder is created.
  if (!request.dry_run && !std::filesystem::exists(results))
    require_present(planned_cells(steps_to_run(
                        plan, chosen, std::vector<Standing>(plan.size(), Standing::Missing))),
                    request.data);
  if (!request.dry_run) {
    run.lock = std::make_unique<FolderLock>(results);
    remove_leftovers(results);
    remove_stale(request.external, plan, chosen, run.store, notes);
  }
  // Under the lock: another run could change the records meanwhile.
  const auto found = survey(plan, with_part(plan, chosen, request.alone), request, run.store,
                            present, run.searches);
  run.steps = steps_to_run(plan, chosen, found.standing);
  if (request.alone) expect_needs_done(run.steps, plan, chosen);
  if (!request.dry_run) require_present(planned_cells(run.steps), request.data);
  if (auto missing = missing_text(planned_cells(run.steps), request.data); !missing.empty())
    notes.push_back(std::move(missing));
  const auto running = complete_steps(found, failed, run);
  note_changes(found, running, request.keep, run);
  list_skipped(found, running, run);
  return run;
}

}  // namespace

std::vector<Step> list_steps(const Study& study, RunRequest request) {
  request.dry_run = true;
  auto steps = prepare(study, request).steps;
  require_present(planned_cells(steps), request.data);
  return steps;
}

namespace {

/// Runs the steps of a round. Returns the cells of the next round: those that wait for trials of
/// the next plan, their dependents, and finished cells whose search continues.
std::vector<std::string> execute(const Study& study, const RunRequest& request,
                                 Prepared& prepared) {
  auto& result = prepared.result;
  const auto& description = prepared.description;
  // run.json comes first: without it a folder is no results folder.
  write_description(result.results, description);
  // A cell may not be both packed and below cells/.
  prepared.store.unpack(prepared.packed);
  if (request.starts) request.starts(description, prepared.plan);
  if (request.progress)
    for (const auto& [reason, cells] : prepared.changed)
      say(fmt::format("{}: {}\n", study.name, note_of_change(reason, cells, request.keep)),
          request.progress);
  const auto gpu = gpu_model(description.device);
  const auto environment = records::describe_environment(project_folder(), TORCH_VERSION, gpu,
                                                         arithmetic_fingerprint(gpu, 1), 1);
  // From here on other runs may take cells of the same folder. A run that changed packed files
  // keeps the lock, because what others had read of these files is stale.
  if (prepared.packed.empty()) prepared.lock.reset();
  const auto waits = [](const Step& step) { return step.waits_for_trials; };
  const bool goes_on = !prepared.searched.empty() ||
                       std::any_of(prepared.steps.begin(), prepared.steps.end(), waits);
  Execution execution(request, description, study.version, environment, prepared.store,
                      std::move(prepared.steps));
  result.interrupted = !execution.execute();
  prepared.lock.reset();
  auto left = prepared.searched;
  bool progress = false;
  for (const auto& cell : execution.cells()) {
    result.cells.push_back(cell);
    if (cell.outcome == Outcome::Planned) left.push_back(cell.cell.id());
    progress = progress || cell.outcome == Outcome::Done || cell.outcome == Outcome::Skipped;
  }
  // Without progress another round would find the same cells again.
  if (!goes_on || result.interrupted || !progress) left.clear();
  return left;
}

/// Finished cells that --redo names. They run again once, in whichever round has them: a widened
/// search plans some of them in a later one.
std::set<std::string> cells_to_redo(const RunRequest& request, const records::Store& store) {
  std::set<std::string> ids;
  if (request.redo.empty()) return ids;
  for (const auto& record : store.all())
    if (record.status == Status::Done && is_redone(request, record.cell))
      ids.insert(record.cell.id());
  return ids;
}

/// Adds what a later round did. What an earlier round ran counts as done before in a later one.
void add_round(const RunResult& more, RunResult& result) {
  // One result per cell, whatever the number of rounds.
  std::map<records::Cell, CellResult> cells;
  for (auto& cell : result.cells) cells.emplace(cell.cell, std::move(cell));
  for (const auto& cell : more.cells)
    if (const auto [known, fresh] = cells.try_emplace(cell.cell, cell);
        !fresh && known->second.outcome != Outcome::Done)
      known->second = cell;
  result.cells.clear();
  for (auto& [cell, outcome] : cells) result.cells.push_back(std::move(outcome));
  for (const auto& note : more.notes)
    if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end())
      result.notes.push_back(note);
  result.interrupted = more.interrupted;
}

}  // namespace

RunResult run(const Study& study, const RunRequest& request) {
  const auto start = Clock::now();
  auto prepared = prepare(study, request);
  auto round = request;
  // Comparisons are registered once, before the first cell of the run.
  round.starts = nullptr;
  // --redo means once: cells leave this list when a round has run them.
  std::set<std::string> redo = cells_to_redo(request, prepared.store);
  Failures failed;
  RunResult result;
  std::vector<std::string> left;
  if (request.dry_run)
    for (const auto& step : prepared.steps)
      prepared.result.cells.push_back({.cell = step.planned.cell,
                                       .outcome = Outcome::Planned,
                                       .error = "",
                                       .seconds = step.planned.cost});
  else
    left = execute(study, request, prepared);
  result = prepared.result;
  // A search that widens its grid plans its next trials by those that have finished.
  for (;;) {
    for (const auto& cell : prepared.result.cells) {
      if (cell.outcome == Outcome::Planned) continue;
      redo.erase(cell.cell.id());
      if (cell.outcome == Outcome::Failed) failed.emplace(cell.cell.id(), cell.error);
    }
    round.redo.assign(redo.begin(), redo.end());
    if (left.empty()) break;
    round.only = left;
    prepared = prepare(study, round, &failed);
    left = execute(study, round, prepared);
    add_round(prepared.result, result);
  }
  if (!request.alone)
    if (auto note = edge_note(
            follow_searches(prepared.plan, round, cells_in(result.results), {study, request.data}));
        !note.empty())
      result.notes.push_back(std::move(note));
  std::sort(result.cells.begin(), result.cells.end(),
            [](const CellResult& a, const CellResult& b) { return a.cell < b.cell; });
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace reprise::reproduce
