#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "core/say.h"
#include "reproduce/cli/cli.h"
#include "reproduce/cli/run_answer.h"
#include "reproduce/cli/run_options.h"
#include "reproduce/preregistration.h"
#include "reproduce/reporting.h"
#include "reproduce/run/results.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;

std::string plan_text(const RunResult& result) {
  std::string text;
  double cost = 0;
  for (const auto& cell : result.cells) {
    const bool planned = cell.outcome == Outcome::Planned;
    text += fmt::format("{:<8} {:>9} {}\n", planned ? "to run" : "done", duration_text(cell.seconds), cell.cell.id());
    if (planned) cost += cell.seconds;
  }
  for (const auto& note : result.notes) text += "note: " + note + "\n";
  return text +
         fmt::format("{} cells to run, about {} on one core; nothing was written\n", count(result, Outcome::Planned), duration_text(cost));
}

void run_verb(Call& call, const std::string& name, const RunRequest& request) {
  const Study& study = study_named(call.studies, name);
  const RunResult result = run_preregistered(study, request);
  call.status = request.dry_run ? done : status_of(result);
  call.answer(to_json(result, name, request.profile), request.dry_run ? plan_text(result) : summary(result));
  if (result.interrupted) say("interrupted; what is done is kept, networks half trained too: the same command goes on from here\n");
}

void reproduce_verb(Call& call, std::vector<std::string> names, const RunRequest& shared, const std::filesystem::path& out) {
  if (names.empty()) names = study_names(call.studies);
  for (const auto& name : names) study_named(call.studies, name);
  json answers = json::array();
  std::string text;
  std::vector<ReportResult> reports;
  double seconds = 0;
  if (names.size() > 1) reports::expect_report_folder(out, {.results = out});
  for (const auto& name : names) {
    RunRequest request = shared;
    if (!shared.results.empty()) request.results = shared.results / name / shared.profile;
    // Before hours of work.
    reports::expect_report_folder(out / name,
                                  {.study = name,
                                   .profile = shared.profile,
                                   .results = request.results.empty() ? default_results(name, shared.profile) : request.results});
    const RunResult result = run_preregistered(study_named(call.studies, name), request);
    call.status = std::max(call.status, status_of(result));
    seconds += result.seconds;
    text += name + ": " + summary(result);
    json answer = to_json(result, name, shared.profile);
    if (!result.interrupted) {
      reports.push_back(make_report(call.studies, result.results, out / name));
      answer["page"] = reports.back().page.string();
      answer["claims"] = reports.back().evidence ? claims_json(reports.back().claims) : json::array();
      text += verdicts_text(reports.back());
    }
    answers.push_back(answer);
    if (result.interrupted) {
      say("interrupted; what is done is kept: the same command goes on from here\n");
      break;
    }
  }
  const auto index = write_index(call.studies, reports, out);
  text += fmt::format("page: {}\ntotal time: {}\n", index.string(), duration_text(seconds));
  call.answer({{"studies", answers}, {"page", index.string()}, {"seconds", seconds}}, text);
}

}  // namespace

void add_run(CLI::App& app, Call& call) {
  auto* verb =
      add_verb(app, call, "run",
               "Run the cells of a study; what is done already is skipped, what failed or was killed runs again. Several runs, on several "
               "machines too, may share a results folder.",
               "reprise run prernn --profile quick --only 'table1/*/pre_gru_*' --jobs 2");
  const auto options = std::make_shared<RunOptions>();
  options->add_to(*verb);
  verb->add_option("--jobs", options->request.jobs, jobs_help)->check(CLI::Range(1, 1024));
  verb->add_option("--redo", options->request.redo,
                   "finished cells that match this glob run again, and finished ones that need them; may be repeated")
      ->allow_extra_args(false);
  verb->add_option("--out", options->request.results, "results folder (default: results/STUDY/PROFILE)");
  verb->add_flag("--dry-run", options->request.dry_run, "say what would run, write nothing, call nothing in a method's file");
  verb->callback([options, &call] { run_verb(call, options->study, options->taken()); });
}

void add_reproduce(CLI::App& app, Call& call) {
  auto* verb = add_verb(app, call, "reproduce", "Run all cells of a profile of every study, or of those named, then write the report.",
                        "reprise reproduce prernn");
  struct Options {
    std::vector<std::string> studies;
    RunRequest request;
    std::filesystem::path out;
  };
  const auto options = std::make_shared<Options>();
  verb->add_option("STUDY", options->studies, "studies (default: all)");
  add_settings_options(*verb, options->request);
  verb->add_option("--jobs", options->request.jobs, jobs_help)->check(CLI::Range(1, 1024));
  verb->add_option("--results", options->request.results, "folder of the records (default: results); each run gets STUDY/PROFILE below it");
  add_output(*verb, "--out", options->out, "folder of the report (default: report); each study gets a folder below it");
  verb->callback([options, &call] {
    reproduce_verb(call, options->studies, options->request, options->out.empty() ? project_folder() / "report" : options->out);
  });
}

}  // namespace reprise::reproduce
