#include "experiments/reporting.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "experiments/base_network.h"
#include "experiments/external.h"
#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "experiments/seeds.h"
#include "records/paired.h"
#include "reports/pack.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

/// Returns the options with which `run` repeats the run, without study, profile and cells.
std::string run_flags(const Study& study, const RunDescription& description) {
  RunRequest plain;
  plain.profile = description.base;
  const json defaults = settings_of(study, plain).all();
  // A run with confirmation seeds stores their last one in `seeds`, which is no option of the user.
  const auto confirms = confirmation_seeds(Settings(description.settings));
  std::vector<std::string> flags;
  if (!description.data.empty()) flags.emplace_back("--data DIR");
  for (const auto& [key, value] : description.settings.items()) {
    // A setting that the study no longer has would be refused.
    if (!defaults.contains(key) || defaults[key] == value) continue;
    const std::string text = value.is_string() ? value.get<std::string>() : json_text(value);
    // Confirmation seeds run; exploration seeds run only where these need them.
    if (key == "seeds" && !confirms.empty() && value == confirms.back() + 1)
      flags.push_back("--seeds " + description.settings["confirm.seeds"].get<std::string>());
    else
      flags.push_back("--set " + shell_quote(key + "=" + text));
  }
  return join(flags, " ");
}

/// Compares an external method with all others in a table's first column; "" without a record.
std::string compare_to_others(const std::string& name, const reports::Table& table,
                              const records::Samples& samples) {
  const auto& column = table.entries.at(0).at(0).value();
  auto pairs = records::pair_methods(
      samples, name, [](const std::string&) { return true; },
      [&](const records::Quantity& quantity, const records::Sample&) {
        return quantity.table == column.table && quantity.dataset == column.dataset &&
               quantity.metric == column.metric;
      });
  if (pairs.empty()) return "";
  // Corrected for all pairs of the column together.
  records::compare_pairs(pairs);
  std::map<records::Decision, std::vector<std::string>> others;
  for (const auto& pair : pairs) others[records::decision(pair)].push_back(pair.b);
  std::string text = fmt::format("{}, {} on {}:", name, table.columns.at(0), column.dataset);
  for (const auto& [how, title] :
       {std::pair{records::Decision::ABetter, "better than"},
        {records::Decision::BBetter, "worse than"},
        {records::Decision::NoDifference, "no difference shown to"},
        {records::Decision::OneSeed, "undecided, one seed in common, against"}})
    if (!others[how].empty())
      text += fmt::format(" {} {} ({});", title, others[how].size(), join(others[how], ", "));
  // The last group ends with a semicolon.
  text.back() = '.';
  return text +
         fmt::format(
             " Paired t over seeds, two-sided, Holm over {} comparisons, level 0.05; effects, intervals and the seeds needed: "
             "reprise compare RESULTS --methods {},'*' --table {} --metric {}.",
             pairs.size(), name, column.table, column.metric);
}

/// Opens results and skips damaged files, which make_report() and check_report_on_disk() list.
records::Store open_results(const fs::path& results) {
  return cells_in(results, records::Damage::Skip);
}

/// Removes rows of methods that an earlier row already shows.
void leave_out_repeated(reports::Table& table) {
  std::set<std::string> seen;
  for (std::size_t row = 0; row < table.rows.size();) {
    const auto at = static_cast<std::ptrdiff_t>(row);
    const auto& first = table.entries[row].at(0);
    if (!first || seen.insert(first->method).second) {
      ++row;
      continue;
    }
    table.rows.erase(table.rows.begin() + at);
    table.entries.erase(table.entries.begin() + at);
  }
}

