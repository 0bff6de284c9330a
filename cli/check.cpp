#include "records/regression/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "cli/cli.h"
#include "core/files.h"
#include "core/json.h"
#include "core/outputs.h"
#include "core/prefix_errors.h"
#include "experiments/reporting.h"
#include "experiments/run/results.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;
using records::Reference;

struct CheckOptions {
  fs::path results, against, junit, summary;
  bool update = false, remember = false;
  std::string reason;
  records::Scope scope;
  std::vector<std::string> drop;
  std::vector<std::string> informational;
};

/// Returns the command that writes or updates the reference.
std::string update_command(const CheckOptions& options) {
  return "reprise check " + options.results.string() + " --against " + options.against.string() +
         " --update --reason \"...\"";
}

/// Reads all records for a new reference. Throws an Error if one cannot be read, since a reference
/// must not lack it.
std::vector<records::Record> read_every_record(const fs::path& results) {
  read_description(results);
  return cells_in(results).all();
}

/// Collects the unit of each quantity of a run and of its reference; "" for a pure number. The
/// reference decides where both have a quantity.
std::map<records::Quantity, std::string> collect_units(const Reference& reference,
                                                       const records::Samples& run) {
  std::map<records::Quantity, std::string> units;
  for (const auto& [quantity, entry] : reference.entries) units[quantity] = entry.sample.unit;
  for (const auto& [quantity, sample] : run) units.try_emplace(quantity, sample.unit);
  return units;
}

/// Rewrites the reference from the run and answers with the changes.
void update(const Call& call, const CheckOptions& options) {
  // An update rewrites the file that it reads, so it needs no --overwrite.
  note_own(options.against);
  if (options.reason.empty())
    throw UsageError("--update needs --reason",
                     "give the reason for the change: " + update_command(options));
  const auto records = read_every_record(options.results);
  // Read and written under one lock. Otherwise changes by another process would be lost.
  const records::ReferenceLock lock(options.against);
  const bool is_there = fs::exists(options.against);
  const auto old = is_there ? records::read_reference(options.against) : Reference{};
  Reference reference =
      is_there ? update_reference(old, records, options.reason,
                                  {.scope = options.scope, .drop = options.drop})
               : records::make_reference(select_scope(records, options.scope), options.reason);
  if (!options.informational.empty()) reference.informational = options.informational;
  write_reference(options.against, reference);
  const auto& revision = reference.history.back();
  json moved = json::array();
  // A quantity that was dropped has its unit in the old reference only.
  auto units = collect_units(reference, {});
  units.merge(collect_units(old, {}));
  for (const auto& change : revision.moved)
    moved.push_back({{"table", change.quantity.table},
                     {"dataset", change.quantity.dataset},
                     {"method", change.quantity.method},
                     {"metric", change.quantity.metric},
                     {"unit", units[change.quantity]},
                     {"old", change.old_value ? json(*change.old_value) : json()},
                     {"new", change.new_value ? json(*change.new_value) : json()}});
  // Quantities outside --only, which stay as they were.
  const auto kept = old.entries.size() - select_scope(old, options.scope).entries.size();
  call.answer(
      {{"reference", options.against.string()},
       {"quantities", reference.entries.size()},
       {"kept", kept},
       {"moved", moved}},
      fmt::format(
          "{}\nreference: {}: {} quantities, {} of this run and {} outside --only, unchanged\n",
          records::revision_text(revision, reference.entries.size()), options.against.string(),
          reference.entries.size(), reference.entries.size() - kept, kept));
}

const char* basis_name(records::CheckBasis basis) {
  return basis == records::CheckBasis::Values ? "values" : "seeds";
}

json to_json(const records::QuantityCheck& judged, const std::string& unit) {
  return {{"table", judged.quantity.table},
          {"dataset", judged.quantity.dataset},
          {"method", judged.quantity.method},
          {"metric", judged.quantity.metric},
          {"unit", unit},
          {"outcome", records::outcome_text(judged.outcome)},
          {"passed", !records::fails(judged.outcome)},
          {"old", judged.old_value ? json(*judged.old_value) : json()},
          {"new", judged.new_value ? json(*judged.new_value) : json()},
          {"percent", judged.percent},
          {"worse", judged.worse},
          {"band", judged.band},
          {"judged_by", basis_name(judged.basis)},
          {"message", judged.message}};
}

json to_json(const records::ScoreCheck& score) {
  return {{"table", score.table},
          {"dataset", score.dataset},
          {"method", score.method},
          {"outcome", records::outcome_text(score.outcome)},
          {"passed", !records::fails(score.outcome)},
          {"metrics", score.quantities},
          {"percent", score.percent},
          {"change", score.change},
          {"band", score.band},
          {"message", score.message}};
}

