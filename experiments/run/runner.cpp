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
#include "records/environment.h"
#include "records/trial.h"

namespace reprise::reproduce {
namespace {

using Clock = std::chrono::steady_clock;
using records::Status;

/// Present code and data of a run.
struct Present {
  const Study& study;
  const DataFolder data;
};

/// Prefix of a reason that --keep overrides.
constexpr std::string_view outdated = "outdated, ";

/// Reason of a finished cell to run again though nothing of its own changed.
constexpr auto needs_a_change = "in need of a cell that runs again";
constexpr auto chosen_otherwise = "of other hyperparameters than a wider search chose";

/// Explains why a finished cell is stale; "" if it is up to date.
std::string change_since(const records::Record& record, const PlannedCell& planned,
                         const Present& present) {
  if (record.options->value("method.sha256", "") != (planned.file ? planned.file->sha256 : ""))
    return "of another file of their method";
  if (const auto& study = present.study; record.version != study.version)
    return fmt::format("{}made by version {} of {} (it is at version {} now)", outdated,
                       record.version, study.name, study.version);
  for (const auto& [name, hash] : record.data)
    if (present.data.hash(name) != hash)
      return fmt::format("{}made of other data ({})", outdated, name);
  return "";
}

/// The plan beside what the results folder holds: an entry per cell.
struct Survey {
  std::vector<Standing> standing;
  std::vector<std::optional<std::filesystem::file_time_type>> written;
  std::vector<double> seconds;      ///< that a finished cell took
  std::vector<std::string> reason;  ///< a finished cell no longer stands; "" for the others
};

bool is_redone(const RunRequest& request, const records::Cell& cell) {
  return std::ranges::any_of(
      request.redo, [&](const std::string& glob) { return matches_glob(cell.id(), glob); });
}

/// Reason of a finished cell to run again, and whether --keep overrides it.
struct Reason {
  std::string reason;
  bool kept = false;
};
Reason reason_to_run(const records::Record& record, const PlannedCell& planned,
                     const RunRequest& request, const Present& present) {
  auto reason = change_since(record, planned, present);
  if (is_redone(request, record.cell)) reason = "named by --redo";
  return {reason, request.keep && reason.starts_with(outdated)};
}

/// The search of a cell, where it may get more trials than the settings list; nullptr: none, or one
/// that cannot choose.
const SearchResult* widened_search(const PlannedCell& planned, const SearchResults& searches) {
  if (!planned.search || planned.search->widen == 0) return nullptr;
  const auto found = searches.find(planned.search->trials);
  return found == searches.end() ? nullptr : &found->second;
}

/// Follows the searches of a plan by the trials that are up to date, and adds those that they need.
SearchResults follow_searches(std::vector<PlannedCell>& plan, const RunRequest& request,
                              const records::Store& store, const Present& present) {
  return widen_searches(plan, [&](const PlannedCell& planned, const records::Cell& cell) {
    auto record = store.find(cell);
    if (!record || record->status != Status::Done) return std::optional<records::Record>();
    const auto [reason, kept] = reason_to_run(*record, planned, request, present);
    return reason.empty() || kept ? record : std::nullopt;
  });
}

/// Surveys the cells that take part in the run; the others count as missing.
Survey survey(const std::vector<PlannedCell>& plan, const std::vector<bool>& part,
              const RunRequest& request, const records::Store& store, const Present& present,
              const SearchResults& searches) {
  Survey found;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    found.written.push_back(part[i] ? record_time(store, plan[i].cell) : std::nullopt);
    if (!part[i]) {
      found.standing.push_back(Standing::Missing);
      found.seconds.push_back(0);
      found.reason.emplace_back();
      continue;
    }
    const auto record = store.find(plan[i].cell);
    const bool finished = record && record->status == Status::Done;
    found.seconds.push_back(finished ? records::total_seconds(*record) : 0);
    auto [reason, kept] = finished ? reason_to_run(*record, plan[i], request, present) : Reason{};
    if (const auto* result = widened_search(plan[i], searches);
        finished && reason.empty() && result != nullptr)
      if (!made_with(*record, *plan[i].search, *result)) reason = chosen_otherwise;
    // A trial has done its part when it is measured: nothing needs its files.
    const bool emptied = store.is_packed(plan[i].cell) && !records::is_trial(plan[i].cell);
    found.standing.push_back(!finished                  ? Standing::Missing
                             : !reason.empty() && !kept ? Standing::Stale
                             : emptied                  ? Standing::Emptied
                                                        : Standing::Done);
    found.reason.push_back(std::move(reason));
  }
  return found;
}

std::string note_of_change(const std::string& reason, std::size_t cells, bool keep) {
  const auto which =
      std::to_string(cells) + (cells == 1 ? " finished cell is " : " finished cells are ") + reason;
  if (!reason.starts_with(outdated)) return which + ": run again";
  return which + (keep ? " and kept, as --keep says; the page tells versions apart"
                       : ": run again; --keep would keep them");
}

/// All cells; of a run that is `alone`, the chosen ones and those they need: what it does not touch
/// is not read.
std::vector<bool> with_part(const std::vector<PlannedCell>& plan, const std::vector<bool>& chosen,
                            bool alone) {
  if (!alone) return std::vector<bool>(plan.size(), true);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (chosen[i])
      for (const auto& need : plan[i].needs) ids.insert(need.id());
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
    throw Error("cells that are needed are not done: " + first_few(missing, 5), "run these first");
}

std::size_t count_emptied(const std::vector<PlannedCell>& plan,
                          const std::vector<Standing>& standing,
                          const std::set<records::Cell>& running) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < plan.size(); ++i)
    count += standing[i] == Standing::Emptied && running.contains(plan[i].cell) ? 1 : 0;
  return count;
}