/// Adds tables of external methods and user methods before those of the study. If the results judge
/// claims, notes compare these methods with the others. Returns the notes and the tables' ids.
struct YourMethods {
  std::vector<std::string> tables, notes;
};
YourMethods add_external(const Study& study, const RunDescription& description, bool judged,
                         const fs::path& results, Report& report) {
  if (!study.external.tables) return {};
  const auto records = open_results(results).all();
  auto names = external_names(records);
  for (const auto& method : user_methods(study))
    if (std::any_of(records.begin(), records.end(),
                    [&](const auto& record) { return record.cell.method == method; }))
      names.push_back(method);
  if (names.empty()) return {};
  const auto samples = records::aggregate(records);
  auto tables = external_tables(study, names, Settings(description.settings));
  for (auto& table : tables) leave_out_repeated(table);
  // A method need not have cells for every table.
  // A table without any value of these methods is not shown.
  std::erase_if(tables, [&](const reports::Table& table) {
    const auto& column = table.entries.at(0).at(0).value();
    return std::none_of(samples.begin(), samples.end(), [&](const auto& sample) {
      const auto& [quantity, values] = sample;
      return quantity.table == column.table && quantity.dataset == column.dataset &&
             quantity.metric == column.metric &&
             std::count(names.begin(), names.end(), quantity.method) > 0;
    });
  });
  YourMethods yours;
  for (const auto& table : tables) yours.tables.push_back(table.id);
  if (!judged)
    yours.notes.push_back(
        fmt::format("No verdict on {}: {}.", join(names, ", "), why_not_judged(description)));
  for (const auto& table : tables)
    for (const auto& name : names)
      if (auto text = judged ? compare_to_others(name, table, samples) : ""; !text.empty())
        yours.notes.push_back(std::move(text));
  report.tables.insert(report.tables.begin(), tables.begin(), tables.end());
  return yours;
}

/// Lists which tables each version of the study made; "" where one version made all.
std::string versions_note(const std::vector<records::Record>& records) {
  std::map<int, std::map<std::string, std::size_t>> cells;  // by version and table
  for (const auto& record : records)
    if (record.status == records::Status::Done) ++cells[record.version][record.cell.table];
  // A single version needs no note.
  if (cells.size() < 2) return "";
  std::vector<std::string> parts;
  for (const auto& [version, by_table] : cells) {
    std::vector<std::string> tables;
    for (const auto& [table, count] : by_table)
      tables.push_back(fmt::format("{} ({})", table, count));
    parts.push_back(fmt::format("version {} made {}", version, join(tables, ", ")));
  }
  return fmt::format(
      "Several versions of the study made these results. By table and number of cells: {}.",
      join(parts, "; "));
}

/// "0.65, 0.15, 0.2"
std::string list_text(const json& list) {
  std::vector<std::string> items;
  for (const auto& item : list)
    items.push_back(item.is_string() ? item.get<std::string>() : json_text(item));
  return join(items, ", ");
}

/// From `folder` to the study's committed page, where the folder lies in the project; "" elsewhere.
std::string committed_page(const std::string& study, const fs::path& folder) {
  const fs::path from = fs::absolute(folder).lexically_normal();
  for (fs::path above = from; above.has_relative_path(); above = above.parent_path())
    if (const auto page = above / "results" / study / "index.html"; fs::exists(page))
      return page.lexically_relative(from).generic_string();
  return "";
}

reports::StudyView make_view(const std::vector<Study>& studies, const fs::path& results,
                             const fs::path& folder) {
  const auto description = read_description(results);
  const Study& study = study_named(studies, description.study);
  const bool evidence = judges_claims(studies, description);
  auto report = study.report(Settings(description.settings));
  auto yours = add_external(study, description, evidence, results, report);
  if (auto note = versions_note(open_results(results).all()); !note.empty())
    report.notes.push_back(std::move(note));
  for (auto& note : health_notes(open_results(results).all()))
    report.notes.push_back(std::move(note));
  const auto methods = study.methods ? study.methods() : std::vector<ListedMethod>();
  std::map<std::string, std::string> titles;
  std::set<std::string> bounds;
  for (const auto& method : methods) {
    titles.emplace(method.info.id, method.info.title);
    // A bound, such as an oracle, is no competitor.
    if (method.info.role == training::Role::Bound) bounds.insert(method.info.id);
  }
  std::map<std::string, std::string> settings;
  for (const auto& [key, value] : description.settings.items())
    if (value.is_string())
      settings[key] = value.get<std::string>();
    else
      settings[key] = value.is_array() ? list_text(value) : json_text(value);
  return {.name = study.name,
          .title = study.title,
          .document = study.document,
          .profile = description.profile,
          .claims = study.claims,
          .published = study.published,
          .findings = study.findings,
          .evidence = evidence,
          .evidence_page = evidence ? "" : committed_page(study.name, folder),
          .tables = std::move(report.tables),
          .your_tables = std::move(yours.tables),
          .your_notes = std::move(yours.notes),
          .figures = std::move(report.figures),
          .galleries = std::move(report.galleries),
          .notes = std::move(report.notes),
          .run_flags = run_flags(study, description),
          .own_methods = own_methods(study),
          .method_titles = std::move(titles),
          .settings = std::move(settings),
          .bounds = std::move(bounds),
          .data_notes = std::move(report.data_notes)};
}

}  // namespace

