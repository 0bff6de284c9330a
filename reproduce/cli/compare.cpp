#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "core/csv.h"
#include "core/error.h"
#include "core/files.h"
#include "core/named.h"
#include "core/text.h"
#include "records/paired.h"
#include "reports/tables.h"
#include "reproduce/cli/cli.h"
#include "reproduce/names.h"
#include "reproduce/reporting.h"
#include "reproduce/run/results.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;
using records::Direction;
using records::PairedMethods;
using records::Quantity;
using records::Sample;

constexpr const char* how_tested =
    "paired t over seeds, two-sided; Holm over the comparisons listed, level 0.05; intervals at the level of each one's step of Holm's "
    "method, so that they leave 0 out exactly where the verdict does; Wilcoxon, not adjusted, from 6 seeds on; seeds for power 0.8 at the "
    "spread seen, at the strictest step of Holm's method";

struct CompareOptions {
  std::filesystem::path results;
  std::vector<std::string> methods;
  std::string metric, dataset, table;
  std::filesystem::path out;
};

/// Trials of a search and other settings of a method ("pre_gru_fc6+lr=0.001") can be compared, but are suggested to nobody who names none.
void expect_known(const records::Samples& samples, std::string Quantity::*axis, const std::string& kind, const std::string& name) {
  std::set<std::string> known, suggested;
  for (const auto& [quantity, sample] : samples) {
    known.insert(quantity.*axis);
    if ((quantity.*axis).find('+') == std::string::npos || name.find('+') != std::string::npos) suggested.insert(quantity.*axis);
  }
  if (!name.empty() && !known.contains(name)) throw unknown(kind, name, {suggested.begin(), suggested.end()});
}

/// Without --metric: what can be better or worse. What is neither (a chosen learning rate, an epoch) is not for comparing.
std::vector<PairedMethods> pairs_of(const records::Samples& samples, const CompareOptions& options) {
  return records::pair_methods(
      samples, options.methods[0], [&](const std::string& method) { return matches_glob(method, options.methods[1]); },
      [&](const Quantity& quantity, const Sample& sample) {
        return (options.metric.empty() ? sample.direction != Direction::Neither : quantity.metric == options.metric) &&
               (options.dataset.empty() || quantity.dataset == options.dataset) &&
               (options.table.empty() || quantity.table == options.table);
      });
}

/// Which of the two has fewer seeds than the other; "" when both have as many.
std::string with_fewer_seeds(const PairedMethods& pair) {
  return pair.seeds_a < pair.seeds_b ? pair.a.method : pair.seeds_b < pair.seeds_a ? pair.b : "";
}

json to_json(const PairedMethods& pair) {
  const bool tested = pair.test.n > 1;
  const auto fewer = with_fewer_seeds(pair);
  return {{"table", pair.a.table},
          {"dataset", pair.a.dataset},
          {"metric", pair.a.metric},
          {"a", pair.a.method},
          {"b", pair.b},
          {"n", pair.test.n},
          {"mean_a", records::mean(pair.values_a)},
          {"mean_b", records::mean(pair.values_b)},
          {"difference", pair.test.difference},
          {"interval", tested ? json::array({pair.test.interval.low, pair.test.interval.high}) : json()},
          {"confidence", tested ? json(pair.confidence) : json()},
          {"p", tested ? json(pair.test.p_two_sided) : json()},
          {"p_holm", tested ? json(pair.holm) : json()},
          {"p_wilcoxon", pair.wilcoxon ? json(*pair.wilcoxon) : json()},
          {"seeds_needed", pair.needed ? json(*pair.needed) : json()},
          {"seeds_a", pair.seeds_a},
          {"seeds_b", pair.seeds_b},
          {"fewer_seeds", fewer.empty() ? json() : json(fewer)},
          {"verdict", records::decision_text(pair)}};
}

std::string text_of(const PairedMethods& pair) {
  std::string text = fmt::format("{}/{} {}: {} {:.4g}, {} {:.4g}, difference {:+.3g}", pair.a.table, pair.a.dataset, pair.a.metric,
                                 pair.a.method, records::mean(pair.values_a), pair.b, records::mean(pair.values_b), pair.test.difference);
  if (pair.test.n > 1)
    text += fmt::format(" [{:+.3g}, {:+.3g}], p {:.3g}, Holm {:.3g}", pair.test.interval.low, pair.test.interval.high,
                        pair.test.p_two_sided, pair.holm);
  if (pair.wilcoxon) text += fmt::format(", Wilcoxon {:.3g}", *pair.wilcoxon);
  text += fmt::format(", n {}: {}", pair.test.n, records::decision_text(pair));
  if (pair.test.n > 1 && !pair.equal() && records::decision(pair) == records::Decision::NoDifference)
    text +=
        pair.needed ? fmt::format("; if it were real, {} seeds would show it", *pair.needed) : "; more than 100000 seeds would be needed";
  if (const auto fewer = with_fewer_seeds(pair); !fewer.empty())
    text += fmt::format(" († {} has fewer seeds: {} against {})", fewer, std::min(pair.seeds_a, pair.seeds_b),
                        std::max(pair.seeds_a, pair.seeds_b));
  return text + "\n";
}

