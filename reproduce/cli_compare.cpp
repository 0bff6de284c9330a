#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "records/aggregate.h"
#include "records/statistics.h"
#include "reproduce/cli.h"
#include "reproduce/names.h"
#include "reproduce/results.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;
using records::Direction;
using records::Quantity;
using records::Sample;

struct Options {
  std::filesystem::path results;
  std::vector<std::string> methods;
  std::string metric, dataset, table;
};

/// Two methods on one (table, dataset, metric), over the seeds that both have.
struct Pair {
  Quantity a;
  std::string b;
  Direction direction = Direction::Neither;
  std::vector<double> values_a, values_b;
  records::PairedTest test;
  double wilcoxon = 1, holm = 1;
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

std::vector<Pair> pairs_of(const records::Samples& samples, const Options& options) {
  std::vector<Pair> pairs;
  for (const auto& [quantity, a] : samples) {
    if (quantity.method != options.methods[0] || (!options.metric.empty() && quantity.metric != options.metric) ||
        (!options.dataset.empty() && quantity.dataset != options.dataset) || (!options.table.empty() && quantity.table != options.table))
      continue;
    // Without --metric: what can be better or worse. What is neither (a chosen learning rate, an epoch) is not for comparing.
    if (options.metric.empty() && a.direction == Direction::Neither) continue;
    Quantity other = quantity;
    other.method = options.methods[1];
    const auto found = samples.find(other);
    if (found == samples.end()) continue;
    const Sample& b = found->second;
    if (a.protocol != b.protocol)
      throw Error(quantity.text() + " has protocol " + a.protocol + ", " + other.text() + " has " + b.protocol,
                  "run both with the same settings");
    Pair pair{.a = quantity, .b = other.method, .direction = a.direction, .values_a = {}, .values_b = {}, .test = {}};
    for (std::size_t i = 0; i < a.seeds.size(); ++i) {
      const auto place = std::find(b.seeds.begin(), b.seeds.end(), a.seeds[i]);
      if (place == b.seeds.end()) continue;
      pair.values_a.push_back(a.values[i]);
      pair.values_b.push_back(b.values[static_cast<std::size_t>(place - b.seeds.begin())]);
    }
    if (!pair.values_a.empty()) pairs.push_back(std::move(pair));
  }
  return pairs;
}

void test(std::vector<Pair>& pairs) {
  std::vector<double> p;
  for (auto& pair : pairs) {
    if (pair.values_a.size() < 2) {
      pair.test.n = 1;
      pair.test.difference = pair.values_a[0] - pair.values_b[0];
      continue;
    }
    pair.test = records::paired_t(pair.values_a, pair.values_b);
    pair.wilcoxon = records::wilcoxon_signed_rank(pair.values_a, pair.values_b).p_two_sided;
    p.push_back(pair.test.p_two_sided);
  }
  const auto adjusted = records::holm(p);
  std::size_t next = 0;
  for (auto& pair : pairs)
    if (pair.test.n > 1) pair.holm = adjusted[next++];
}

std::string verdict(const Pair& pair) {
  if (pair.test.n < 2) return "inconclusive: one seed";
  if (pair.holm >= 0.05) return "inconclusive: no difference shown";
  if (pair.direction == Direction::Neither) return "they differ";
  const bool a_better = (pair.test.difference > 0) == (pair.direction == Direction::HigherIsBetter);
  return (a_better ? pair.a.method : pair.b) + " is better";
}

json to_json(const Pair& pair) {
  const bool tested = pair.test.n > 1;
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
          {"verdict", verdict(pair)}};
}

std::string text_of(const Pair& pair) {
  std::string text = fmt::format("{}/{} {}: {} {:.4g}, {} {:.4g}, difference {:+.3g}", pair.a.table, pair.a.dataset, pair.a.metric,
                                 pair.a.method, records::mean(pair.values_a), pair.b, records::mean(pair.values_b), pair.test.difference);
  if (pair.test.n > 1)
    text += fmt::format(" [{:+.3g}, {:+.3g}], p {:.3g}, Holm {:.3g}, Wilcoxon {:.3g}", pair.test.interval.low, pair.test.interval.high,
                        pair.test.p_two_sided, pair.holm, pair.wilcoxon);
  return text + fmt::format(", n {}: {}\n", pair.test.n, verdict(pair));
}

void compare(Call& call, const Options& options) {
  if (options.methods.size() != 2)
    throw UsageError("--methods names " + std::to_string(options.methods.size()) + " methods", "name two: --methods A,B");
  read_description(options.results);
  const auto samples = records::aggregate(cells_in(options.results).all());
  for (const auto& method : options.methods) expect_known(samples, &Quantity::method, "method", method);
  expect_known(samples, &Quantity::metric, "metric", options.metric);
  expect_known(samples, &Quantity::dataset, "dataset", options.dataset);
  expect_known(samples, &Quantity::table, "table", options.table);
  auto pairs = pairs_of(samples, options);
  if (pairs.empty())
    throw UsageError(join(options.methods, " and ") + " have no table, dataset, metric and seed in common there",
                     "choose others, or run the missing cells");
  test(pairs);
  json list = json::array();
  std::string text;
  for (const auto& pair : pairs) {
    list.push_back(to_json(pair));
    text += text_of(pair);
  }
  call.answer({{"comparisons", list}, {"test", "paired t over seeds, two-sided, Holm over the comparisons listed, level 0.05"}},
              text + "paired t over seeds, two-sided, 95 % interval; Holm over the comparisons listed, level 0.05\n");
}

}  // namespace

void add_compare(CLI::App& app, Call& call) {
  auto* verb = add_verb(app, call, "compare", "Compare two methods, paired over seeds: difference, interval, test, verdict.",
                        "reprise compare results/prernn/quick --methods pre_gru_fc6,trad_gru_1 --metric auc");
  const auto options = std::make_shared<Options>();
  verb->add_option("RESULTS", options->results, "a results folder")->required();
  verb->add_option("--methods", options->methods, "A,B: the two methods")->required()->delimiter(',');
  verb->add_option("--metric", options->metric, "one metric (default: all that have a direction)");
  verb->add_option("--dataset", options->dataset, "one dataset (default: all)");
  verb->add_option("--table", options->table, "one table (default: all)");
  verb->callback([options, &call] { compare(call, *options); });
}

}  // namespace reprise::reproduce
