#include "reproduce/run/runner.h"

#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "records/environment.h"
#include "records/outside.h"
#include "reproduce/arithmetic.h"
#include "reproduce/names.h"
#include "reproduce/run/device.h"
#include "reproduce/run/execution.h"
#include "reproduce/run/plan.h"
#include "reproduce/run/results.h"

namespace reprise::reproduce {
namespace {

using Clock = std::chrono::steady_clock;
using records::Status;

/// Done, and by the file that the plan names.
bool is_done(const std::optional<records::Record>& record, const std::string& sha256) {
  return record && record->status == Status::Done && record->options.value("method.sha256", "") == sha256;
}

/// What was chosen and is done already, beside what runs now.
std::vector<CellResult> skipped(const std::vector<PlannedCell>& plan, const std::string& only, const records::Store& store) {
  std::vector<CellResult> cells;
  for (const auto& planned : plan)
    if (matches_glob(planned.cell.id(), only)) {
      const auto record = store.find(planned.cell);
      if (is_done(record, planned.file ? planned.file->sha256 : "")) {
        const auto total = record->seconds.find("total");
        cells.push_back({planned.cell, Outcome::Skipped, "", total == record->seconds.end() ? 0 : total->second});
      }
    }
  return cells;
}

/// A trial of a search is named METHOD+..., and belongs to the method.
std::string method_of(const records::Cell& cell) { return cell.method.substr(0, cell.method.find('+')); }

/// The cells of the methods from outside, appended to the study's own.
void add_outside(const Study& study, const RunRequest& request, const Settings& settings, std::vector<PlannedCell>& plan,
                 std::vector<std::string>& notes) {
  if (!request.outside.empty() && !study.outside.plan)
    throw UsageError("study " + study.name + " takes no methods from outside", "leave out --method-file and --predictions");
  std::set<std::string> names;
  for (const auto& planned : plan) names.insert(method_of(planned.cell));
  for (auto method : request.outside) {
    method.call = !request.dry_run;
    if (request.dry_run && method.kind == OutsideMethod::Kind::TorchScript)
      notes.push_back("a dry run calls nothing in the file of " + method.name + ": tables whose shapes it does not fit are listed too");
    if (!names.insert(method.name).second)
      throw UsageError("the name " + method.name + " belongs to another method", "choose another name before the '='");
    const auto cells = study.outside.plan(method, settings, request.data);
    std::set<std::int64_t> seeds;
    for (const auto& planned : cells) seeds.insert(planned.cell.seed);
    if (const auto all = settings.integer("seeds"); static_cast<std::int64_t>(seeds.size()) < all)
      notes.push_back(method.name + " has " + std::to_string(seeds.size()) + " of " + std::to_string(all) + " seeds; tables mark it so");
    plan.insert(plan.end(), cells.begin(), cells.end());
  }
}

/// Removes records that bear the name of a method of this run and were made by another file.
void remove_stale(const std::vector<OutsideMethod>& outside, const std::vector<PlannedCell>& plan, const records::Store& store,
                  std::vector<std::string>& notes) {
  if (outside.empty()) return;
  std::map<std::string, std::string> planned_by;  // cell -> SHA-256
  std::map<std::string, std::set<std::string>> files_of;
  for (const auto& planned : plan)
    if (planned.file) {
      planned_by[planned.cell.id()] = planned.file->sha256;
      files_of[method_of(planned.cell)].insert(planned.file->sha256);
    }
  std::map<std::string, int> removed;
  for (const auto& record : store.all()) {
    const auto name = method_of(record.cell);
    if (!records::from_outside(record) || !files_of.contains(name)) continue;
    const auto by = record.options.value("method.sha256", "");
    const auto planned = planned_by.find(record.cell.id());
    if (planned == planned_by.end() ? files_of[name].contains(by) : planned->second == by) continue;
    std::filesystem::remove_all(store.folder(record.cell));
    ++removed[name];
  }
  for (const auto& [name, count] : removed) notes.push_back(name + ": " + std::to_string(count) + " records of another file were removed");
}

}  // namespace

Settings settings_of(const Study& study, const RunRequest& request) {
  std::vector<std::string> known;
  for (const auto& [name, text] : study.profiles) {
    known.push_back(name);
    if (name != request.profile) continue;
    Settings settings(text, study.name + "/" + name + ".toml");
    for (const auto& assignment : request.set) settings.set(assignment);
    if (request.seeds) settings.set("seeds=" + std::to_string(*request.seeds));
    return settings;
  }
  throw unknown("profile of " + study.name, request.profile, known);
}

RunResult run(const Study& study, const RunRequest& request) {
  const auto start = Clock::now();
  const Settings settings = settings_of(study, request);
  const RunDescription description{study.name, request.profile, settings.all(), chosen_device(request.device), sets_in(request.data)};
  RunResult result;
  result.results = std::filesystem::absolute(request.results.empty() ? default_results(study.name, request.profile) : request.results);
  expect_same_run(result.results, description);
  auto plan = study.plan(settings, request.data);
  add_outside(study, request, settings, plan, result.notes);
  const auto store = cells_in(result.results);
  std::map<std::string, std::string> file_of;
  for (const auto& planned : plan)
    if (planned.file) file_of[planned.cell.id()] = planned.file->sha256;
  std::unique_ptr<FolderLock> lock;
  if (!request.dry_run) lock = std::make_unique<FolderLock>(result.results);
  if (!request.dry_run) remove_stale(request.outside, plan, store, result.notes);
  result.cells = skipped(plan, request.only, store);
  auto steps = steps_to_run(plan, request.only, [&](const records::Cell& cell) {
    const auto file = file_of.find(cell.id());
    return is_done(store.find(cell), file == file_of.end() ? "" : file->second);
  });
  if (request.dry_run) {
    for (const auto& step : steps) result.cells.push_back({step.planned.cell, Outcome::Planned, "", step.planned.cost});
  } else {
    write_description(result.results, description);
    const auto gpu = gpu_model(description.device);
    const auto environment = records::environment_of(project_folder(), TORCH_VERSION, gpu, arithmetic_fingerprint(gpu, 1), 1);
    Execution execution(request, description, environment, store, std::move(steps));
    result.interrupted = !execution.execute();
    result.cells.insert(result.cells.end(), execution.cells().begin(), execution.cells().end());
  }
  std::sort(result.cells.begin(), result.cells.end(), [](const CellResult& a, const CellResult& b) { return a.cell < b.cell; });
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace reprise::reproduce
