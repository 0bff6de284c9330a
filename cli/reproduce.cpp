// `reprise reproduce`, the main command: renders every page from the committed records, then
// re-runs committed cells on this machine and compares them with their records.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "cli/cli.h"
#include "cli/run_summary.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/say.h"
#include "core/text.h"
#include "experiments/reporting.h"
#include "experiments/rerun/rerun.h"
#include "reports/rerun.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr double default_minutes = 3;  // about the time of the samples on two cores
constexpr int default_jobs = 2;

struct ReproduceOptions {
  std::vector<std::string> studies;
  fs::path results, data, out;
  double minutes = default_minutes;
  int jobs = default_jobs;
};

/// Formats a number of studies: "five studies", "one study".
std::string studies_text(std::size_t count) {
  constexpr std::array words{"no",  "one",   "two",   "three", "four", "five",
                             "six", "seven", "eight", "nine",  "ten"};
  const std::string number = count < words.size() ? words.at(count) : std::to_string(count);
  return number + (count == 1 ? " study" : " studies");
}

std::string cells_text(std::size_t count) {
  return fmt::format("{} cell{}", count, count == 1 ? "" : "s");
}

/// Formats the value here and the committed one with "=", "~" (within 1e-6 or the spread of seeds)
/// or "!=" between. Both have enough digits to tell them apart.
std::string values_text(const Comparison& comparison) {
  constexpr int fewest_digits = 4;
  constexpr int all_digits = 17;  // they tell any two doubles apart
  const double measured = comparison.measured;
  const double committed = comparison.committed;
  if (measured == committed)
    return fmt::format("{0} {1:.{2}g} = {1:.{2}g}", comparison.metric, measured, fewest_digits);
  const bool agrees = comparison.agreement != Agreement::Differs &&
                      comparison.agreement != Agreement::NotComparable;
  const char* sign = agrees ? "~" : "!=";
  int digits = fewest_digits;
  while (digits < all_digits &&
         fmt::format("{:.{}g}", measured, digits) == fmt::format("{:.{}g}", committed, digits))
    ++digits;
  return fmt::format("{} {:.{}g} {} {:.{}g}", comparison.metric, measured, digits, sign, committed,
                     digits);
}

/// Returns how a cell was re-run.
std::string how_text(const RerunOutcome& outcome) {
  if (outcome.from_checkpoint) return "re-evaluated from its checkpoint";
  return outcome.trained ? "re-trained" : "re-computed";
}

/// Formats the outcome of a cell:
/// "prernn  gestures_fc/gestures/pre_lstm_fc6/seed8  auc 0.73 = 0.73  equal  (12 s)".
std::string outcome_line(const RerunOutcome& outcome) {
  const auto begin = fmt::format("{:<12}  {}  ", outcome.cell.study, outcome.cell.id());
  if (!outcome.error.empty()) return begin + "failed: " + outcome.error + "\n";
  const auto& comparison = outcome.comparison;
  const auto values = comparison.metric.empty() ? "no metric; counts" : values_text(comparison);
  const auto checkpoint = outcome.from_checkpoint ? ", from its checkpoint" : "";
  const auto reason = comparison.agreement == Agreement::Equal ? "" : ": " + comparison.reason;
  return fmt::format("{}{}  {}{}  ({}{})\n", begin, values, agreement_text(comparison.agreement),
                     reason, duration_text(outcome.seconds), checkpoint);
}

/// Counts the outcomes: "28 equal, 1 within the spread of seeds".
std::string counts_text(const RerunResult& result) {
  std::vector<std::string> parts;
  for (const auto agreement :
       {Agreement::Equal, Agreement::WithinTolerance, Agreement::WithinSpread,
        Agreement::NotComparable, Agreement::Differs})
    if (const auto cells = count(result, agreement); cells > 0) {
      // The one verdict that is a verb: "1 differs", "2 differ".
      const bool plural = agreement == Agreement::Differs && cells > 1;
      parts.push_back(fmt::format("{} {}", cells, plural ? "differ" : agreement_text(agreement)));
    }
  if (const auto failed = count_failed(result); failed > 0)
    parts.push_back(fmt::format("{} failed", failed));
  return join(parts, ", ");
}

