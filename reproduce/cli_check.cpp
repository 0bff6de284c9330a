#include <fmt/format.h>

#include <memory>

#include "core/error.h"
#include "core/files.h"
#include "records/check.h"
#include "reproduce/cli.h"
#include "reproduce/results.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;
using records::Reference;

struct Options {
  fs::path results, against, junit;
  bool update = false;
  std::string reason;
  std::vector<std::string> told;
};

std::string update_command(const Options& options) {
  return "reprise check " + options.results.string() + " --against " + options.against.string() + " --update --reason \"...\"";
}

void update(const Call& call, const Options& options) {
  if (options.reason.empty()) throw UsageError("--update needs --reason", "say why the reference changes: " + update_command(options));
  read_description(options.results);
  const auto records = cells_in(options.results).all();
  Reference reference = fs::exists(options.against) ? update_reference(records::read_reference(options.against), records, options.reason)
                                                    : records::make_reference(records, options.reason);
  if (!options.told.empty()) reference.told = options.told;
  write_reference(options.against, reference);
  const auto& revision = reference.history.back();
  json moved = json::array();
  for (const auto& change : revision.moved)
    moved.push_back({{"table", change.quantity.table},
                     {"dataset", change.quantity.dataset},
                     {"method", change.quantity.method},
                     {"metric", change.quantity.metric},
                     {"old", change.old_value ? json(*change.old_value) : json()},
                     {"new", change.new_value ? json(*change.new_value) : json()}});
  call.answer({{"reference", options.against.string()}, {"quantities", reference.entries.size()}, {"moved", moved}},
              records::text_of(revision, reference.entries.size()) + "\nreference: " + options.against.string() + "\n");
}

json to_json(const records::Judged& judged) {
  return {{"table", judged.quantity.table},
          {"dataset", judged.quantity.dataset},
          {"method", judged.quantity.method},
          {"metric", judged.quantity.metric},
          {"outcome", records::outcome_text(judged.outcome)},
          {"passed", !records::fails(judged.outcome)},
          {"old", judged.old_value ? json(*judged.old_value) : json()},
          {"new", judged.new_value ? json(*judged.new_value) : json()},
          {"band", judged.band},
          {"message", judged.message}};
}

json to_json(const records::JudgedScore& score) {
  return {{"table", score.table},
          {"dataset", score.dataset},
          {"method", score.method},
          {"outcome", records::outcome_text(score.outcome)},
          {"passed", !records::fails(score.outcome)},
          {"metrics", score.quantities},
          {"change", score.change},
          {"band", score.band},
          {"message", score.message}};
}

std::string line_of(records::Outcome outcome, const std::string& message) {
  if (outcome == records::Outcome::Same) return "";
  return fmt::format("{} {}\n", records::fails(outcome) ? "FAIL" : "note", message);
}

void check(Call& call, const Options& options) {
  if (!fs::exists(options.against))
    throw UsageError("--against " + options.against.string() + ": no such file", "write it: " + update_command(options));
  read_description(options.results);
  const auto result = records::check(records::read_reference(options.against), cells_in(options.results).all());
  if (!options.junit.empty()) write_file(options.junit, records::junit_xml(result));
  json list = json::array(), scores = json::array();
  std::string text;
  std::size_t failed = 0, failed_scores = 0;
  for (const auto& judged : result.judged) {
    list.push_back(to_json(judged));
    failed += records::fails(judged.outcome);
    text += line_of(judged.outcome, judged.message);
  }
  for (const auto& score : result.scores) {
    scores.push_back(to_json(score));
    failed_scores += records::fails(score.outcome);
    text += line_of(score.outcome, score.message);
  }
  call.status = result.passed() ? done : judged_and_failed;
  call.answer({{"study", result.study},
               {"profile", result.profile},
               {"passed", result.passed()},
               {"failed", failed},
               {"failed_scores", failed_scores},
               {"judged", list},
               {"scores", scores}},
              text + fmt::format("{}: {} of {} quantities failed, and {} of {} means over cells and tables\n",
                                 result.passed() ? "passed" : "FAILED", failed, result.judged.size(), failed_scores, result.scores.size()));
}

}  // namespace

void add_check(CLI::App& app, Call& call) {
  auto* verb = add_verb(app, call, "check",
                        "Judge a run by a stored reference, in bands made from its spread over seeds; exit 1 when a metric fell.",
                        "reprise check results/prernn/quick --against tests/accuracy/prernn_quick.json --junit check.xml");
  const auto options = std::make_shared<Options>();
  verb->add_option("RESULTS", options->results, "a results folder")->required();
  verb->add_option("--against", options->against, "the reference file")->required();
  verb->add_option("--junit", options->junit, "write the results as JUnit XML, too");
  verb->add_flag("--update", options->update, "rewrite the reference from this run and say what moved");
  verb->add_option("--reason", options->reason, "why the reference changes; kept in it");
  verb->add_option("--told", options->told,
                   "with --update: metrics that describe the run and fail nothing, as 'saturation_*'; may be repeated")
      ->allow_extra_args(false);
  verb->callback([options, &call] { options->update ? update(call, *options) : check(call, *options); });
}

}  // namespace reprise::reproduce
