#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "cli/cli.h"
#include "core/csv.h"
#include "core/error.h"
#include "core/files.h"
#include "core/markdown.h"
#include "core/prefix_errors.h"
#include "core/text.h"
#include "experiments/names.h"
#include "experiments/reporting.h"
#include "experiments/run/request.h"
#include "records/paired.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;
using records::Direction;
using records::PairedMethods;
using records::Quantity;
using records::Sample;

constexpr const char* how_tested =
    "paired t over seeds, two-sided; Holm's correction over the listed comparisons, level 0.05. "
    "Each interval has the level of its step of Holm's method, so that it excludes 0 exactly if "
    "the verdict does; no interval where the difference is the same for all seeds. Wilcoxon: not "
    "adjusted, from 6 seeds on. Seeds needed: for power 0.8 at the observed spread and the "
    "strictest step of Holm's method";

constexpr const char* two_seeds =
    "n 2: with two seeds the t of an interval has one degree of freedom, so the interval is wide "
    "for any methods; add seeds: run --seeds 5";

/// Describes the intervals of results without verdicts.
std::string describe_intervals() {
  return fmt::format(
      "intervals: paired t over seeds; {} for all listed comparisons together, divided as in "
      "Holm's method",
      statistics::confidence_text());
}

/// Comparisons, and whether these results allow verdicts.
struct Comparisons {
  std::vector<PairedMethods> pairs;
  bool judged = true;
};

std::string verdict_text(const PairedMethods& pair, bool judged) {
  return judged ? records::decision_text(pair) : "not judged";
}

struct CompareOptions {
  std::filesystem::path results;
  std::vector<std::string> methods;
  std::string metric, dataset, table;
  std::filesystem::path out;
};

/// Throws a UsageError for an unknown name. Trials of a search ("pre_gru_fc6+lr=0.001") can be
/// compared, but are suggested only if the given name is one.
void expect_known(const records::Samples& samples, std::string Quantity::*axis,
                  const std::string& kind, const std::string& name) {
  std::set<std::string> known;
  std::set<std::string> suggested;
  for (const auto& [quantity, sample] : samples) {
    known.insert(quantity.*axis);
    if ((quantity.*axis).find('+') == std::string::npos || name.find('+') != std::string::npos)
      suggested.insert(quantity.*axis);
  }
  if (!name.empty() && !known.contains(name))
    throw unknown(kind, name, {suggested.begin(), suggested.end()});
}

/// Throws a UsageError if the results lack the method: with the command that runs it if the study
/// has it, else with similar names.
void expect_ran(const std::string& method, const records::Samples& samples,
                const std::vector<records::Record>& all, const std::vector<std::string>& registered,
                const RunDescription& description, const std::filesystem::path& results) {
  const auto is_of = [&](const auto& sample) { return sample.first.method == method; };
  if (std::any_of(samples.begin(), samples.end(), is_of)) return;
  const auto run_it =
      fmt::format("run it: ./reprise run {} --profile {} --only {}", description.study,
                  description.profile, shell_quote("*/*/" + method + "/*"));
  if (std::any_of(all.begin(), all.end(),
                  [&](const records::Record& record) { return record.cell.method == method; }))
    throw UsageError(
        fmt::format("method {} has no finished cell with metrics in {}", method, results.string()),
        run_it);
  if (std::count(registered.begin(), registered.end(), method) > 0)
    throw UsageError(fmt::format("method {} was not run in {}", method, results.string()), run_it);
  expect_known(samples, &Quantity::method, "method", method);
}

/// Selects the pairs to compare. Without --metric it leaves out metrics without a direction, such
/// as a chosen learning rate.
std::vector<PairedMethods> select_pairs(const records::Samples& samples,
                                        const CompareOptions& options) {
  return records::pair_methods(
      samples, options.methods[0],
      [&](const std::string& method) { return matches_glob(method, options.methods[1]); },
      [&](const Quantity& quantity, const Sample& sample) {
        return (options.metric.empty() ? sample.direction != Direction::Neither
                                       : quantity.metric == options.metric) &&
               (options.dataset.empty() || quantity.dataset == options.dataset) &&
               (options.table.empty() || quantity.table == options.table);
      });
}

/// Returns the method with fewer seeds, or "" if both have the same number.
std::string method_with_fewer_seeds(const PairedMethods& pair) {
  if (pair.seeds_a == pair.seeds_b) return "";
  return pair.seeds_a < pair.seeds_b ? pair.a.method : pair.b;
}

