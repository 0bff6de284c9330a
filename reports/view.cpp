#include "reports/view.h"

#include "core/text.h"

namespace reprise::reports {
namespace {

/// Lists the commands that run the cells of these tables and draw the page.
std::vector<std::string> run_commands(const StudyView& view, const std::set<std::string>& tables) {
  std::vector<std::string> out;
  for (const auto& table : tables)
    out.push_back("./reprise run " + shell_quote(view.name) + " --profile " +
                  shell_quote(view.profile) + (view.run_flags.empty() ? "" : " " + view.run_flags) +
                  " --only " + shell_quote(table + "/*"));
  // The default folder of a run, so that the command works in any checkout.
  out.push_back("./reprise report " + shell_quote("runs/" + view.name + "/" + view.profile));
  return out;
}

}  // namespace

std::vector<std::string> commands_for(const StudyView& view, const Table& table) {
  std::set<std::string> tables;
  for (const auto& row : table.entries)
    for (const auto& entry : row)
      if (entry) tables.insert(entry->table);
  return run_commands(view, tables);
}

std::vector<std::string> commands_for(const StudyView& view, const Figure& figure) {
  std::set<std::string> tables;
  for (const auto& series : figure.series) tables.insert(series.table);
  return run_commands(view, tables);
}

std::vector<std::string> commands_for(const StudyView& view, const Gallery& gallery) {
  std::set<std::string> tables;
  for (const auto& picture : gallery.pictures) tables.insert(picture.table);
  return run_commands(view, tables);
}

}  // namespace reprise::reports
