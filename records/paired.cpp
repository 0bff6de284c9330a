#include "records/paired.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "statistics/power.h"

namespace reprise::records {
namespace {

PairedMethods pair_samples(const Quantity& quantity, const Sample& a, const Quantity& other,
                           const Sample& b) {
  // Different protocols measure different things.
  if (a.protocol != b.protocol)
    throw Error(quantity.text() + " has protocol " + a.protocol + ", " + other.text() + " has " +
                    b.protocol,
                "run both with the same settings");
  PairedMethods pair{.a = quantity,
                     .b = other.method,
                     .direction = a.direction,
                     .unit = a.unit,
                     .seeds_a = a.n(),
                     .seeds_b = b.n()};
  for (std::size_t i = 0; i < a.seeds.size(); ++i) {
    const auto place = std::find(b.seeds.begin(), b.seeds.end(), a.seeds[i]);
    if (place == b.seeds.end()) continue;
    pair.values_a.push_back(a.values[i]);
    pair.values_b.push_back(b.values[static_cast<std::size_t>(place - b.seeds.begin())]);
  }
  return pair;
}

/// Returns for each comparison how many share its level: those from its step of Holm's method on,
/// until a step decides nothing.
std::vector<std::size_t> holm_steps(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size()), steps(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return p[i] < p[j]; });
  // Holm's method ends at the first p-value that is not significant; later ones share its level.
  std::size_t step = p.size();
  bool deciding = true;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    if (deciding) step = p.size() - rank;
    steps[order[rank]] = step;
    deciding = deciding && static_cast<double>(step) * p[order[rank]] < comparison_level;
  }
  return steps;
}

}  // namespace

std::vector<PairedMethods> pair_methods(
    const Samples& samples, const std::string& a,
    const std::function<bool(const std::string&)>& other,
    const std::function<bool(const Quantity&, const Sample&)>& chosen) {
  std::vector<PairedMethods> pairs;
  for (const auto& [quantity, sample] : samples) {
    if (quantity.method != a || !chosen(quantity, sample)) continue;
    for (const auto& [rival, theirs] : samples) {
      if (rival.table != quantity.table || rival.dataset != quantity.dataset ||
          rival.metric != quantity.metric)
        continue;
      if (rival.method == a || !other(rival.method)) continue;
      auto pair = pair_samples(quantity, sample, rival, theirs);
      if (!pair.values_a.empty()) pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

void compare_pairs(std::vector<PairedMethods>& pairs) {
  std::vector<double> p;
  for (auto& pair : pairs) {
    if (pair.values_a.size() < 2) {
      pair.test.n = static_cast<int>(pair.values_a.size());
      pair.test.difference = pair.values_a.at(0) - pair.values_b.at(0);
      continue;
    }
    pair.test = statistics::paired_t(pair.values_a, pair.values_b);
    if (pair.test.n >= wilcoxon_seeds)
      pair.wilcoxon = statistics::wilcoxon_signed_rank(pair.values_a, pair.values_b).p_two_sided;
    p.push_back(pair.test.p_two_sided);
  }
  const auto adjusted = statistics::adjust_by_holm(p);
  const auto steps = holm_steps(p);
  // The strictest step of Holm's method.
  const double level = comparison_level / static_cast<double>(std::max<std::size_t>(p.size(), 1));
  // Adjusted values and steps exist only for the tested pairs, in their order.
  std::size_t next = 0;
  for (auto& pair : pairs) {
    if (pair.test.n < 2) continue;
    pair.holm = adjusted[next];
    pair.confidence = 1 - comparison_level / static_cast<double>(steps[next++]);
    pair.test.interval =
        statistics::paired_t(pair.values_a, pair.values_b, pair.confidence).interval;
    const double difference = std::abs(pair.test.difference);
    const double deviation = pair.test.std_dev;
    if (deviation > 0 && difference > 0)
      pair.needed = statistics::seeds_needed(difference / deviation, level);
    else if (difference > 0)
      // Equal differences: the sign test needs 2^(1 - n) < level.
      pair.needed = static_cast<int>(std::floor(1 - std::log2(level))) + 1;
  }
}

Decision decision(const PairedMethods& pair) {
  if (pair.test.n < 2) return Decision::OneSeed;
  if (pair.holm >= comparison_level) return Decision::NoDifference;
  if (pair.direction == Direction::Neither) return Decision::Differs;
  return (pair.test.difference > 0) == (pair.direction == Direction::HigherIsBetter)
             ? Decision::ABetter
             : Decision::BBetter;
}

std::string decision_text(const PairedMethods& pair) {
  switch (decision(pair)) {
    case Decision::OneSeed:
      return "inconclusive: one seed";
    case Decision::NoDifference:
      return pair.equal() ? "no difference: equal in every seed"
                          : "inconclusive: no difference shown";
    case Decision::Differs:
      return "they differ";
    case Decision::ABetter:
      return pair.a.method + " is better";
    case Decision::BBetter:
      break;
  }
  return pair.b + " is better";
}

}  // namespace reprise::records