/// Summarises all re-run cells in one sentence.
std::string summary_text(const RerunResult& result, std::size_t studies) {
  const auto text =
      fmt::format("{} of {} {} re-run on this machine in {}", cells_text(result.cells.size()),
                  studies_text(studies), result.cells.size() == 1 ? "was" : "were",
                  duration_text(result.seconds));
  return result.cells.empty() ? text : text + ": " + counts_text(result);
}

/// Counts the studies with a re-run cell.
std::size_t count_studies(const RerunResult& result) {
  std::set<std::string> studies;
  for (const auto& outcome : result.cells) studies.insert(outcome.cell.study);
  return studies.size();
}

/// Collects the re-run cells of a study for its page. `total` is the summary over all studies.
reports::Rerun make_page_marks(const RerunResult& result, const std::string& study,
                               const std::string& total) {
  RerunResult study_result;
  for (const auto& outcome : result.cells)
    if (outcome.cell.study == study) study_result.cells.push_back(outcome);
  const auto cells = study_result.cells.size();
  std::string summary = "No cell of this study was re-run on this machine";
  if (cells > 0)
    summary = fmt::format("{} of this study {} re-run on this machine: {}", cells_text(cells),
                          cells == 1 ? "was" : "were", counts_text(study_result));
  reports::Rerun rerun{.summary = summary, .total = total, .cells = {}};
  for (const auto& outcome : study_result.cells) {
    // A failed cell has no value to mark; the summary counts it.
    if (!outcome.error.empty()) continue;
    const auto& comparison = outcome.comparison;
    rerun.cells.push_back({.table = outcome.cell.table,
                           .dataset = outcome.cell.dataset,
                           .method = outcome.cell.method,
                           .seed = outcome.cell.seed,
                           .metric = comparison.metric,
                           .measured = comparison.measured,
                           .committed = comparison.committed,
                           .equal = comparison.agreement == Agreement::Equal,
                           .agrees = comparison.agreement != Agreement::Differs &&
                                     comparison.agreement != Agreement::NotComparable,
                           .from_checkpoint = outcome.from_checkpoint});
  }
  return rerun;
}

/// Converts a number to JSON; null if it is not finite.
json number_json(double value) { return std::isfinite(value) ? json(value) : json(); }

json to_json(const RerunOutcome& outcome) {
  const auto& cell = outcome.cell;
  const auto& comparison = outcome.comparison;
  json object = {
      {"study", cell.study},
      {"table", cell.table},
      {"dataset", cell.dataset},
      {"method", cell.method},
      {"seed", cell.seed},
      {"verdict", outcome.error.empty() ? agreement_text(comparison.agreement) : "failed"},
      {"seconds", outcome.seconds},
      {"committed_seconds", outcome.committed_seconds}};
  if (!outcome.error.empty()) {
    object["error"] = outcome.error;
    return object;
  }
  object["how"] = how_text(outcome);
  if (!comparison.metric.empty()) {
    object["metric"] = comparison.metric;
    object["unit"] = comparison.unit;
    object["measured"] = number_json(comparison.measured);
    object["committed"] = number_json(comparison.committed);
  }
  object["reason"] = comparison.reason;
  return object;
}

/// Result of the first step: page files that differ from the rendering of the records, and
/// sentences that the records contradict.
struct PagesCheck {
  std::vector<std::string> different;
  double seconds = 0;
};

/// Renders every page of the committed results again and compares the bytes. `is_whole`: `names`
/// are all studies with results, so that the index page can be compared too.
PagesCheck check_pages(const Call& call, const std::vector<std::string>& names, bool is_whole,
                       const fs::path& results) {
  const auto start = Clock::now();
  PagesCheck check;
  std::vector<ReportResult> reports;
  for (const auto& name : names) {
    reports.push_back(check_report_on_disk(call.studies, results / name, results / name));
    for (const auto& difference : reports.back().differences)
      check.different.push_back((fs::path(name) / difference.file).string());
    for (const auto& sentence : reports.back().stale)
      check.different.push_back(name + ": not borne out: " + sentence);
    for (const auto& error : reports.back().unreadable)
      check.different.push_back(name + ": " + error.problem());
  }
  // With some studies only, the index page would lack the others.
  const auto index = results / "index.html";
  if (fs::exists(index) && is_whole &&
      read_file(index) != index_page(call.studies, reports, results))
    check.different.emplace_back("index.html");
  check.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return check;
}