/// Which searches have their best trial at an edge of a list; "" where none has.
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

/// Chooses the trials of a search, too.
void choose_trials(const Search& search, const Grid& grid, const std::vector<PlannedCell>& plan,
                   std::vector<bool>& chosen) {
  const auto cells = trial_cells(search, grid);
  const std::set<records::Cell> trials(cells.begin(), cells.end());
  for (std::size_t i = 0; i < plan.size(); ++i)
    chosen[i] = chosen[i] || trials.contains(plan[i].cell);
}

/// A run, looked over before its first cell starts.
struct Prepared {
  RunDescription description;
  std::unique_ptr<FolderLock> lock;  ///< nothing in a dry run
  records::Store store;
  std::vector<PlannedCell> plan;
  std::vector<bool> chosen;
  std::vector<Step> steps;
  std::set<std::string> packed;  ///< cells of packed records that run again
  /// Reason finished cells no longer stand, and how many.
  std::map<std::string, std::size_t> changed;
  SearchResults searches;
  /// Finished cells whose search goes on: the next round says whether they stand.
  std::vector<std::string> searched;
  RunResult result;  ///< notes, and cells that are skipped
};

std::vector<PlannedCell> planned_cells(const std::vector<Step>& steps) {
  std::vector<PlannedCell> cells;
  for (const auto& step : steps) cells.push_back(step.planned);
  return cells;
}

/// Cells that failed in the earlier rounds of a run, and reason.
using Failures = std::map<std::string, std::string>;

