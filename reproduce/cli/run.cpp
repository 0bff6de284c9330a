#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "core/say.h"
#include "reproduce/asking.h"
#include "reproduce/cli/cli.h"
#include "reproduce/cli/run_answer.h"
#include "reproduce/cli/run_options.h"
#include "reproduce/reporting.h"
#include "reproduce/run/results.h"
#include "reproduce/until_decided.h"

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
  const RunResult result = run_asked(study, request);
  call.status = request.dry_run ? done : status_of(result);
  call.answer(to_json(result, name, request.profile), request.dry_run ? plan_text(result) : summary(result));
  if (result.interrupted) say("interrupted; what is done is kept, networks half trained too: the same command goes on from here\n");
}

json outlook_json(const std::vector<ClaimOutlook>& outlook) {
  json list = json::array();
  for (const auto& one : outlook)
    list.push_back({{"claim", one.claim},
                    {"seeds", one.seeds},
                    {"seeds_expected", one.expected ? json(*one.expected) : json()},
                    {"hours_expected", one.expected ? json(one.hours) : json()},
                    {"closed", one.closed}});
  return list;
}

void until_decided_verb(Call& call, const std::string& name, const UntilRequest& request) {
  const Study& study = study_named(call.studies, name);
  const auto result = run_until_decided(study, request);
  json rounds = json::array();
  std::string text;
  for (const auto& one : result.outlook)
    if (one.closed.empty())
      text += fmt::format("claim {}: {} seeds, {}\n", one.claim, one.seeds,
                          one.expected ? fmt::format("about {} to decide it, {:.1f} h of one core", *one.expected, one.hours)
                                       : std::string("too few to say how many decide it"));
  for (const auto& round : result.rounds) {
    rounds.push_back({{"seeds", round.seeds}, {"claims", round.claims}, {"cells", round.cells}, {"hours_expected", round.expected_hours}});
    text += fmt::format("{} seeds {} to {}: {} cells for {} claims\n", request.run.dry_run ? "next look," : "look,", round.seeds.front(),
                        round.seeds.back(), round.cells, round.claims.size());
  }
  text += result.stopped + "\n" + claims_text(result.claims);
  call.status = result.interrupted || result.failed > 0 ? failed_while_running : done;
  call.answer({{"study", name},
               {"profile", request.run.profile},
               {"results", result.results.string()},
               {"expected", outlook_json(result.outlook)},
               {"now", outlook_json(result.last)},
               {"looks", rounds},
               {"stopped", result.stopped},
               {"claims", claims_json(result.claims)},
               {"failed", result.failed},
               {"interrupted", result.interrupted},
               {"seconds", result.seconds}},
              text);
}

}  // namespace

void add_run(CLI::App& app, Call& call) {
  auto* verb =
      add_verb(app, call, "run",
               "Run the cells of a study; what is done already is skipped, what failed or was killed runs again. Several runs, on several "
               "machines too, may share a results folder.",
               "reprise run prernn --profile quick --only 'table1/*/pre_gru_*' --jobs 2");
  struct Options : RunOptions {
    bool until_decided = false;
    std::optional<double> hours;
    std::optional<int> most;
  };
  const auto options = std::make_shared<Options>();
  options->add_to(*verb);
  verb->add_option("--jobs", options->request.jobs, jobs_help)->check(CLI::Range(1, 1024));
  verb->add_option("--redo", options->request.redo,
                   "finished cells that match this glob run again, and finished ones that need them; may be repeated")
      ->allow_extra_args(false);
  verb->add_option("--out", options->request.results, "results folder (default: results/STUDY/PROFILE)");
  auto* until =
      verb->add_flag("--until-decided", options->until_decided,
                     "add seeds to the cells of claims that are undecided and that more seeds could decide, look by look, until they "
                     "are. Each look is judged at a part of the claim's level, so that the chance of a false alarm over all looks "
                     "stays below it (docs/records.md)");
  verb->add_option("--hours", options->hours,
                   "with --until-decided: wall time; a look that needs more does not begin, and no cell starts later")
      ->needs(until)
      ->check(CLI::Range(0.0, 100000.0));
  verb->add_option("--most", options->most, "with --until-decided: seeds that a claim may get (default: four times the profile's)")
      ->needs(until)
      ->check(CLI::Range(2, 1000));
  verb->add_flag("--dry-run", options->request.dry_run, "say what would run, write nothing, call nothing in a method's file");
  verb->callback([options, &call] {
    const auto request = options->taken();
    if (options->until_decided)
      until_decided_verb(call, options->study, {.run = request, .hours = options->hours, .most = options->most});
    else
      run_verb(call, options->study, request);
  });
}

}  // namespace reprise::reproduce
