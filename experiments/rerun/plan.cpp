#include "experiments/rerun/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "core/error.h"
#include "experiments/rerun/sample.h"
#include "experiments/run/request.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using Place = std::pair<std::size_t, std::string>;  // a study's position and a cell's id

/// Committed settings on top of those of the profile, which may have gained settings since.
Settings settings_of_committed(const Study& study, const RunDescription& description) {
  RunRequest plain;
  plain.profile = description.base;
  const auto known = [&](const auto& profile) { return profile.first == description.base; };
  Settings settings = std::any_of(study.profiles.begin(), study.profiles.end(), known)
                          ? settings_of(study, plain)
                          : Settings();
  settings.lay_over_stored(description.settings, "run.json");
  return settings;
}

/// The committed settings with as many seeds as there are records of: exploration and confirmation
/// seeds together.
Settings planned_settings(const Committed& committed) {
  auto seeds = committed.settings.integer("seeds");
  for (const auto& [id, record] : committed.records) seeds = std::max(seeds, record->cell.seed + 1);
  // The plan must contain every committed seed.
  auto settings = committed.settings;
  settings.set(fmt::format("seeds={}", seeds));
  return settings;
}

/// Tasks by study and cell.
class TaskIndex {
 public:
  explicit TaskIndex(const std::vector<RerunTask>& tasks) {
    for (std::size_t i = 0; i < tasks.size(); ++i) add(tasks[i], i);
  }
  void add(const RerunTask& task, std::size_t position) {
    positions_[{task.study, task.cell}] = position;
  }
  std::optional<std::size_t> find(std::size_t study, const std::string& cell) const {
    const auto found = positions_.find({study, cell});
    return found == positions_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<Place, std::size_t> positions_;
};

bool starts_from(const RerunTask& task, const std::string& cell) {
  return std::find(task.checkpoint.begin(), task.checkpoint.end(), cell) != task.checkpoint.end();
}

void find_needs(const Committed& committed, const TaskIndex& positions, RerunTask& task) {
  for (const auto& need : committed.all_needs(task.cell))
    if (const auto position = positions.find(task.study, need);
        position && !starts_from(task, need))
      task.needs.push_back(*position);
}

/// Whether the data that the cell read is in `data`, with the same content.
bool has_data(const records::Record& record, const DataFolder& data) {
  return std::all_of(record.data.begin(), record.data.end(),
                     [&](const auto& read) { return data.hash(read.first) == read.second; });
}

/// A cell beyond the samples, with the cells that must run before it.
struct Candidate {
  std::size_t study = 0;
  std::string cell;
  std::vector<std::string> before = {};  ///< each behind its own needs
  std::vector<std::string> checkpoint = {};
  double seconds = 0;  ///< of all of these
};

std::optional<Candidate> make_candidate(const std::vector<Committed>& all, std::size_t study,
                                        const std::string& cell, const TaskIndex& positions,
                                        const DataFolder& data) {
  const auto& committed = all[study];
  Candidate candidate{.study = study, .cell = cell};
  auto needs = committed.all_needs(cell);
  needs.push_back(cell);
  for (const auto& need : needs) {
    // The need is a task already; it runs in any case.
    if (positions.find(study, need)) continue;
    // A committed checkpoint replaces the run of this need.
    if (need != cell && fs::is_directory(committed.results / "checkpoints" / need)) {
      candidate.checkpoint.push_back(need);
      continue;
    }
    const auto record = committed.records.find(need);
    // Without a record or its data the cell cannot be checked.
    if (record == committed.records.end() || !has_data(*record->second, data)) return std::nullopt;
    candidate.seconds += records::total_seconds(*record->second);
    if (need != cell) candidate.before.push_back(need);
  }
  return candidate;
}

}  // namespace

std::vector<std::string> Committed::all_needs(const std::string& cell) const {
  std::vector<std::string> found;
  std::set<std::string> seen{cell};
  const std::function<void(const std::string&)> collect = [&](const std::string& id) {
    const auto own = needs.find(id);
    if (own == needs.end()) return;
    for (const auto& need : own->second)
      // Depth first, so that each need comes after its own needs.
      if (seen.insert(need).second) {
        collect(need);
        found.push_back(need);
      }
  };
  collect(cell);
  return found;
}

std::string Committed::shown_metric(const records::Cell& cell) const {
  const auto found = shown.find({cell.table, cell.dataset, cell.method});
  return found == shown.end() ? "" : found->second;
}

nlohmann::json Committed::options(const std::string& cell) const {
  auto today = description;
  today.settings = settings.all();
  const auto planned = reads.find(cell);
  auto options =
      today.options(planned == reads.end() ? std::vector<std::string>() : planned->second);
  options.update(*records.at(cell)->options);
  return options;
}