/// Describes the result of the first step.
std::string pages_text(const PagesCheck& check, std::size_t studies, const fs::path& results) {
  const auto what = fmt::format("pages of {} in {}, rendered from their records",
                                studies_text(studies), results.string());
  if (check.different.empty())
    return fmt::format("{}: equal to the committed bytes  ({})\n", what,
                       duration_text(check.seconds));
  return fmt::format("{}: {} files are not the committed ones ({})\n", what, check.different.size(),
                     first_few(check.different));
}

/// Describes the steps of the call and their time; printed before they begin.
std::string plan_text(const std::vector<RerunTask>& tasks, std::size_t samples,
                      const std::vector<std::string>& names, const ReproduceOptions& options) {
  double of_samples = 0;  // seconds on one core
  double of_all = 0;
  std::size_t checkpoints = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    of_all += tasks[i].seconds;
    if (i < samples) of_samples += tasks[i].seconds;
    checkpoints += tasks[i].checkpoint.empty() ? 0 : 1;
  }
  auto text = fmt::format(
      "1. rendering the pages of {} from the records in {} and comparing their bytes: seconds\n",
      studies_text(names.size()), options.results.string());
  text += fmt::format(
      "2. re-running {} of the studies' samples with their committed settings: {} on one core, "
      "{} at a time",
      cells_text(samples), duration_text(of_samples), options.jobs);
  if (const auto further = tasks.size() - samples; further > 0)
    text += fmt::format("; then {} more, the cheapest first: {}", cells_text(further),
                        duration_text(of_all - of_samples));
  if (checkpoints > 0) text += fmt::format("; {} start from committed checkpoints", checkpoints);
  text += fmt::format(". A cell starts only if it would end within {:g} min", options.minutes);
  return text +
         fmt::format(
             "\n3. writing the pages into {}, with a mark at each re-run cell\n"
             "One line per cell: study, table/dataset/method/seed, metric: here = committed (~ if "
             "not the same), verdict\n",
             options.out.string());
}

/// Writes the pages of the studies with the marks of this run, the index page, and rerun.json.
/// Returns the path of the index page.
fs::path write_pages(const Call& call, const std::vector<std::string>& names,
                     const ReproduceOptions& options, const RerunResult& result,
                     const std::string& summary, const json& answer) {
  std::vector<ReportResult> reports;
  for (const auto& name : names)
    reports.push_back(make_report(call.studies, options.results / name, options.out / name,
                                  make_page_marks(result, name, summary)));
  reports::write_report({{"index.html", index_page(call.studies, reports, options.out)}},
                        options.out, {.results = options.out});
  write_file(options.out / "rerun.json", json_text(answer, 1) + "\n");
  return options.out / "index.html";
}

/// Lists the studies with committed results; a new study has none yet. If no study has results, it
/// lists all, so that an error names the first.
std::vector<std::string> studies_with_results(const Call& call, const fs::path& results) {
  auto names = study_names(call.studies);
  const auto lacks = [&](const std::string& name) {
    return !fs::exists(results / name / "run.json");
  };
  if (!std::all_of(names.begin(), names.end(), lacks)) std::erase_if(names, lacks);
  return names;
}

/// Throws a UsageError if a folder of the report holds other files, before any work is done.
void expect_report_folders(const std::vector<std::string>& names, const ReproduceOptions& options) {
  reports::expect_report_folder(options.out, {.results = options.out});
  for (const auto& name : names) {
    const auto description = read_description(options.results / name);
    reports::expect_report_folder(
        options.out / name,
        {.study = name, .profile = description.profile, .results = options.results / name});
  }
}

/// Returns the chosen studies, each once. Throws a UsageError for an unknown one.
std::vector<std::string> choose_studies(const Call& call, const std::vector<std::string>& chosen) {
  std::vector<std::string> names;
  for (const auto& name : chosen)
    if (std::find(names.begin(), names.end(), study_named(call.studies, name).name) == names.end())
      names.push_back(name);
  return names;
}

/// Returns the answer of the call as an object: what ran where, and each cell with both values.
json make_answer(const ReproduceOptions& options, const PagesCheck& pages,
                 const RerunResult& result, std::size_t without_data, const std::string& summary) {
  const auto environment = environment_here("cpu");
  json cells = json::array();
  for (const auto& outcome : result.cells) cells.push_back(to_json(outcome));
  return {{"date", utc_now()},
          {"machine", environment.machine},
          {"arithmetic", environment.arithmetic},
          {"commit", environment.commit},
          {"dirty", environment.dirty},
          {"jobs", options.jobs},
          {"seconds", result.seconds},
          {"pages_differ", pages.different},
          {"cells", cells},
          {"not_started", result.not_started},
          {"without_data", without_data},
          {"summary", summary}};
}

