// All that a report needs to know of a study, beside its records.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reports/describe.h"
#include "reports/rerun.h"

namespace reprise::reports {

struct StudyView {
  std::string name, title, document, profile;
  std::string_view claims = {}, published = {}, findings = {};  ///< texts of claims.toml, published.toml and findings.toml
  /// false: networks of seconds, which show that the way works and judge nothing. Such a page has no verdicts.
  bool evidence = true;
  std::string evidence_page = {};  ///< of a page that is none: link to the study's committed one; "" where none is near
  std::vector<Table> tables = {};
  std::vector<std::string> your_tables = {};  ///< ids of tables with methods that are the user's: they open the page
  std::vector<std::string> your_notes = {};   ///< how these methods compare with the study's
  std::vector<Figure> figures = {};
  std::vector<Gallery> galleries = {};
  std::vector<std::string> notes = {};  ///< paragraphs
  /// What `run` must be told beside study, profile and cells, each word quoted for a shell: "--data DIR".
  std::string run_flags = {};
  std::set<std::string> own_methods = {};  ///< that claims may speak of (records/claims.h)
  std::map<std::string, std::string> method_titles = {};
  std::map<std::string, std::string> settings = {};  ///< of the run, as text
  std::set<std::string> bounds = {};                 ///< methods that know more than a method may
  std::optional<Rerun> rerun = {};                   ///< cells that were re-run on the reader's machine; nothing on a committed page
};

/// ./reprise run NAME --profile P [FLAGS] --only 'TABLE/*', once for each of the tables that the cells belong to, then ./reprise report of
/// the folder that they run in. The same words wherever the records lie and from wherever the page is drawn, so that a copy gives the same
/// page.
std::vector<std::string> commands(const StudyView& view, const Table& table);
std::vector<std::string> commands(const StudyView& view, const Figure& figure);
std::vector<std::string> commands(const StudyView& view, const Gallery& gallery);
}  // namespace reprise::reports
