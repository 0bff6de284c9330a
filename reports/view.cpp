#include "reports/view.h"

#include "core/text.h"

namespace reprise::reports {
namespace {

std::vector<std::string> run_commands(const StudyView& view, const std::set<std::string>& tables) {
  std::vector<std::string> out;
  for (const auto& table : tables)
    out.push_back("./reprise run " + shell_quoted(view.name) + " --profile " +
                  shell_quoted(view.profile) +
                  (view.run_flags.empty() ? "" : " " + view.run_flags) + " --only " +
                  shell_quoted(table + "/*"));
  out.push_back("./reprise report " + shell_quoted("runs/" + view.name + "/" + view.profile));
  return out;
}

}  // namespace

std::vector<std::string> commands(const StudyView& view, const Table& table) {
  std::set<std::string> tables;
  for (const auto& row : table.entries)
    for (const auto& entry : row)
      if (entry) tables.insert(entry->table);
  return run_commands(view, tables);
}

std::vector<std::string> commands(const StudyView& view, const Figure& figure) {
  std::set<std::string> tables;
  for (const auto& series : figure.series) tables.insert(series.table);
  return run_commands(view, tables);
}

std::vector<std::string> commands(const StudyView& view, const Gallery& gallery) {
  std::set<std::string> tables;
  for (const auto& picture : gallery.pictures) tables.insert(picture.table);
  return run_commands(view, tables);
}

}  // namespace reprise::reports