/// Compares the run with the reference, writes the requested files and sets the exit status.
void check(Call& call, const CheckOptions& options) {
  if (!fs::exists(options.against))
    throw UsageError("--against " + options.against.string() + ": no such file",
                     "create it: " + update_command(options));
  const auto description = read_description(options.results);
  report_growth(options.results);
  // The lock is held until the file is written. Otherwise changes by another process would be lost.
  std::optional<records::ReferenceLock> lock;
  if (options.remember) lock.emplace(options.against);
  // A damaged record fails the check at its end, with its file, instead of ending it here.
  const auto store = cells_in(options.results, records::Damage::Skip);
  const auto records = store.all();
  auto reference = records::read_reference(options.against);
  if (description.study != reference.study || description.profile != reference.profile)
    throw UsageError(fmt::format("{} is a run of {} ({}), and the reference is of {} ({})",
                                 options.results.string(), description.study, description.profile,
                                 reference.study, reference.profile),
                     "give results of the same study and profile as the reference");
  auto result = prefix_errors(options.results.string(),
                              [&] { return records::check(reference, records, options.scope); });
  for (const auto& error : store.skipped_files()) result.unreadable.push_back(error.problem());
  if (!options.junit.empty()) write_file(options.junit, records::junit_xml(result));
  if (!options.summary.empty())
    write_file(options.summary,
               records::summary_markdown(result, reference, options.results.string()));
  auto units = collect_units(reference, records::aggregate(select_scope(records, options.scope)));
  json list = json::array();
  json scores = json::array();
  for (const auto& judged : result.judged) list.push_back(to_json(judged, units[judged.quantity]));
  for (const auto& score : result.scores) scores.push_back(to_json(score));
  std::string text;
  // Values of a failed run must never become a reference.
  if (options.remember && result.passes()) {
    note_own(options.against);
    add_platform_values(reference, records, options.scope);
    write_reference(options.against, reference);
    text += "remembered: " + result.arithmetic + "\n";
  } else if (options.remember) {
    text += "not remembered: the run did not pass\n";
  }
  // Failures and the verdict come last, where a terminal shows them.
  for (const auto& line : report_lines(result)) text += line + "\n";
  const auto counts = count_outcomes(result);
  text += fmt::format(
      "compared {}\n{}: {} of {} quantities failed, and {} of {} means over cells and tables{}; "
      "{}\n",
      basis_text(result), result.passes() ? "passed" : "FAILED", counts.failed, counts.quantities,
      counts.failed_scores, counts.scores,
      result.unreadable.empty() ? "" : "; not every record could be read", counts_text(counts));
  json platforms = json::object();
  for (const auto& [platform, cells] : result.platforms) platforms[platform] = cells.size();
  call.status = result.passes() ? done : check_failed;
  call.answer({{"study", result.study},
               {"profile", result.profile},
               {"passed", result.passes()},
               {"arithmetic", result.arithmetic},
               {"known_arithmetic", result.known_arithmetic},
               {"platforms", platforms},
               {"failed", counts.failed},
               {"failed_scores", counts.failed_scores},
               {"guarded", counts.guarded},
               {"unknown", counts.unknown},
               {"values", counts.values},
               {"own_values", counts.own_values},
               {"basis", basis_text(result)},
               {"unreadable", result.unreadable},
               {"judged", list},
               {"scores", scores}},
              text);
}

}  // namespace

void add_check(CLI::App& app, Call& call) {
  auto* verb = add_command(
      app, "check",
      "Compare a run with a stored reference. Exit status 1: a metric got worse. On a "
      "platform that the reference knows, each value is compared; on others, the means over seeds.",
      "reprise check runs/prernn/ci --against tests/accuracy/prernn_ci.json\n"
      "reprise check runs/prernn/ci --against tests/accuracy/prernn_ci.json --junit check.xml "
      "--summary check.md");
  const auto options = std::make_shared<CheckOptions>();
  verb->add_option("RESULTS", options->results, "results folder")->required();
  verb->add_option("--against", options->against, "reference file")->required();
  verb->add_option("--only", options->scope.only,
                   "glob of cells that the command uses, TABLE/DATASET/METHOD");
  add_output(*verb, "--junit", options->junit, "JUnit XML file of the results");
  add_output(*verb, "--summary", options->summary,
             "Markdown file of the changes, worst first, for a pull request");
  verb->add_flag("--remember", options->remember,
                 "store the values of a passing run as the exact reference for this platform");
  constexpr auto update_group = "Updating the reference";
  auto* update_flag = verb->add_flag(
      "--update", options->update,
      "rewrite the reference from this run and print the changes. With --only, rewrite "
      "only that part");
  update_flag->group(update_group);
  verb->add_option("--reason", options->reason, "reason for the change, stored in the reference")
      ->needs(update_flag)
      ->group(update_group);
  verb->add_option("--drop", options->drop,
                   "glob of quantities that the update may remove, 'TABLE/DATASET/METHOD METRIC'")
      ->allow_extra_args(false)
      ->needs(update_flag)
      ->group(update_group);
  verb->add_option("--informational", options->informational,
                   "metrics that never fail a check, such as 'saturation_*'")
      ->allow_extra_args(false)
      ->needs(update_flag)
      ->group(update_group);
  verb->callback(
      [options, &call] { options->update ? update(call, *options) : check(call, *options); });
}

}  // namespace reprise::reproduce
