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
  bool all_below = false;  ///< RESULTS holds results folders, and is none itself
};

bool holds_results(const fs::path& folder) {
  return !fs::exists(folder / "run.json") && !results_below(folder).empty();
}

ReportResult reported(const Call& call, const fs::path& results, const Options& options) {
  if (!options.pack.empty()) return pack_results(call.studies, results, options.pack);
  const fs::path folder = options.out.empty() ? results : options.out;
  say_growth(results);
  return options.check ? check_report_on_disk(call.studies, results, folder)
                       : make_report(call.studies, results, folder);
}

/// The report of one folder as part of the answer; adds what it says to `text`.
json answer_of(Call& call, const ReportResult& result, const Options& options, std::string& text) {
  const auto& results = result.results;
  json answer = {{"results", results.string()},
                 {"page", result.page.string()},
                 {"claims", result.evidence ? claims_json(result.claims) : json::array()},
                 {"not_borne_out", result.stale},
                 {"unreadable", unreadable_json(result.unreadable)}};
  if (!result.stale.empty()) call.status = judged_and_failed;
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
  if (result.differences.empty()) text += "  what is on disk is what the records give\n";
  if (!result.differences.empty() || !result.unreadable.empty()) call.status = judged_and_failed;
  return answer;
}

/// The page over all results folders of one folder: written, or compared with what is there.
void index_of(Call& call, const std::vector<ReportResult>& made, const fs::path& folder, bool check,
              std::string& text) {
  if (!check) {
    text += "page over all: " + write_index(call.studies, made, folder).string() + "\n";
    return;
  }
  const auto file = folder / "index.html";
  const bool same = fs::exists(file) && read_file(file) == index_page(call.studies, made, folder);
  text +=
      same ? "the page over all is what the records give\n" : "  differs: " + file.string() + "\n";
  if (!same) call.status = judged_and_failed;
}

}  // namespace

void add_report(CLI::App& app, Call& call) {
  auto* verb = add_verb(
      app, "report",
      "Write tables, figures and the pages of a results folder. Tables: Markdown, CSV, LaTeX. Figures: SVG, PDF, CSV.",
      "reprise report runs/prernn/smoke\nreprise report results/prernn --check");
  const auto options = std::make_shared<Options>();
  verb->add_option(
      "RESULTS", options->results,
      "a results folder, or a folder of several, which gets a page over all of them (default: every one below results/)");
  auto* out = add_output(
      *verb, "--out", options->out,
      "folder of the report, new, empty or of an earlier report: what that one wrote is replaced or deleted, "
      "and nothing else (default: the results folder itself)");
  auto* check =
      verb->add_flag("--check", options->check,
                     "write nothing; exit 1 if what is on disk differs from what the records give");
  add_output(
      *verb, "--pack", options->pack,
      "write what is to be committed into this folder: the report, and its records in one JSON-lines file a table")
      ->excludes(out)
      ->excludes(check);
  verb->callback([options, &call] {
    const bool one =
        !options->results.empty() && !(options->all_below = holds_results(options->results));
    const fs::path above = options->results.empty() ? project_folder() / "runs" : options->results;
    const std::vector<fs::path> folders =
        one ? std::vector<fs::path>{options->results} : results_below(above);
    if (folders.empty())
      throw UsageError("there are no results to report below " + above.string(),
                       "run a study first: reprise run STUDY");
    if (folders.size() > 1 && !(options->out.empty() && options->pack.empty()))
      throw UsageError("--out and --pack are for one results folder, and there are " +
                           std::to_string(folders.size()),
                       "name the folder to report");
    std::string text;
    json answers = json::array();
    std::vector<ReportResult> made;
    for (const auto& folder : folders) {
      made.push_back(reported(call, folder, *options));
      answers.push_back(answer_of(call, made.back(), *options, text));
    }
    if (options->all_below) index_of(call, made, options->results, options->check, text);
    call.answer({{"reports", answers}}, text);
  });
}

}  // namespace reprise::reproduce
