#include "experiments/study.h"

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "experiments/names.h"

namespace reprise::reproduce {
namespace {

/// The texts of what the cells lack, each once.
std::vector<std::string> distinct(const std::vector<PlannedCell>& cells,
                                  std::string Missing::*text) {
  std::vector<std::string> texts;
  for (const auto& planned : cells)
    for (const auto& missing : planned.missing)
      if (!(missing.*text).empty() && std::ranges::find(texts, missing.*text) == texts.end())
        texts.push_back(missing.*text);
  return texts;
}

}  // namespace

void Report::drop_empty() {
  std::erase_if(tables,
                [](const auto& table) { return table.rows.empty() || table.columns.empty(); });
  std::erase_if(figures, [](const auto& figure) { return figure.series.empty(); });
  std::erase_if(galleries, [](const auto& gallery) { return gallery.pictures.empty(); });
}

void add_search(PlannedCell& planned, const Search& search) {
  const auto trials = trial_cells(search);
  planned.needs.insert(planned.needs.end(), trials.begin(), trials.end());
  planned.search = search;
}

std::set<std::string> own_methods(const Study& study) {
  std::set<std::string> names;
  if (!study.methods) return names;
  for (const auto& method : study.methods())
    // Claims are about the study's methods, not about those that a user registered.
    if (method.info.role != training::Role::User) names.insert(method.info.id);
  names.insert(study.other_names.begin(), study.other_names.end());
  return names;
}

std::vector<std::string> user_methods(const Study& study) {
  std::vector<std::string> ids;
  if (!study.methods) return ids;
  for (const auto& method : study.methods())
    if (method.info.role == training::Role::User) ids.push_back(method.info.id);
  return ids;
}

std::function<void(CellContext&)> run_by_table(Runs runs, RunCell run_external) {
  return [runs = std::move(runs), run_external](CellContext& context) {
    // A cell with a file is of an external method.
    if (run_external && !context.method_file.empty()) return run_external(context);
    const auto& cell = context.record.cell;
    std::vector<std::string> known;
    for (const auto& [pattern, run] : runs) {
      // A pattern with a slash also selects the data set.
      const bool with_dataset = pattern.find('/') != std::string::npos;
      if (matches_glob(with_dataset ? cell.table + "/" + cell.dataset : cell.table, pattern))
        return run(context);
      known.push_back(pattern);
    }
    throw unknown("table of " + cell.study, cell.table, known);
  };
}

const Study& study_named(const std::vector<Study>& studies, const std::string& name) {
  return find_named(studies, "study", name);
}

std::vector<std::string> study_names(const std::vector<Study>& studies) {
  std::vector<std::string> names;
  for (const auto& study : studies) names.push_back(study.name);
  return names;
}

std::string missing_text(const std::vector<PlannedCell>& cells, const DataFolder& data) {
  const auto what = distinct(cells, &Missing::what);
  return what.empty() ? ""
                      : "this run needs what is missing below --data " + data.text() + ": " +
                            join(what, "; ");
}

void require_present(const std::vector<PlannedCell>& cells, const DataFolder& data) {
  const auto missing = missing_text(cells, data);
  if (missing.empty()) return;
  // How to do without the missing data, as the studies state it.
  const auto instead = distinct(cells, &Missing::instead);
  throw UsageError(
      missing,
      "provide it (--data DIR is the folder that holds data sets), or choose other cells with --only" +
          (instead.empty() ? "" : ", or do without: " + join(instead, "; ")) +
          "; --dry-run shows the plan all the same");
}

}  // namespace reprise::reproduce