Committed read_committed(const Study& study, const fs::path& results) {
  if (!fs::exists(results / "run.json"))
    throw UsageError(
        fmt::format("there are no committed results of {}: {} has no run.json", study.name,
                    results.string()),
        "run in a checkout of the project, which has them in results, or name their folder with --results; without them: "
        "reprise run " +
            study.name);
  const auto description = read_description(results);
  if (description.study != study.name)
    throw UsageError(fmt::format("{} holds results of {}, expected {}", results.string(),
                                 description.study, study.name),
                     "give the folder that has a folder for each study with --results");
  Committed committed{.study = study,
                      .results = results,
                      .description = description,
                      .settings = settings_of_committed(study, description),
                      .store = cells_in(results),
                      .records = {},
                      .needs = {},
                      .reads = {},
                      .shown = {}};
  for (auto& record : committed.store.shared_all())
    if (record->status == records::Status::Done)
      committed.records.emplace(record->cell.id(), std::move(record));
  // The plan states what a cell needs, whether or not the data are on this machine.
  for (const auto& planned :
       study.plan(planned_settings(committed), DataFolder::assume_complete())) {
    committed.reads[planned.cell.id()] = planned.reads;
    auto& needs = committed.needs[planned.cell.id()];
    for (const auto& need : planned.needs)
      if (!records::is_trial(need)) needs.push_back(need.id());
  }
  for (const auto& table : study.report(committed.settings).tables)
    for (const auto& row : table.entries)
      for (const auto& entry : row)
        if (entry)
          committed.shown.try_emplace({entry->table, entry->dataset, entry->method}, entry->metric);
  return committed;
}

std::vector<RerunTask> sample_tasks(const std::vector<Committed>& committed) {
  std::vector<std::vector<SampleCell>> samples;
  std::size_t longest = 0;
  for (const auto& one : committed) {
    const auto name = one.study.name + "/sample.toml";
    samples.push_back(read_sample(one.study.sample, name));
    longest = std::max(longest, samples.back().size());
    for (const auto& cell : samples.back()) {
      if (!one.records.contains(cell.cell))
        throw UsageError(fmt::format("{} names {}, and {} has no finished record of it", name,
                                     cell.cell, one.results.string()),
                         "name a committed cell: reprise list cells " + one.results.string());
      if (!one.needs.contains(cell.cell))
        throw UsageError(
            fmt::format("{} names {}, which is not in the plan of the committed settings", name,
                        cell.cell),
            "name another cell");
    }
  }
  std::vector<RerunTask> tasks;
  // Study by study in turn, so that a short time limit covers all of them.
  for (std::size_t place = 0; place < longest; ++place)
    for (std::size_t study = 0; study < samples.size(); ++study)
      if (place < samples[study].size()) {
        const auto& cell = samples[study][place];
        tasks.push_back({.study = study,
                         .cell = cell.cell,
                         .seconds = cell.seconds,
                         .checkpoint = cell.checkpoint});
      }
  const TaskIndex positions(tasks);
  for (auto& task : tasks) find_needs(committed[task.study], positions, task);
  return tasks;
}

std::size_t add_further_tasks(const std::vector<Committed>& committed, const DataFolder& data,
                              std::vector<RerunTask>& tasks) {
  TaskIndex positions(tasks);
  std::vector<Candidate> candidates;
  std::size_t without_data = 0;
  for (std::size_t study = 0; study < committed.size(); ++study)
    for (const auto& [cell, record] : committed[study].records) {
      // A cell that is no longer planned cannot run.
      if (positions.find(study, cell) || !committed[study].needs.contains(cell)) continue;
      if (auto candidate = make_candidate(committed, study, cell, positions, data))
        candidates.push_back(std::move(*candidate));
      else
        ++without_data;
    }
  // The cheapest first: the time then suffices for most cells.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; });
  const auto add = [&](std::size_t study, const std::string& cell,
                       const std::vector<std::string>& checkpoint) {
    if (positions.find(study, cell)) return;
    RerunTask task{.study = study,
                   .cell = cell,
                   .seconds = records::total_seconds(*committed[study].records.at(cell)),
                   .checkpoint = checkpoint};
    find_needs(committed[study], positions, task);
    positions.add(task, tasks.size());
    tasks.push_back(std::move(task));
  };
  for (const auto& candidate : candidates) {
    for (const auto& before : candidate.before) add(candidate.study, before, candidate.checkpoint);
    add(candidate.study, candidate.cell, candidate.checkpoint);
  }
  return without_data;
}

}  // namespace reprise::reproduce
