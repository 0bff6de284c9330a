#include "reproduce/runner.h"

#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "core/error.h"
#include "core/text.h"
#include "records/environment.h"
#include "reproduce/device.h"
#include "reproduce/execution.h"
#include "reproduce/names.h"
#include "reproduce/plan.h"
#include "reproduce/results.h"

namespace reprise::reproduce {
namespace {

using Clock = std::chrono::steady_clock;
using records::Status;

/// What was chosen and is done already, beside what runs now.
std::vector<CellResult> skipped(const std::vector<PlannedCell>& plan, const std::string& only, const records::Store& store) {
  std::vector<CellResult> cells;
  for (const auto& planned : plan)
    if (matches_glob(planned.cell.id(), only)) {
      const auto record = store.find(planned.cell);
      if (record && record->status == Status::Done) {
        const auto total = record->seconds.find("total");
        cells.push_back({planned.cell, Outcome::Skipped, "", total == record->seconds.end() ? 0 : total->second});
      }
    }
  return cells;
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
  const auto plan = study.plan(settings, request.data);
  const auto store = cells_in(result.results);
  const auto is_done = [&](const records::Cell& cell) {
    const auto record = store.find(cell);
    return record && record->status == Status::Done;
  };
  std::unique_ptr<FolderLock> lock;
  if (!request.dry_run) lock = std::make_unique<FolderLock>(result.results);
  result.cells = skipped(plan, request.only, store);
  auto steps = steps_to_run(plan, request.only, is_done);
  if (request.dry_run) {
    for (const auto& step : steps) result.cells.push_back({step.planned.cell, Outcome::Planned, "", step.planned.cost});
  } else {
    write_description(result.results, description);
    Execution execution(request, description, records::environment_of(project_folder(), TORCH_VERSION, gpu_model(description.device), 1),
                        store, std::move(steps));
    result.interrupted = !execution.execute();
    result.cells.insert(result.cells.end(), execution.cells().begin(), execution.cells().end());
  }
  std::sort(result.cells.begin(), result.cells.end(), [](const CellResult& a, const CellResult& b) { return a.cell < b.cell; });
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace reprise::reproduce
