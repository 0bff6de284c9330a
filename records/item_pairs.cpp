#include "records/item_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/random.h"
#include "records/normal.h"
#include "records/statistics.h"

namespace reprise::records {
namespace {

constexpr int drawn_signs = 20000;

const std::vector<double>* items_of(const Curves& curves, const std::string& metric) {
  const auto found = curves.find(items_prefix + metric);
  return found == curves.end() ? nullptr : &found->second;
}

/// P(X >= k) of n fair coins.
double coins_tail(std::int64_t k, std::int64_t n) {
  return k <= 0 ? 1 : incomplete_beta(static_cast<double>(k), static_cast<double>(n - k + 1), 0.5);
}

/// The d that differ from 0, each with what it adds to the effect.
std::vector<double> shares_of(const std::map<std::int64_t, std::vector<double>>& by_seed) {
  std::vector<double> shares;
  for (const auto& [seed, gains] : by_seed)
    for (const double gain : gains)
      if (gain != 0) shares.push_back(gain / (static_cast<double>(gains.size()) * static_cast<double>(by_seed.size())));
  return shares;
}

/// One-sided p of the sum of `shares` against sums of the same sizes with drawn signs.
void draw_signs(const std::vector<double>& shares, ItemTest& test) {
  Random random(seed_of({"records", "signs of items"}));
  const double slack =
      1e-9 * std::abs(*std::max_element(shares.begin(), shares.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  int above = 1, below = 1;
  for (int draw = 0; draw < drawn_signs; ++draw) {
    double sum = 0;
    for (const double share : shares) sum += random.chance(0.5) ? share : -share;
    above += sum >= test.effect - slack;
    below += sum <= test.effect + slack;
  }
  test.p_greater = static_cast<double>(above) / (drawn_signs + 1);
  test.p_less = static_cast<double>(below) / (drawn_signs + 1);
}

}  // namespace

ItemGains item_gains(const std::string& metric, const std::string& than_metric, bool directed, const ClaimRecords::Seeds& method,
                     const ClaimRecords::Seeds& than, const Store& store) {
  ItemGains gains;
  const auto over_seeds = metric_gains(metric, than_metric, directed, method, than);
  gains.protocols = over_seeds.protocols;
  gains.has_metric = over_seeds.has_quantity;
  for (const auto& [seed, unused] : over_seeds.by_seed) {
    const Record &mine = *method.at(seed), &theirs = *than.at(seed);
    const Curves my_curves = store.curves(mine.cell), their_curves = store.curves(theirs.cell);
    if (my_curves.empty()) gains.missing = store.missing_curves(mine.cell);
    if (their_curves.empty()) gains.missing = store.missing_curves(theirs.cell);
    const auto *a = items_of(my_curves, metric), *b = items_of(their_curves, than_metric);
    if (!a || !b) continue;
    if (a->size() != b->size() || a->empty())
      throw UsageError(fmt::format("{} keeps {} items of {}, and {} {}: they cannot be paired", mine.cell.id(), a->size(), metric,
                                   theirs.cell.id(), b->size()),
                       "run both cells again on the same test items, or judge the claim over seeds: leave out 'items'");
    const double sign = find_metric(mine, metric)->direction == Direction::LowerIsBetter ? -1 : 1;
    auto& of_seed = gains.by_seed[seed];
    for (std::size_t i = 0; i < a->size(); ++i) of_seed.push_back(sign * ((*a)[i] - (*b)[i]));
  }
  return gains;
}

double ItemTest::p_above(double bound) const { return error > 0 ? 1 - normal_below((effect - bound) / error) : 1; }
double ItemTest::p_below(double bound) const { return error > 0 ? normal_below((effect - bound) / error) : 1; }

ItemTest test_items(const std::map<std::int64_t, std::vector<double>>& by_seed) {
  ItemTest test;
  if (by_seed.empty()) return test;
  double variance = 0;
  bool even = true;
  const auto seeds = static_cast<double>(by_seed.size());
  for (const auto& [seed, gains] : by_seed) {
    test.items += static_cast<std::int64_t>(gains.size());
    test.effect += mean(gains) / seeds;
    if (gains.size() > 1) variance += std::pow(deviation(gains), 2) / static_cast<double>(gains.size());
    even &= gains.size() == by_seed.begin()->second.size();
  }
  test.error = std::sqrt(variance) / seeds;
  const auto shares = shares_of(by_seed);
  if (shares.empty()) return test;
  const double size = std::abs(shares.front());
  if (even && std::all_of(shares.begin(), shares.end(), [&](double share) { return std::abs(std::abs(share) - size) <= 1e-12 * size; })) {
    const auto all = static_cast<std::int64_t>(shares.size());
    const auto won = static_cast<std::int64_t>(std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0; }));
    test.p_greater = coins_tail(won, all);
    test.p_less = coins_tail(all - won, all);
  } else {
    draw_signs(shares, test);
  }
  return test;
}

void test_item_gains(const ClaimTest& test, double level, const ItemGains& gains, Comparison& comparison) {
  for (const auto& [seed, of_seed] : gains.by_seed) comparison.gains[seed] = mean(of_seed);
  comparison.n = static_cast<int>(comparison.gains.size());
  const auto found = test_items(gains.by_seed);
  comparison.items = found.items;
  const double half = normal_quantile(1 - level) * found.error;
  comparison.effect = found.effect;
  comparison.low = found.effect - half;
  comparison.high = found.effect + half;
  if (test.kind == ClaimKind::Similar && test.margin) {
    comparison.p = std::max(found.p_above(-*test.margin), found.p_below(*test.margin));
    comparison.p_against = std::min(found.p_above(*test.margin), found.p_below(-*test.margin));
    return;
  }
  comparison.p = found.p_greater;
  comparison.p_against = test.margin ? found.p_below(-*test.margin) : found.p_less;
  if (test.margin) comparison.p_none = std::max(found.p_above(-*test.margin), found.p_below(*test.margin));
}

}  // namespace reprise::records
