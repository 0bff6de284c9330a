#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/cli.h"
#include "cli/run_answer.h"
#include "cli/run_options.h"
#include "core/error.h"
#include "core/say.h"
#include "experiments/preregistration.h"
#include "experiments/reporting.h"
#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "tools/help.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;

std::string plan_text(const RunResult& result) {
  std::string text;
  double cost = 0;
  for (const auto& cell : result.cells) {
    const bool planned = cell.outcome == Outcome::Planned;
    text += fmt::format("{:<8} {:>9} {}\n", planned ? "to run" : "done",
                        duration_text(cell.seconds), cell.cell.id());
    if (planned) cost += cell.seconds;
  }
  for (const auto& note : result.notes) text += "note: " + note + "\n";
  return text + fmt::format("{} cells to run, about {} on one core; nothing was written\n",
                            count(result, Outcome::Planned), duration_text(cost));
}

void run_verb(Call& call, const RunOptions& options) {
  const auto& name = options.study;
  const Study& study = study_named(call.studies, name);
  auto request = options.taken();
  if (!options.from.empty() && !request.dry_run) {
    steps_of(study, request);  // what the run would refuse is refused before anything is copied
    copy_results(options.from, options.request.results);
    request.results = options.request.results;
  }
  const RunResult result = run_preregistered(study, request);
  call.status = request.dry_run ? done : status_of(result);
  call.answer(to_json(result, name, request.profile),
              request.dry_run ? plan_text(result) : summary(result));
  if (result.interrupted)
    say("interrupted; what is done is kept, networks half trained too: the same command goes on from here\n");
}

}  // namespace

void add_run(CLI::App& app, Call& call) {
  auto* verb = add_verb(
      app, "run",
      "Run the cells of a study. What is done already is skipped, what failed or was killed runs again. Several runs, on several "
      "machines too, may share a results folder.",
      "reprise run prernn --profile smoke --only 'table1/*/pre_gru_*' --jobs 2\n"
      "reprise run langevin --profile small --seeds 3 --dry-run");
  const auto options = std::make_shared<RunOptions>();
  options->add_to(*verb);
  verb->add_option("--jobs", options->request.jobs, jobs_help)->check(CLI::Range(1, 1024));
  verb->add_option(
          "--redo", options->request.redo,
          "finished cells that match this glob run again, and finished ones that need them")
      ->allow_extra_args(false)
      ->group(rarely_used());
  verb->add_option(
          "--from", options->from,
          "begin with a copy of these results, as results/STUDY: their profile and confirmation seeds; only the external methods run, "
          "unless --only says more. Needs --out")
      ->group(external_group);
  verb->add_option("--out", options->request.results,
                   "results folder (default: runs/STUDY/PROFILE)");
  verb->add_flag("--dry-run", options->request.dry_run,
                 "say what would run, write nothing, call nothing in a method's file");
  verb->callback([options, &call] { run_verb(call, *options); });
}

}  // namespace reprise::reproduce
