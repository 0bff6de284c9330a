#include "reproduce/reporting.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/files.h"
#include "reproduce/results.h"
#include "reproduce/runner.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

/// As commands on the page name the folder: relative to the project; no path of this machine.
std::string shown_folder(const fs::path& results) {
  const fs::path relative = fs::absolute(results).lexically_normal().lexically_relative(project_folder());
  if (relative.empty() || *relative.begin() == "..") return "RESULTS";
  std::string text = relative.generic_string();
  while (text.ends_with('/')) text.pop_back();
  return text;
}

/// What makes `run` do the same again, beside study, profile and cells.
std::string run_flags(const Study& study, const RunDescription& description) {
  RunRequest plain;
  plain.profile = description.profile;
  const json defaults = settings_of(study, plain).all();
  std::string flags = description.data.empty() ? "" : "--data DIR";
  for (const auto& [key, value] : description.settings.items()) {
    if (defaults.contains(key) && defaults[key] == value) continue;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    flags += fmt::format("{}--set '{}={}'", flags.empty() ? "" : " ", key, text);
  }
  return flags;
}

reports::StudyView view_of(const std::vector<Study>& studies, const fs::path& results) {
  const auto description = read_description(results);
  const Study& study = study_named(studies, description.study);
  auto report = study.report(Settings(description.settings));
  return {.name = study.name,
          .title = study.title,
          .document = study.document,
          .profile = description.profile,
          .claims = study.claims,
          .published = study.published,
          .tables = std::move(report.tables),
          .figures = std::move(report.figures),
          .galleries = std::move(report.galleries),
          .notes = std::move(report.notes),
          .results = shown_folder(results),
          .run_flags = run_flags(study, description)};
}

}  // namespace

ReportResult make_report(const std::vector<Study>& studies, const fs::path& results, const fs::path& folder) {
  const auto files = reports::render(view_of(studies, results), cells_in(results));
  reports::write_report(files, folder);
  return {results, folder, folder / "index.html", judged_claims(studies, results), {}};
}

ReportResult check_report_on_disk(const std::vector<Study>& studies, const fs::path& results, const fs::path& folder) {
  const auto files = reports::render(view_of(studies, results), cells_in(results));
  return {results, folder, folder / "index.html", judged_claims(studies, results), reports::check_report(files, folder)};
}

fs::path write_index(const std::vector<Study>& studies, const std::vector<ReportResult>& made, const fs::path& folder) {
  if (made.empty()) return {};
  if (made.size() == 1) return made.front().page;
  std::vector<reports::StudySummary> summaries;
  for (const auto& report : made)
    summaries.push_back(
        reports::summarise(view_of(studies, report.results), cells_in(report.results), report.page.lexically_relative(folder)));
  write_file(folder / "index.html", reports::studies_page(summaries));
  return folder / "index.html";
}

std::vector<records::Judgement> judged_claims(const std::vector<Study>& studies, const fs::path& results) {
  const Study& study = study_named(studies, read_description(results).study);
  return records::judge(study.claims, study.name + "/claims.toml", cells_in(results));
}

json claims_json(const std::vector<records::Judgement>& claims) {
  json list = json::array();
  for (const auto& claim : claims) {
    const bool compared = !claim.comparisons.empty();
    list.push_back({{"id", claim.id},
                    {"says", claim.says},
                    {"verdict", records::verdict_text(claim.verdict)},
                    {"reason", claim.reason},
                    {"effect", compared ? json(claim.effect) : json()},
                    {"interval", compared ? json::array({claim.low, claim.high}) : json()},
                    {"n", claim.n}});
  }
  return list;
}

std::string claims_text(const std::vector<records::Judgement>& claims) {
  std::size_t width = 0;
  for (const auto& claim : claims) width = std::max(width, claim.id.size());
  std::string text;
  for (const auto& claim : claims)
    text += fmt::format("  {:<{}}  {:<15} {}\n  {:<{}}  {:<15} {}\n", claim.id, width, records::verdict_text(claim.verdict), claim.says, "",
                        width, "", claim.reason);
  return text;
}

}  // namespace reprise::reproduce