json to_json(const PairedMethods& pair, bool judged) {
  // One seed gives no test, and a smoke test judges nothing: their p-values are null.
  const bool tested = pair.test.n > 1 && judged;
  const auto& interval = pair.test.interval;
  const auto fewer = method_with_fewer_seeds(pair);
  return {{"table", pair.a.table},
          {"dataset", pair.a.dataset},
          {"metric", pair.a.metric},
          {"unit", pair.unit},
          {"a", pair.a.method},
          {"b", pair.b},
          {"n", pair.test.n},
          {"mean_a", statistics::mean(pair.values_a)},
          {"mean_b", statistics::mean(pair.values_b)},
          {"difference", pair.test.difference},
          {"interval", interval ? json::array({interval->low, interval->high}) : json()},
          {"confidence", interval ? json(pair.confidence) : json()},
          {"p", tested ? json(pair.test.p_two_sided) : json()},
          {"p_holm", tested ? json(pair.holm) : json()},
          {"p_wilcoxon", tested && pair.wilcoxon ? json(*pair.wilcoxon) : json()},
          {"seeds_needed", tested && pair.needed ? json(*pair.needed) : json()},
          {"seeds_a", pair.seeds_a},
          {"seeds_b", pair.seeds_b},
          {"fewer_seeds", fewer.empty() ? json() : json(fewer)},
          {"verdict", verdict_text(pair, judged)}};
}

/// Formats a comparison as one line of text.
std::string pair_text(const PairedMethods& pair, bool judged) {
  // Four digits for means and three for differences: enough to compare them with the page.
  std::string text =
      fmt::format("{}/{} {}: {} {:.4g}, {} {:.4g}, difference {:+.3g}", pair.a.table,
                  pair.a.dataset, pair.a.metric, pair.a.method, statistics::mean(pair.values_a),
                  pair.b, statistics::mean(pair.values_b), pair.test.difference);
  const auto& interval = pair.test.interval;
  if (pair.test.n > 1)
    text += interval ? fmt::format(" [{:+.3g}, {:+.3g}]", interval->low, interval->high)
                     : " (no interval: no spread)";
  if (pair.test.n > 1 && judged)
    text += fmt::format(", p {:.3g}, Holm {:.3g}", pair.test.p_two_sided, pair.holm);
  if (pair.wilcoxon && judged) text += fmt::format(", Wilcoxon {:.3g}", *pair.wilcoxon);
  text += fmt::format(", n {}: {}", pair.test.n, verdict_text(pair, judged));
  if (judged && pair.test.n > 1 && !pair.equal() &&
      records::decision(pair) == records::Decision::NoDifference)
    text += pair.needed
                ? fmt::format("; {} seeds would show a difference of this size", *pair.needed)
                : "; more than 100000 seeds would be needed";
  if (const auto fewer = method_with_fewer_seeds(pair); !fewer.empty())
    text += fmt::format(" († {} has fewer seeds: {} against {})", fewer,
                        std::min(pair.seeds_a, pair.seeds_b), std::max(pair.seeds_a, pair.seeds_b));
  return text + "\n";
}

/// Formats the comparisons as CSV with all digits. Missing values are empty.
std::string table_csv(const Comparisons& comparisons) {
  const auto titles = {
      "table",      "dataset",      "metric",  "a",       "b",          "n", "mean_a",
      "mean_b",     "difference",   "low",     "high",    "confidence", "p", "p_holm",
      "p_wilcoxon", "seeds_needed", "seeds_a", "seeds_b", "verdict"};
  std::string out = csv_line({titles.begin(), titles.end()}) + "\n";
  for (const auto& pair : comparisons.pairs) {
    auto values = to_json(pair, comparisons.judged);
    const auto interval = values.at("interval");
    values["low"] = interval.is_null() ? json() : interval[0];
    values["high"] = interval.is_null() ? json() : interval[1];
    std::vector<std::string> fields;
    for (const auto* title : titles) {
      const auto& value = values.at(title);
      std::string field;
      if (value.is_string())
        field = value.get<std::string>();
      else if (!value.is_null())
        field = number_text(value.get<double>());
      fields.push_back(field);
    }
    out += csv_line(fields) + "\n";
  }
  return out;
}

