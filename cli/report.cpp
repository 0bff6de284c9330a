#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "cli/cli.h"
#include "core/error.h"
#include "core/files.h"
#include "experiments/reporting.h"
#include "experiments/run/results.h"
#include "records/tidy.h"

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
  fs::path results, out, pack;
  bool check = false;
  bool all_below = false;  ///< RESULTS is a folder of results folders
};

/// Returns whether `folder` holds results folders and is not one itself.
bool holds_results(const fs::path& folder) {
  return !fs::exists(folder / "run.json") && !results_below(folder).empty();
}

/// Packs, checks or writes the report of one results folder, as the options say.
ReportResult make_or_check_report(const Call& call, const fs::path& results,
                                  const Options& options) {
  if (!options.pack.empty()) return pack_results(call.studies, results, options.pack);
  const fs::path folder = options.out.empty() ? results : options.out;
  report_growth(results);
  return options.check ? check_report_on_disk(call.studies, results, folder)
                       : make_report(call.studies, results, folder);
}

/// Returns one folder's part of the answer as an object, and appends it to `text`.
json describe_report(Call& call, const ReportResult& result, const Options& options,
                     std::string& text) {
  const auto& results = result.results;
  json answer = {{"results", results.string()},
                 {"page", result.page.string()},
                 {"claims", result.evidence ? claims_json(result.claims) : json::array()},
                 {"not_borne_out", result.stale},
                 {"unreadable", unreadable_json(result.unreadable)}};
  // Also without --check: a page must not be committed with a sentence that its records contradict.
  if (!result.stale.empty()) call.status = check_failed;
  text += results.string() + "\n" + unreadable_text(result.unreadable) + verdicts_text(result);
  if (!options.check) {
    text += "  page: " + result.page.string() + "\n";
    return answer;
  }
  answer["differences"] = json::array();
  for (const auto& difference : result.differences) {
    answer["differences"].push_back(
        {{"file", difference.file.string()}, {"how", kind_text(difference.kind)}});
    text += fmt::format("  {}: {}\n", kind_text(difference.kind), difference.file.string());
  }
  if (result.differences.empty()) text += "  the files on disk agree with the records\n";
  if (!result.differences.empty() || !result.unreadable.empty()) call.status = check_failed;
  return answer;
}

/// Writes the index page of a folder of results folders, or compares it with the file on disk.
void update_index(Call& call, const std::vector<ReportResult>& made, const fs::path& folder,
                  bool check, std::string& text) {
  if (!check) {
    text += "index page: " + write_index(call.studies, made, folder).string() + "\n";
    return;
  }
  const auto file = folder / "index.html";
  const bool same = fs::exists(file) && read_file(file) == index_page(call.studies, made, folder);
  text += same ? "the index page agrees with the records\n" : "  differs: " + file.string() + "\n";
  if (!same) call.status = check_failed;
}

}  // namespace

void add_report(CLI::App& app, Call& call) {
  auto* verb =
      add_command(app, "report",
                  "Write the tables, figures and pages of a results folder. Tables: Markdown, CSV, "
                  "LaTeX. Figures: SVG, PDF, CSV.",
                  "reprise report runs/prernn/smoke\nreprise report results/prernn --check");
  const auto options = std::make_shared<Options>();
  verb->add_option("RESULTS", options->results,
                   "results folder, or a folder that contains several; an index page is then added "
                   "(default: all below runs/)");
  auto* out = add_output(
      *verb, "--out", options->out,
      "folder of the report: new, empty or of an earlier report (default: RESULTS). Files "
      "of the earlier report are replaced or deleted, other files stay");
  auto* check = verb->add_flag(
      "--check", options->check,
      "compare the files on disk with the records and write nothing. Exit status 1: a file "
      "differs");
  add_output(*verb, "--pack", options->pack,
             "folder to commit: the report, and its records as one JSON-lines file per table")
      ->excludes(out)
      ->excludes(check);
  verb->callback([options, &call] {
    // RESULTS is one results folder, or a folder of several; without it all runs are meant.
    options->all_below = !options->results.empty() && holds_results(options->results);
    const bool one = !options->results.empty() && !options->all_below;
    const fs::path above = options->results.empty() ? project_folder() / "runs" : options->results;
    const std::vector<fs::path> folders =
        one ? std::vector<fs::path>{options->results} : results_below(above);
    if (folders.empty())
      throw UsageError("there are no results to report below " + above.string(),
                       "run a study first: reprise run STUDY");
    // Several reports in one folder would replace each other.
    if (folders.size() > 1 && !(options->out.empty() && options->pack.empty()))
      throw UsageError("--out and --pack are for one results folder, and there are " +
                           std::to_string(folders.size()),
                       "name the folder to report");
    std::string text;
    json answers = json::array();
    std::vector<ReportResult> made;
    for (const auto& folder : folders) {
      made.push_back(make_or_check_report(call, folder, *options));
      answers.push_back(describe_report(call, made.back(), *options, text));
    }
    if (options->all_below) update_index(call, made, options->results, options->check, text);
    call.answer({{"reports", answers}}, text);
  });
}

}  // namespace reprise::reproduce
