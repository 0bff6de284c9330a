#include "experiments/study.h"

#include "experiments/names.h"

namespace reprise::reproduce {

void add_search(PlannedCell& planned, const Search& search) {
  const auto trials = trial_cells(search);
  planned.needs.insert(planned.needs.end(), trials.begin(), trials.end());
  planned.search = search;
}

std::set<std::string> own_methods(const Study& study) {
  std::set<std::string> names;
  if (!study.methods) return names;
  for (const auto& method : study.methods())
    if (method.info.role != training::Role::Guest) names.insert(method.info.id);
  names.insert(study.other_names.begin(), study.other_names.end());
  return names;
}

std::vector<std::string> guests(const Study& study) {
  std::vector<std::string> ids;
  if (!study.methods) return ids;
  for (const auto& method : study.methods())
    if (method.info.role == training::Role::Guest) ids.push_back(method.info.id);
  return ids;
}

void run_table(const Runs& runs, const std::string& table, CellContext& context) {
  const auto found = runs.find(table);
  if (found == runs.end()) {
    std::vector<std::string> known;
    for (const auto& [name, run] : runs) known.push_back(name);
    throw unknown("table", table, known);
  }
  found->second(context);
}

const Study& study_named(const std::vector<Study>& studies, const std::string& name) { return find_named(studies, "study", name); }

std::vector<std::string> study_names(const std::vector<Study>& studies) {
  std::vector<std::string> names;
  for (const auto& study : studies) names.push_back(study.name);
  return names;
}

std::vector<std::string> studies_with_outside_methods(const std::vector<Study>& studies) {
  std::vector<std::string> names;
  for (const auto& study : studies)
    if (study.outside.plan) names.push_back(study.name);
  return names;
}

}  // namespace reprise::reproduce