/// Formats the comparisons as a Markdown table with the description of the test below.
std::string table_markdown(const Comparisons& comparisons) {
  std::string out =
      "| table | dataset | metric | a | mean | b | mean | a - b | interval | p (Holm) | n | "
      "verdict |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const auto& pair : comparisons.pairs) {
    const bool measured = pair.test.n > 1;
    const auto& interval = pair.test.interval;
    const auto fields = {pair.a.table,
                         pair.a.dataset,
                         pair.a.metric,
                         pair.a.method,
                         fmt::format("{:.4g}", statistics::mean(pair.values_a)),
                         pair.b,
                         fmt::format("{:.4g}", statistics::mean(pair.values_b)),
                         fmt::format("{:+.3g}", pair.test.difference),
                         interval ? fmt::format("{:+.3g} to {:+.3g} ({:.4g} %)", interval->low,
                                                interval->high, 100 * pair.confidence)
                                  : "-",
                         measured && comparisons.judged ? fmt::format("{:.3g}", pair.holm) : "",
                         std::to_string(pair.test.n),
                         verdict_text(pair, comparisons.judged)};
    for (const auto& field : fields) out += "| " + escape_markdown(field) + " ";
    out += "|\n";
  }
  return out + "\n" + (comparisons.judged ? std::string(how_tested) : describe_intervals()) + "\n";
}

