#include "reproduce/dynamic_face/study.h"
#include "reproduce/langevin/study.h"
#include "reproduce/names.h"
#include "reproduce/prernn/study.h"
#include "reproduce/study.h"

namespace reprise::reproduce {

const std::vector<Study>& studies() {
  static const std::vector<Study> all = {
      prernn(),
      dynamic_face(),
      langevin(),
  };
  return all;
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

}  // namespace reprise::reproduce
