// All that a report needs to know of a study, beside its records.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "reports/describe.h"

namespace reprise::reports {

struct StudyView {
  std::string name, title, document, profile;
  std::string_view claims = {}, published = {};  ///< texts of claims.toml and published.toml
  std::vector<Table> tables = {};
  std::vector<Figure> figures = {};
  std::vector<Gallery> galleries = {};
  std::vector<std::string> notes = {};  ///< paragraphs
  /// As the commands printed on the page name it, relative to the project; "" is "results/NAME/PROFILE".
  std::string results = {};
  /// What `run` must be told beside study, profile and cells: "--data DIR".
  std::string run_flags = {};
};

/// ./reprise run NAME --profile P [FLAGS] --only 'TABLE/*', once for each of the tables that the cells belong to.
std::vector<std::string> commands(const StudyView& view, const Table& table);
std::vector<std::string> commands(const StudyView& view, const Figure& figure);
std::vector<std::string> commands(const StudyView& view, const Gallery& gallery);
/// ./reprise report RESULTS
std::string report_command(const StudyView& view);

}  // namespace reprise::reports