ReportResult make_report(const std::vector<Study>& studies, const fs::path& results,
                         const fs::path& folder, std::optional<reports::Rerun> rerun) {
  auto view = make_view(studies, results, folder);
  view.rerun = rerun;
  const auto store = open_results(results);
  auto claims = reports::judge_claims(view, store);
  reports::write_report(reports::render(view, store, claims), folder,
                        {.study = view.name, .profile = view.profile, .results = results});
  auto stale = reports::stale_findings(view, store, claims);
  return {.results = results,
          .folder = folder,
          .page = folder / "index.html",
          .evidence = view.evidence,
          .claims = std::move(claims),
          .stale = std::move(stale),
          .differences = {},
          .unreadable = store.skipped_files(),
          .rerun = std::move(rerun)};
}

ReportResult check_report_on_disk(const std::vector<Study>& studies, const fs::path& results,
                                  const fs::path& folder) {
  const auto view = make_view(studies, results, folder);
  const auto store = open_results(results);
  auto claims = reports::judge_claims(view, store);
  auto stale = reports::stale_findings(view, store, claims);
  auto differences = reports::check_report(reports::render(view, store, claims), folder);
  return {.results = results,
          .folder = folder,
          .page = folder / "index.html",
          .evidence = view.evidence,
          .claims = std::move(claims),
          .stale = std::move(stale),
          .differences = std::move(differences),
          .unreadable = store.skipped_files()};
}

ReportResult pack_results(const std::vector<Study>& studies, const fs::path& results,
                          const fs::path& folder) {
  const auto view = make_view(studies, results, folder);
  const auto store = cells_in(results);
  reports::write_packed(view, store, folder);
  auto claims = reports::judge_claims(view, store);
  auto stale = reports::stale_findings(view, store, claims);
  return {.results = results,
          .folder = folder,
          .page = folder / "index.html",
          .evidence = view.evidence,
          .claims = std::move(claims),
          .stale = std::move(stale),
          .differences = {},
          .unreadable = {}};
}

std::string index_page(const std::vector<Study>& studies, const std::vector<ReportResult>& made,
                       const fs::path& folder) {
  std::vector<reports::StudySummary> summaries;
  for (const auto& report : made) {
    auto view = make_view(studies, report.results, folder);
    view.rerun = report.rerun;
    summaries.push_back(reports::summarise(view, open_results(report.results),
                                           report.page.lexically_relative(folder), report.claims));
    summaries.back().evidence_page = view.evidence_page;
  }
  // In the order of the studies, whatever the order of the given folders.
  std::ranges::stable_sort(summaries, {}, [&](const reports::StudySummary& summary) {
    return std::ranges::find(studies, summary.name, &Study::name) - studies.begin();
  });
  return reports::studies_page(summaries);
}

fs::path write_index(const std::vector<Study>& studies, const std::vector<ReportResult>& made,
                     const fs::path& folder) {
  if (made.empty()) return {};
  if (made.size() == 1) return made.front().page;
  reports::write_report({{"index.html", index_page(studies, made, folder)}}, folder,
                        {.results = folder});
  return folder / "index.html";
}

}  // namespace reprise::reproduce
