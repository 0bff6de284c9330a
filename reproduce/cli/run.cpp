#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "core/say.h"
#include "reproduce/asking.h"
#include "reproduce/cli/cli.h"
#include "reproduce/reporting.h"
#include "reproduce/run/results.h"
#include "reproduce/until_decided.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;

std::string outcome_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::Skipped:
      return "skipped";
    case Outcome::Done:
      return "done";
    case Outcome::Failed:
      return "failed";
    case Outcome::Planned:
      return "planned";
  }
  return "";
}

std::size_t count(const RunResult& result, Outcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(result.cells.begin(), result.cells.end(), [&](const CellResult& cell) { return cell.outcome == outcome; }));
}

json to_json(const RunResult& result, const std::string& study, const std::string& profile) {
  json cells = json::array();
  for (const auto& cell : result.cells)
    cells.push_back({{"id", cell.cell.id()}, {"outcome", outcome_text(cell.outcome)}, {"error", cell.error}, {"seconds", cell.seconds}});
  return {{"study", study},
          {"profile", profile},
          {"results", result.results.string()},
          {"cells", cells},
          {"done", count(result, Outcome::Done)},
          {"skipped", count(result, Outcome::Skipped)},
          {"failed", count(result, Outcome::Failed)},
          {"planned", count(result, Outcome::Planned)},
          {"notes", result.notes},
          {"interrupted", result.interrupted},
          {"seconds", result.seconds}};
}

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string summary(const RunResult& result) {
  std::string text = fmt::format("{} cells: {} run, {} done before, {} failed", result.cells.size(), count(result, Outcome::Done),
                                 count(result, Outcome::Skipped), count(result, Outcome::Failed));
  if (const auto left = count(result, Outcome::Planned)) text += fmt::format(", {} left", left);
  text += fmt::format("; {}\nrecords: {}\n", duration(result.seconds), result.results.string());
  for (const auto& note : result.notes) text += "note: " + note + "\n";
  for (const auto& cell : result.cells)
    if (cell.outcome == Outcome::Failed) text += fmt::format("failed: {}: {}\n", cell.cell.id(), cell.error);
  return text;
}

std::string plan_text(const RunResult& result) {
  std::string text;
  double cost = 0;
  for (const auto& cell : result.cells) {
    const bool planned = cell.outcome == Outcome::Planned;
    text += fmt::format("{:<8} {:>9} {}\n", planned ? "to run" : "done", duration(cell.seconds), cell.cell.id());
    if (planned) cost += cell.seconds;
  }
  for (const auto& note : result.notes) text += "note: " + note + "\n";
  return text +
         fmt::format("{} cells to run, about {} on one core; nothing was written\n", count(result, Outcome::Planned), duration(cost));
}

int status_of(const RunResult& result) { return result.interrupted || count(result, Outcome::Failed) > 0 ? failed_while_running : done; }

}  // namespace

void add_seeds_option(CLI::App& verb, RunRequest& request) {
  verb.add_option_function<std::string>(
      "--seeds", [&request](const std::string& text) { request.seeds = Seeds(text); },
      "replicates: how many (5; more than before continues a run), a range (100..104) or a list (7,8,9)");
}

namespace {

void add_shared_options(CLI::App& verb, RunRequest& request) {
  verb.add_option(
          "--profile", request.profile,
          "which set of settings: quick, desk, gate or paper; or FILE.toml, with base = \"desk\" and other values for some of its settings")
      ->capture_default_str();
  verb.add_option("--data", request.data, "folder that holds the data sets");
  verb.add_option("--device", request.device, "auto, cpu or cuda")->capture_default_str();
  verb.add_option("--jobs", request.jobs, "worker processes, one thread each (default: one a core)")->check(CLI::Range(1, 1024));
  add_seeds_option(verb, request);
  verb.add_option("--set", request.set, "key=value: another value for a setting of the profile; may be repeated")->allow_extra_args(false);
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

void reproduce_verb(Call& call, std::vector<std::string> names, const RunRequest& shared, const std::filesystem::path& out) {
  if (names.empty()) names = study_names(call.studies);
  for (const auto& name : names) study_named(call.studies, name);
  json answers = json::array();
  std::string text;
  std::vector<ReportResult> reports;
  double seconds = 0;
  for (const auto& name : names) {
    RunRequest request = shared;
    if (!shared.results.empty()) request.results = shared.results / name / shared.profile;
    reports::expect_report_folder(out / name, request.results);  // before hours of work
    const RunResult result = run_asked(study_named(call.studies, name), request);
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
  text += fmt::format("page: {}\ntotal time: {}\n", index.string(), duration(seconds));
  call.answer({{"studies", answers}, {"page", index.string()}, {"seconds", seconds}}, text);
}

}  // namespace

void add_run(CLI::App& app, Call& call) {
  auto* verb =
      add_verb(app, call, "run", "Run the cells of a study; what is done already is skipped, what failed or was killed runs again.",
               "reprise run prernn --profile quick --only 'table1/*/pre_gru_*' --jobs 2");
  struct Options {
    std::string study;
    RunRequest request;
    bool until_decided = false;
    std::optional<double> hours;
    std::optional<int> most;
    std::vector<std::string> method_files, predictions;
  };
  const auto options = std::make_shared<Options>();
  verb->add_option("STUDY", options->study, "a study, as in: reprise list studies")->required();
  add_shared_options(*verb, options->request);
  verb->add_option("--only", options->request.only,
                   "cells whose TABLE/DATASET/METHOD/seedN matches this glob, and what they need; may be repeated")
      ->allow_extra_args(false)
      ->default_str("all");
  verb->add_option("--redo", options->request.redo,
                   "finished cells that match this glob run again, and finished ones that need them; may be repeated")
      ->allow_extra_args(false);
  verb->add_flag("--keep", options->request.keep,
                 "finished cells stand even where the study's code or its data have changed since; the page tells them apart");
  verb->add_option("--out", options->request.results, "results folder (default: results/STUDY/PROFILE)");
  verb->add_option(
          "--method-file", options->method_files,
          "NAME=FILE: a TorchScript method beside the study's own (docs/new_method.md); may be repeated. It runs its author's code: "
          "give only files that you trust")
      ->allow_extra_args(false);
  verb->add_option(
          "--predictions", options->predictions,
          "NAME=PATH: predictions of any program, a file or a folder, for seed 0, or for every seed with {seed} in the name; may be "
          "repeated")
      ->allow_extra_args(false);
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
    for (const auto& assignment : options->method_files)
      options->request.outside.push_back(outside_method(OutsideMethod::Kind::TorchScript, "--method-file", assignment));
    for (const auto& assignment : options->predictions)
      options->request.outside.push_back(outside_method(OutsideMethod::Kind::Predictions, "--predictions", assignment));
    if (options->until_decided)
      until_decided_verb(call, options->study, {.run = options->request, .hours = options->hours, .most = options->most});
    else
      run_verb(call, options->study, options->request);
  });
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
  add_shared_options(*verb, options->request);
  verb->add_option("--results", options->request.results, "folder of the records (default: results); each run gets STUDY/PROFILE below it");
  verb->add_option("--out", options->out, "folder of the report (default: report); each study gets a folder below it");
  verb->callback([options, &call] {
    reproduce_verb(call, options->studies, options->request, options->out.empty() ? project_folder() / "report" : options->out);
  });
}

}  // namespace reprise::reproduce