/// Chooses the format by the ending of the file's name.
std::string (*choose_table_writer(const std::filesystem::path& file))(const Comparisons&) {
  if (file.extension() == ".csv") return table_csv;
  if (file.extension() == ".md") return table_markdown;
  throw UsageError("--out " + file.string() + " ends in neither .csv nor .md",
                   "end the name in one of them: comparison.csv, comparison.md");
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?") != std::string::npos; }

/// Lists the ids of a study's registered methods. Empty if this program lacks the study.
std::vector<std::string> method_ids(const std::vector<Study>& studies, const std::string& name) {
  std::vector<std::string> ids;
  for (const auto& study : studies)
    if (study.name == name && study.methods)
      for (const auto& method : study.methods()) ids.push_back(method.info.id);
  return ids;
}

/// Lists registered methods that match the second of `methods` but are not in the results, in table
/// order.
std::vector<std::string> list_missing_methods(const std::vector<std::string>& registered,
                                              const records::Samples& samples,
                                              const std::vector<std::string>& methods) {
  std::set<std::string> ran{methods[0]};
  for (const auto& [quantity, sample] : samples) ran.insert(quantity.method);
  std::vector<std::string> missing;
  for (const auto& method : registered)
    if (!ran.contains(method) && matches_glob(method, methods[1])) missing.push_back(method);
  return missing;
}

/// Counts the verdicts: "a of 24 comparisons: better in 3, worse in 1, no difference shown in 20".
std::string count_verdicts(const std::vector<PairedMethods>& pairs) {
  std::map<records::Decision, int> count;
  for (const auto& pair : pairs) ++count[records::decision(pair)];
  std::vector<std::string> parts;
  for (const auto& [decision, words] : {std::pair{records::Decision::ABetter, "better in"},
                                        {records::Decision::BBetter, "worse in"},
                                        {records::Decision::Differs, "different in"},
                                        {records::Decision::NoDifference, "no difference shown in"},
                                        {records::Decision::OneSeed, "one seed in"}})
    if (count[decision] > 0) parts.push_back(fmt::format("{} {}", words, count[decision]));
  return fmt::format("{} of {} comparisons: {}", pairs.front().a.method, pairs.size(),
                     join(parts, ", "));
}

/// Lists notes on all comparisons together.
std::vector<std::string> list_notes(const Comparisons& comparisons,
                                    const RunDescription& description,
                                    const std::vector<std::string>& missing) {
  constexpr std::size_t at_a_glance = 5;  // more comparisons than this get a count of verdicts
  const auto& [pairs, judged] = comparisons;
  std::set<std::tuple<std::string, std::string, std::string>> quantities;
  for (const auto& pair : pairs) quantities.insert({pair.a.table, pair.a.dataset, pair.a.metric});
  std::vector<std::string> notes;
  if (judged && pairs.size() > at_a_glance) notes.push_back(count_verdicts(pairs));
  if (quantities.size() > 1)
    notes.push_back(fmt::format(
        "{} comparisons of {} quantities share one level, so each needs more seeds: select with "
        "--table, --dataset and --metric",
        pairs.size(), quantities.size()));
  if (!judged) notes.push_back("not judged: " + why_not_judged(description));
  if (std::any_of(pairs.begin(), pairs.end(),
                  [](const PairedMethods& pair) { return pair.test.n == 2; }))
    notes.emplace_back(two_seeds);
  if (!missing.empty()) notes.push_back("not run in these results: " + first_few(missing, 10));
  return notes;
}

/// Compares the methods and answers with one line per comparison and notes on all of them.
void compare(Call& call, const CompareOptions& options) {
  if (options.methods.size() != 2)
    throw UsageError("--methods names " + std::to_string(options.methods.size()) + " methods",
                     "give two: --methods A,B; B may be a glob: 'trad_*', or '*' for all others");
  // A wrong file name is refused before the records are read.
  const auto table = options.out.empty() ? nullptr : choose_table_writer(options.out);
  const auto description = read_description(options.results);
  report_growth(options.results);
  const auto store = cells_in(options.results, records::Damage::Skip);
  const auto all = store.all();
  const auto samples =
      prefix_errors(options.results.string(), [&] { return records::aggregate(all); });
  const bool judged = judges_claims(call.studies, description);
  const auto registered = method_ids(call.studies, description.study);
  expect_ran(options.methods[0], samples, all, registered, description, options.results);
  if (!is_pattern(options.methods[1]))
    expect_ran(options.methods[1], samples, all, registered, description, options.results);
  expect_known(samples, &Quantity::metric, "metric", options.metric);
  expect_known(samples, &Quantity::dataset, "dataset", options.dataset);
  expect_known(samples, &Quantity::table, "table", options.table);
  Comparisons comparisons{.pairs = prefix_errors(options.results.string(),
                                                 [&] { return select_pairs(samples, options); }),
                          .judged = judged};
  auto& pairs = comparisons.pairs;
  if (options.methods[0] == options.methods[1])
    throw UsageError("--methods " + join(options.methods, ",") + " names one method twice",
                     "name two: --methods A,B");
  if (pairs.empty())
    throw UsageError(
        join(options.methods, " and ") + " share no table, data set, metric and seed there",
        "choose others, or run the missing cells");
  // All pairs at once: Holm's correction needs the p-values of all listed comparisons.
  records::compare_pairs(pairs);
  json list = json::array();
  std::string text = unreadable_text(store.skipped_files());
  for (const auto& pair : pairs) {
    list.push_back(to_json(pair, judged));
    text += pair_text(pair, judged);
  }
  const auto how = judged ? std::string(how_tested) : describe_intervals();
  text += how + "\n";
  const auto missing = list_missing_methods(registered, samples, options.methods);
  const auto notes = list_notes(comparisons, description, missing);
  for (const auto& note : notes) text += note + "\n";
  if (table) {
    write_file(options.out, table(comparisons));
    text += "table: " + options.out.string() + "\n";
  }
  call.answer({{"comparisons", list},
               {"judged", judged},
               {"not_run", missing},
               {"notes", notes},
               {"unreadable", unreadable_json(store.skipped_files())},
               {"test", how}},
              text);
}

}  // namespace

void add_compare(CLI::App& app, Call& call) {
  auto* verb = add_command(
      app, "compare",
      "Compare two methods, or one with many, paired over seeds. Prints the difference, "
      "its interval, the test, the verdict and the number of seeds needed.",
      "reprise compare results/prernn --methods pre_gru_fc6,trad_gru_1 --metric auc\n"
      "reprise compare results/prernn --methods 'pre_gru_fc6,trad_*' --table table1");
  const auto options = std::make_shared<CompareOptions>();
  verb->add_option("RESULTS", options->results, "results folder")->required();
  verb->add_option("--methods", options->methods,
                   "A,B: two methods. B may be a glob, such as 'trad_*' or '*'")
      ->required()
      ->delimiter(',');
  verb->add_option("--metric", options->metric, "metric (default: all with a direction)");
  verb->add_option("--dataset", options->dataset, "data set (default: all)");
  verb->add_option("--table", options->table, "table (default: all)");
  add_output(*verb, "--out", options->out,
             "file for the comparisons: FILE.csv (all digits) or FILE.md");
  verb->callback([options, &call] { compare(call, *options); });
}

}  // namespace reprise::reproduce
