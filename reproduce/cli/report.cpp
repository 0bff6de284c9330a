#include <fmt/format.h>

#include <memory>

#include "core/error.h"
#include "core/files.h"
#include "records/tidy.h"
#include "reproduce/cli/cli.h"
#include "reproduce/reporting.h"
#include "reproduce/run/results.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

std::string kind_text(reports::Difference::Kind kind) {
  switch (kind) {
    case reports::Difference::Kind::Differs:
      return "differs";
    case reports::Difference::Kind::Missing:
      return "missing";
    case reports::Difference::Kind::Extra:
      return "extra";
  }
  return "";
}

struct Options {
  fs::path results, out, pack, csv;
  bool check = false;
};

ReportResult reported(const Call& call, const fs::path& results, const Options& options) {
  if (!options.pack.empty()) return pack_results(call.studies, results, options.pack);
  const fs::path folder = options.out.empty() ? results : options.out;
  return options.check ? check_report_on_disk(call.studies, results, folder) : make_report(call.studies, results, folder);
}

/// The report of one folder as part of the answer; adds what it says to `text`.
json report_one(Call& call, const fs::path& results, const Options& options, std::string& text) {
  const auto result = reported(call, results, options);
  json answer = {{"results", results.string()},
                 {"page", result.page.string()},
                 {"claims", claims_json(result.claims)},
                 {"unreadable", unreadable_json(result.unreadable)}};
  text += results.string() + "\n" + unreadable_text(result.unreadable) + claims_text(result.claims);
  if (!options.check) {
    text += "  page: " + result.page.string() + "\n";
    return answer;
  }
  answer["differences"] = json::array();
  for (const auto& difference : result.differences) {
    answer["differences"].push_back({{"file", difference.file.string()}, {"how", kind_text(difference.kind)}});
    text += fmt::format("  {}: {}\n", kind_text(difference.kind), difference.file.string());
  }
  if (result.differences.empty()) text += "  what is on disk is what the records give\n";
  if (!result.differences.empty() || !result.unreadable.empty()) call.status = judged_and_failed;
  return answer;
}

/// Every value of the folders' records in one table.
void export_values(Call& call, const std::vector<fs::path>& folders, const fs::path& file) {
  std::vector<records::Record> all;
  std::vector<Error> unreadable;
  for (const auto& folder : folders) {
    const auto description = read_description(folder);
    const auto store = cells_in(folder, records::Damage::PassOver);
    for (auto& record : store.all()) {
      if (record.cell.study != description.study || record.profile != description.profile)
        throw UsageError(fmt::format("{}: cell {} is of study {}, profile {}; the folder is of {}, {}", folder.string(), record.cell.id(),
                                     record.cell.study, record.profile, description.study, description.profile),
                         "give each study and profile a results folder of its own");
      all.push_back(std::move(record));
    }
    for (const auto& error : store.passed_over()) unreadable.push_back(error);
  }
  write_file(file, records::tidy_csv(all));
  call.answer({{"csv", file.string()}, {"unreadable", unreadable_json(unreadable)}},
              unreadable_text(unreadable) + fmt::format("every value of {} records: {}\n", all.size(), file.string()));
}

}  // namespace

void add_report(CLI::App& app, Call& call) {
  auto* verb = add_verb(app, call, "report", "Write tables (Markdown, CSV, LaTeX), figures (SVG, PDF) and the page of a results folder.",
                        "reprise report reports/desk/prernn --check");
  const auto options = std::make_shared<Options>();
  verb->add_option("RESULTS", options->results, "a results folder (default: every one below results/)");
  auto* out = verb->add_option("--out", options->out,
                               "folder of the report, new, empty or of an earlier report: what that one wrote is replaced or deleted, "
                               "and nothing else (default: the results folder itself)");
  auto* check = verb->add_flag("--check", options->check, "write nothing; exit 1 if what is on disk differs from what the records give");
  auto* pack =
      verb->add_option("--pack", options->pack,
                       "write what is to be committed into this folder: the report, and its records in one JSON-lines file a table")
          ->excludes(out)
          ->excludes(check);
  verb->add_option("--csv", options->csv, "write no report but this file: every value of every finished cell, a row each (docs/records.md)")
      ->excludes(out)
      ->excludes(check)
      ->excludes(pack);
  verb->callback([options, &call] {
    std::vector<fs::path> folders{options->results};
    if (options->results.empty()) {
      folders = results_below(project_folder() / "results");
      if (folders.empty())
        throw UsageError("there are no results to report below " + (project_folder() / "results").string(),
                         "run a study first: reprise reproduce");
      if (folders.size() > 1 && !(options->out.empty() && options->pack.empty()))
        throw UsageError("--out and --pack are for one results folder, and there are " + std::to_string(folders.size()),
                         "name the folder to report");
    }
    if (!options->csv.empty()) return export_values(call, folders, options->csv);
    std::string text;
    json answers = json::array();
    for (const auto& folder : folders) answers.push_back(report_one(call, folder, *options, text));
    call.answer({{"reports", answers}}, text);
  });
}

}  // namespace reprise::reproduce