/// Renders and compares the pages, re-runs cells and writes the report, in this order.
void run_reproduce(Call& call, const ReproduceOptions& options) {
  const auto with_results = studies_with_results(call, options.results);
  const auto names = choose_studies(call, options.studies.empty() ? with_results : options.studies);
  sets_in(options.data);  // throws if it is not a folder
  std::vector<Committed> committed;
  for (const auto& name : names)
    committed.push_back(read_committed(study_named(call.studies, name), options.results / name));
  expect_report_folders(names, options);

  // The default time is meant for the samples only; more time adds the other committed cells.
  auto tasks = sample_tasks(committed);
  const auto samples = tasks.size();
  const bool further = options.minutes > default_minutes;
  const auto without_data =
      further ? add_further_tasks(committed, DataFolder(options.data), tasks) : 0;
  say(plan_text(tasks, samples, names, options));
  if (without_data > 0)
    say(fmt::format("{} skipped: their data sets are missing{}\n", cells_text(without_data),
                    options.data.empty() ? "; --data DIR gives them" : ""));

  // Pages first: they take seconds, and a difference shows before the long step.
  const auto pages = check_pages(call, names, names.size() == with_results.size(), options.results);
  say(pages_text(pages, names.size(), options.results));

  RerunRequest request{.jobs = options.jobs, .data = options.data};
  request.minutes = options.minutes;
  const auto result = rerun(committed, tasks, request,
                            [](const RerunOutcome& outcome) { say(outcome_line(outcome)); });
  if (result.interrupted) {
    call.status = failed_while_running;
    say("interrupted; nothing was written\n");
  }

  const auto summary = summary_text(result, count_studies(result));
  json answer = make_answer(options, pages, result, without_data, summary);
  std::string text = summary + "\n";
  if (result.not_started > 0)
    text += fmt::format("{} did not start within the time limit; --minutes N runs more\n",
                        cells_text(result.not_started));
  // Failures again at the end, where they are not missed among many lines.
  for (const auto& outcome : result.cells)
    if (!outcome.error.empty() || outcome.comparison.agreement == Agreement::Differs)
      text += outcome_line(outcome);
  if (!result.interrupted) {
    const auto page = write_pages(call, names, options, result, summary, answer);
    answer["page"] = page.string();
    text += "page: " + page.string() + "\n";
    // A difference outranks a failure: CI must see that a value or a page is another one.
    if (count_failed(result) > 0) call.status = failed_while_running;
    if (count(result, Agreement::Differs) > 0 || !pages.different.empty())
      call.status = check_failed;
  }
  call.answer(answer, text);
}

}  // namespace

void add_reproduce(CLI::App& app, Call& call) {
  auto* verb =
      add_command(app, "reproduce",
                  "Render all pages from their records and re-run a sample of cells. Compares the "
                  "pages and the values with the committed ones. Exit status 1: a page or a value "
                  "differs.",
                  "reprise reproduce\nreprise reproduce prernn,unit --minutes 60");
  const auto options = std::make_shared<ReproduceOptions>();
  verb->add_option("STUDY", options->studies, "studies, comma-separated (default: all)")
      ->delimiter(',');
  verb->add_option(
          "--minutes", options->minutes,
          "time limit for re-running, minutes. Above the default, further committed cells run "
          "after the sample, the cheapest first")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100000.0));
  verb->add_option("--jobs", options->jobs, "worker processes, one thread each")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  verb->add_option("--data", options->data,
                   "folder that holds the data sets, for cells with recorded data");
  verb->add_option("--results", options->results,
                   "folder of the committed results, one subfolder per study (default: results)");
  add_output(*verb, "--out", options->out,
             "folder of the report, one subfolder per study (default: report)");
  verb->callback([options, &call] {
    if (options->results.empty()) options->results = project_folder() / "results";
    if (options->out.empty()) options->out = project_folder() / "report";
    run_reproduce(call, *options);
  });
}

}  // namespace reprise::reproduce