/// `failed`: of a later round of a run, which asks for what the rounds before have left; nullptr
/// for the first one.
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
  // Searches may append trials to this plan below.
  run.plan = study.plan(seeds.settings, request.data);
  if (!request.alone) expect_same_run(results, run.description, run.plan, request.from.has_value());
  const auto& plan = run.plan;
  const auto external = add_external(study, request, seeds, run.plan, notes);
  if (!request.alone) expect_seconds(study, seeds.settings, results, run.plan);
  const Present present{study, request.data};
  if (!request.alone || widen_setting(seeds.settings) > 0)
    run.searches = follow_searches(run.plan, request, run.store, present);
  run.chosen = chosen_cells(plan, request.only, seeds.chosen);
  const auto& chosen = run.chosen;
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (const auto* search = widened_search(plan[i], run.searches);
        chosen[i] && search != nullptr && search->missing)
      choose_trials(*plan[i].search, search->grid, plan, run.chosen);
  if (!request.alone && failed == nullptr) expect_chosen(external, request, chosen);
  // Before the folder is made.
  if (!request.dry_run && !std::filesystem::exists(results))
    require_present(planned_cells(steps_to_run(
                        plan, chosen, std::vector<Standing>(plan.size(), Standing::Missing))),
                    request.data);
  if (!request.dry_run) {
    run.lock = std::make_unique<FolderLock>(results);
    remove_leftovers(results);
    remove_stale(request.external, plan, chosen, run.store, notes);
  }
  const auto found = survey(plan, with_part(plan, chosen, request.alone), request, run.store,
                            present, run.searches);
  run.steps = steps_to_run(plan, chosen, found.standing);
  if (request.alone) expect_needs_done(run.steps, plan, chosen);
  if (!request.dry_run) require_present(planned_cells(run.steps), request.data);
  if (auto missing = missing_text(planned_cells(run.steps), request.data); !missing.empty())
    notes.push_back(std::move(missing));
  std::map<std::string, std::optional<std::filesystem::file_time_type>> written;
  for (std::size_t i = 0; i < plan.size(); ++i) written[plan[i].cell.id()] = found.written[i];
  std::set<records::Cell> running;
  for (auto& step : run.steps) {
    step.written = written[step.planned.cell.id()];
    const auto* search = widened_search(step.planned, run.searches);
    step.waits_for_trials = search != nullptr && search->missing;
    if (failed != nullptr)
      if (const auto found = failed->find(step.planned.cell.id()); found != failed->end())
        step.failure = found->second;
    running.insert(step.planned.cell);
    if (run.store.is_packed(step.planned.cell)) run.packed.insert(step.planned.cell.id());
  }
  // Needs of chosen cells run again too, and so do up-to-date cells whose needs are not.
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const bool runs = running.contains(plan[i].cell);
    if (runs && found.standing[i] == Standing::Done)
      ++run.changed[needs_a_change];
    else if (!found.reason[i].empty() && (chosen[i] || runs))
      ++run.changed[found.reason[i]];
  }
  for (const auto& [reason, cells] : run.changed)
    notes.push_back(note_of_change(reason, cells, request.keep));
  if (const auto emptied = count_emptied(plan, found.standing, running); emptied > 0)
    notes.push_back(fmt::format(
        "{} of packed records, whose files stayed behind, run again for what needs them", emptied));
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!chosen[i] || running.contains(plan[i].cell)) continue;
    run.result.cells.push_back({plan[i].cell, Outcome::Skipped, "", found.seconds[i]});
    const auto* search = widened_search(plan[i], run.searches);
    if (search != nullptr && search->missing) run.searched.push_back(plan[i].cell.id());
  }
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

/// Runs the steps of a round. Returns what the next round asks for: the cells that wait for trials
/// which only the next plan has, what waits for these, and the finished ones whose search went on.
std::vector<std::string> execute(const Study& study, const RunRequest& request,
                                 Prepared& prepared) {
  auto& result = prepared.result;
  const auto& description = prepared.description;
  write_description(result.results, description);
  prepared.store.unpack(prepared.packed);
  if (request.starts) request.starts(description, prepared.plan);
  if (request.progress)
    for (const auto& [reason, cells] : prepared.changed)
      say(fmt::format("{}: {}\n", study.name, note_of_change(reason, cells, request.keep)),
          request.progress);
  const auto gpu = gpu_model(description.device);
  const auto environment = records::describe_environment(project_folder(), TORCH_VERSION, gpu,
                                                         arithmetic_fingerprint(gpu, 1), 1);
  // Others may take a part from here on. A run that took cells out of packed files is alone: what
  // others have read of these is not so any more.
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
  round.starts = nullptr;
  std::set<std::string> redo = cells_to_redo(request, prepared.store);
  Failures failed;
  RunResult result;
  std::vector<std::string> left;
  if (request.dry_run)
    for (const auto& step : prepared.steps)
      prepared.result.cells.push_back({step.planned.cell, Outcome::Planned, "", step.planned.cost});
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
