#include "reproduce/dynamic_face/study.h"
#include "reproduce/langevin/study.h"
#include "reproduce/mocogan/study.h"
#include "reproduce/names.h"
#include "reproduce/prernn/study.h"
#include "reproduce/study.h"
#include "reproduce/unit/study.h"

namespace reprise::reproduce {

const std::vector<Study>& studies() {
  static const std::vector<Study> all = {
      prernn(), dynamic_face(), langevin(), mocogan(), unit(),
  };
  return all;
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
