#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "core/named.h"
#include "core/text.h"
#include "records/paired.h"
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

struct CompareOptions {
  std::filesystem::path results;
  std::vector<std::string> methods;
  std::string metric, dataset, table;
};

std::vector<std::string> seen(const records::Samples& samples, std::string Quantity::*axis) {
  std::set<std::string> names;
  for (const auto& [quantity, sample] : samples) names.insert(quantity.*axis);
  return {names.begin(), names.end()};
}

void expect_known(const records::Samples& samples, std::string Quantity::*axis, const std::string& kind, const std::string& name) {
  const auto known = seen(samples, axis);
  if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) throw unknown(kind, name, known);
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
          {"p", tested ? json(pair.test.p_two_sided) : json()},
          {"p_holm", tested ? json(pair.holm) : json()},
          {"p_wilcoxon", tested ? json(pair.wilcoxon) : json()},
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
    text += fmt::format(" [{:+.3g}, {:+.3g}], p {:.3g}, Holm {:.3g}, Wilcoxon {:.3g}", pair.test.interval.low, pair.test.interval.high,
                        pair.test.p_two_sided, pair.holm, pair.wilcoxon);
  text += fmt::format(", n {}: {}", pair.test.n, records::decision_text(pair));
  if (pair.test.n > 1 && records::decision(pair) == records::Decision::NoDifference)
    text +=
        pair.needed ? fmt::format("; if it were real, {} seeds would show it", *pair.needed) : "; more than 100000 seeds would be needed";
  if (const auto fewer = with_fewer_seeds(pair); !fewer.empty())
    text += fmt::format(" († {} has fewer seeds: {} against {})", fewer, std::min(pair.seeds_a, pair.seeds_b),
                        std::max(pair.seeds_a, pair.seeds_b));
  return text + "\n";
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?") != std::string::npos; }

void compare(Call& call, const CompareOptions& options) {
  if (options.methods.size() != 2)
    throw UsageError("--methods names " + std::to_string(options.methods.size()) + " methods",
                     "name two: --methods A,B; B may be a pattern: 'trad_*', or '*' for every other");
  read_description(options.results);
  const auto store = cells_in(options.results, records::Damage::PassOver);
  const auto samples = named(options.results.string(), [&] { return records::aggregate(store.all()); });
  expect_known(samples, &Quantity::method, "method", options.methods[0]);
  if (!is_pattern(options.methods[1])) expect_known(samples, &Quantity::method, "method", options.methods[1]);
  expect_known(samples, &Quantity::metric, "metric", options.metric);
  expect_known(samples, &Quantity::dataset, "dataset", options.dataset);
  expect_known(samples, &Quantity::table, "table", options.table);
  auto pairs = named(options.results.string(), [&] { return pairs_of(samples, options); });
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
  call.answer({{"comparisons", list},
               {"unreadable", unreadable_json(store.passed_over())},
               {"test",
                "paired t over seeds, two-sided, Holm over the comparisons listed, level 0.05; seeds needed for power 0.8 at the "
                "spread seen, at the strictest step of Holm's method"}},
              text +
                  "paired t over seeds, two-sided, 95 % interval; Holm over the comparisons listed, level 0.05; seeds for power 0.8 at the "
                  "spread seen\n");
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
  verb->callback([options, &call] { compare(call, *options); });
}

}  // namespace reprise::reproduce