std::string table_csv(const std::vector<PairedMethods>& pairs) {
  const auto titles = {"table",      "dataset",      "metric",  "a",       "b",          "n", "mean_a",
                       "mean_b",     "difference",   "low",     "high",    "confidence", "p", "p_holm",
                       "p_wilcoxon", "seeds_needed", "seeds_a", "seeds_b", "verdict"};
  std::string out = csv_line({titles.begin(), titles.end()}) + "\n";
  for (const auto& pair : pairs) {
    auto values = to_json(pair);
    const auto interval = values.at("interval");
    values["low"] = interval.is_null() ? json() : interval[0];
    values["high"] = interval.is_null() ? json() : interval[1];
    std::vector<std::string> fields;
    for (const auto* title : titles) {
      const auto& value = values.at(title);
      fields.push_back(value.is_null() ? "" : value.is_string() ? value.get<std::string>() : number_text(value.get<double>()));
    }
    out += csv_line(fields) + "\n";
  }
  return out;
}

std::string table_markdown(const std::vector<PairedMethods>& pairs) {
  std::string out =
      "| table | dataset | metric | a | mean | b | mean | a - b | interval | p (Holm) | n | verdict |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const auto& pair : pairs) {
    const bool tested = pair.test.n > 1;
    const auto& [low, high] = pair.test.interval;
    const auto fields = {pair.a.table,
                         pair.a.dataset,
                         pair.a.metric,
                         pair.a.method,
                         fmt::format("{:.4g}", records::mean(pair.values_a)),
                         pair.b,
                         fmt::format("{:.4g}", records::mean(pair.values_b)),
                         fmt::format("{:+.3g}", pair.test.difference),
                         tested ? fmt::format("{:+.3g} to {:+.3g} ({:.4g} %)", low, high, 100 * pair.confidence) : "",
                         tested ? fmt::format("{:.3g}", pair.holm) : "",
                         std::to_string(pair.test.n),
                         records::decision_text(pair)};
    for (const auto& field : fields) out += "| " + reports::escape_markdown(field) + " ";
    out += "|\n";
  }
  return out + "\n" + how_tested + "\n";
}

/// By the ending of the file's name.
std::string (*table_for(const std::filesystem::path& file))(const std::vector<PairedMethods>&) {
  if (file.extension() == ".csv") return table_csv;
  if (file.extension() == ".md") return table_markdown;
  throw UsageError("--out " + file.string() + " ends in neither .csv nor .md", "name a file that does: comparison.csv, comparison.md");
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?") != std::string::npos; }

void compare(Call& call, const CompareOptions& options) {
  if (options.methods.size() != 2)
    throw UsageError("--methods names " + std::to_string(options.methods.size()) + " methods",
                     "name two: --methods A,B; B may be a pattern: 'trad_*', or '*' for every other");
  const auto table = options.out.empty() ? nullptr : table_for(options.out);
  read_description(options.results);
  say_growth(options.results);
  const auto store = cells_in(options.results, records::Damage::PassOver);
  const auto samples = named(options.results.string(), [&] { return records::aggregate(store.all()); });
  expect_known(samples, &Quantity::method, "method", options.methods[0]);
  if (!is_pattern(options.methods[1])) expect_known(samples, &Quantity::method, "method", options.methods[1]);
  expect_known(samples, &Quantity::metric, "metric", options.metric);
  expect_known(samples, &Quantity::dataset, "dataset", options.dataset);
  expect_known(samples, &Quantity::table, "table", options.table);
  auto pairs = named(options.results.string(), [&] { return pairs_of(samples, options); });
  if (options.methods[0] == options.methods[1])
    throw UsageError("--methods " + join(options.methods, ",") + " names one method twice", "name two: --methods A,B");
  if (pairs.empty())
    throw UsageError(join(options.methods, " and ") + " have no table, dataset, metric and seed in common there",
                     "choose others, or run the missing cells");
  records::compare_pairs(pairs);
  json list = json::array();
  std::string text = unreadable_text(store.passed_over());
  for (const auto& pair : pairs) {
    list.push_back(to_json(pair));
    text += text_of(pair);
  }
  if (table) write_file(options.out, table(pairs));
  call.answer({{"comparisons", list}, {"unreadable", unreadable_json(store.passed_over())}, {"test", how_tested}},
              text + how_tested + "\n" + (table ? "table: " + options.out.string() + "\n" : ""));
}

}  // namespace

void add_compare(CLI::App& app, Call& call) {
  auto* verb = add_verb(app, call, "compare",
                        "Compare two methods, or one with many, paired over seeds: difference, interval, test, verdict, seeds needed.",
                        "reprise compare results/prernn/quick --methods pre_gru_fc6,trad_gru_1 --metric auc");
  const auto options = std::make_shared<CompareOptions>();
  verb->add_option("RESULTS", options->results, "a results folder")->required();
  verb->add_option("--methods", options->methods, "A,B: the two methods; B may be a pattern, as 'trad_*' or '*'")
      ->required()
      ->delimiter(',');
  verb->add_option("--metric", options->metric, "one metric (default: all that have a direction)");
  verb->add_option("--dataset", options->dataset, "one dataset (default: all)");
  verb->add_option("--table", options->table, "one table (default: all)");
  verb->add_option("--out", options->out, "write the comparisons as a table, too: FILE.csv (every number in full) or FILE.md");
  verb->callback([options, &call] { compare(call, *options); });
}

}  // namespace reprise::reproduce
