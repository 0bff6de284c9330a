#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/cli.h"
#include "cli/run_options.h"
#include "cli/run_summary.h"
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

/// Lists the cells of a dry run with their expected time.
std::string plan_text(const RunResult& result) {
  std::string text;
  double cost = 0;
  for (const auto& cell : result.cells) {
    const bool planned = cell.outcome == Outcome::Planned;
    text += fmt::format("{:<8} {:>9} {}\n", planned ? "to run" : "done",
                        duration_text(cell.seconds), cell.cell.id());
    // Finished cells are listed with the time that they took, which this run does not spend.
    if (planned) cost += cell.seconds;
  }
  for (const auto& note : result.notes) text += "note: " + note + "\n";
  return text + fmt::format("{} cells to run, about {} on one core; nothing was written\n",
                            count(result, Outcome::Planned), duration_text(cost));
}

/// Runs the cells of a study, on a copy of the results of --from if it is given.
void run_study(Call& call, const RunOptions& options) {
  const auto& name = options.study;
  const Study& study = study_named(call.studies, name);
  auto request = options.make_request();
  // --from: the copy is made only after the plan is known to be possible.
  if (!options.from.empty() && !request.dry_run) {
    list_steps(study, request);  // throws what the run would throw, before anything is copied
    copy_results(options.from, options.request.results);
    request.results = options.request.results;
  }
  const RunResult result = run_preregistered(study, request);
  call.status = request.dry_run ? done : exit_status(result);
  call.answer(to_json(result, name, request.profile),
              request.dry_run ? plan_text(result) : summarise(result));
  // After the answer, so that it is the last line that the user sees.
  if (result.interrupted)
    say("interrupted; finished cells and checkpoints are kept: the same command resumes the run\n");
}

}  // namespace

void add_run(CLI::App& app, Call& call) {
  auto* verb =
      add_command(app, "run",
                  "Run the cells of a study: one per table, data set, method, seed. Skips finished "
                  "cells and runs failed or interrupted cells again. Several runs, also on several "
                  "machines, can share a results folder.",
                  "reprise run prernn --profile smoke --only 'table1/*/pre_gru_*' --jobs 2\n"
                  "reprise run langevin --profile small --seeds 3 --dry-run");
  const auto options = std::make_shared<RunOptions>();
  options->add_to(*verb);
  verb->add_option("--jobs", options->request.jobs, jobs_help)->check(CLI::Range(1, 1024));
  verb->add_option(
          "--redo", options->request.redo,
          "glob of finished cells to run again. Also runs the finished cells that depend on "
          "them")
      ->allow_extra_args(false)
      ->group(rarely_used());
  verb->add_option(
          "--from", options->from,
          "results to copy before the run, such as results/STUDY. Needs --out. The run takes "
          "their profile and confirmation seeds. It runs only the external methods unless "
          "--only is given")
      ->group(external_group);
  verb->add_option("--out", options->request.results,
                   "results folder (default: runs/STUDY/PROFILE)");
  verb->add_flag("--dry-run", options->request.dry_run,
                 "print what would run. Writes nothing and calls no external method");
  verb->callback([options, &call] { run_study(call, *options); });
}

}  // namespace reprise::reproduce
