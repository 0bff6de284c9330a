#include "experiments/run/external_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/text.h"
#include "experiments/external.h"
#include "records/external.h"
#include "records/trial.h"

namespace reprise::reproduce {

std::vector<ExternalCells> add_external(const Study& study, const RunRequest& request,
                                        const PlannedSeeds& planned_seeds,
                                        std::vector<PlannedCell>& plan,
                                        std::vector<std::string>& notes) {
  const auto& settings = planned_seeds.settings;
  if (!request.external.empty() && !study.external.tables)
    throw UsageError("study " + study.name + " takes no external methods",
                     "leave out --method-file and --predictions");
  std::set<std::string> names;
  for (const auto& planned : plan) names.insert(records::base_method(planned.cell.method));
  std::vector<ExternalCells> added;
  for (auto method : request.external) {
    // A dry run must not execute the code of a stranger's file.
    method.call = !request.dry_run;
    if (!planned_seeds.chosen.empty()) method.first_seed = planned_seeds.chosen.front();
    if (request.dry_run && method.kind == ExternalMethod::Kind::TorchScript)
      notes.push_back("a dry run calls nothing in the file of " + method.name +
                      ": tables whose shapes it does not fit are listed too");
    // The name alone distinguishes the records of methods.
    if (!names.insert(method.name).second)
      throw UsageError("the name " + method.name + " belongs to another method",
                       "choose another name before the '='");
    const auto cells = plan_external(study, method, settings, request.data, request.only);
    std::set<std::int64_t> seeds;
    std::set<std::string> file_notes;
    for (const auto& planned : cells) {
      seeds.insert(planned.cell.seed);
      if (planned.file)
        for (const auto& note : planned.file->notes) file_notes.insert(method.name + ": " + note);
    }
    notes.insert(notes.end(), file_notes.begin(), file_notes.end());
    if (const auto all = settings.integer("seeds");
        !cells.empty() && static_cast<std::int64_t>(seeds.size()) < all)
      notes.push_back(method.name + " has " + std::to_string(seeds.size()) + " of " +
                      std::to_string(all) + " seeds; tables mark it so");
    added.push_back({.name = method.name, .first = plan.size(), .end = plan.size() + cells.size()});
    plan.insert(plan.end(), cells.begin(), cells.end());
  }
  return added;
}

void expect_chosen(const std::vector<ExternalCells>& external, const RunRequest& request,
                   const std::vector<bool>& chosen) {
  for (const auto& method : external)
    if (std::none_of(chosen.begin() + static_cast<std::ptrdiff_t>(method.first),
                     chosen.begin() + static_cast<std::ptrdiff_t>(method.end),
                     [](bool is_chosen) { return is_chosen; }))
      throw UsageError(
          fmt::format("no cell of method {} is among those of --only {}{}", method.name,
                      join(request.only, " --only "), request.seeds ? " and --seeds" : ""),
          fmt::format("add --only '*/*/{}/*', or leave out the file of {}", method.name,
                      method.name));
}

void remove_stale(const std::vector<ExternalMethod>& external, const std::vector<PlannedCell>& plan,
                  const std::vector<bool>& chosen, const records::Store& store,
                  std::vector<std::string>& notes) {
  if (external.empty()) return;
  const auto row = [](const records::Cell& cell) {
    return std::tuple(cell.table, cell.dataset, records::base_method(cell.method));
  };
  std::map<std::string, std::string> planned_by;  // cell -> SHA-256
  std::map<std::tuple<std::string, std::string, std::string>, MethodFile> chosen_rows;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i].file) continue;
    planned_by[plan[i].cell.id()] = plan[i].file->sha256;
    if (!chosen[i]) continue;
    chosen_rows.emplace(row(plan[i].cell), *plan[i].file);
    if (plan[i].search) chosen_rows.emplace(row(plan[i].search->trials), *plan[i].file);
  }
  std::map<std::string, int> removed;
  std::set<std::string> gone;
  for (const auto& record : store.all()) {
    const auto chosen_row = chosen_rows.find(row(record.cell));
    if (!records::is_external(record) || chosen_row == chosen_rows.end()) continue;
    const auto& file = chosen_row->second;
    const auto planned = planned_by.find(record.cell.id());
    // Predictions have a file per seed. A seed without a file in this run keeps its record.
    if (planned == planned_by.end() && file.kind == ExternalMethod::Kind::Predictions &&
        record.options->value("method.kind", "") == "predictions")
      continue;
    if (record.options->value("method.sha256", "") ==
        (planned == planned_by.end() ? file.sha256 : planned->second))
      continue;
    // Tables must not mix results of two files under one name.
    std::filesystem::remove_all(store.folder(record.cell));
    gone.insert(record.cell.id());
    ++removed[records::base_method(record.cell.method)];
  }
  store.unpack(gone);
  for (const auto& [name, count] : removed)
    notes.push_back(name + ": " + std::to_string(count) + " records of another file were removed");
}

}  // namespace reprise::reproduce
