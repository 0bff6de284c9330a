#include "records/claims/claim_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/text.h"
#include "statistics/statistics.h"

namespace reprise::records {
namespace {

/// Seconds that one more seed of two cells takes.
double seconds_per_seed(const ClaimRecords::Seeds& method, const ClaimRecords::Seeds& than) {
  double sum = 0;
  for (const auto* seeds : {&method, &than}) {
    std::vector<double> totals;
    for (const auto& [seed, record] : *seeds)
      if (const auto total = record->seconds.find("total"); total != record->seconds.end())
        totals.push_back(total->second);
    if (!totals.empty()) sum += statistics::mean(totals);
  }
  return sum;
}

/// Compares two methods by the test; `has_quantity` becomes true where a finished cell has its
/// metric or curve.
Comparison compare(const ClaimTest& test, const ClaimRecords& records, const ClaimRecords::Key& key,
                   const ClaimRecords::Key& other, RowOutcome& outcome, bool& has_quantity) {
  const auto& [table, dataset, method] = key;
  const auto& than = std::get<2>(other);
  const auto &mine = records.seeds(key), &theirs = records.seeds(other);
  // Similarity has no better side, so its metric needs no direction.
  const bool directed = test.kind == ClaimKind::Better || test.kind == ClaimKind::NoWorse;
  auto gains = test.kind == ClaimKind::Sooner
                   ? epoch_gains(test.metric, mine, theirs, records.store())
                   : metric_gains(test.metric, test.than_metric, directed, mine, theirs);
  has_quantity |= gains.has_quantity;
  if (!gains.missing.empty()) outcome.missing_file = gains.missing;
  // Different protocols measure different things; their difference would be meaningless.
  if (gains.protocols.size() > 1 && outcome.not_comparable.empty())
    outcome.not_comparable =
        fmt::format("{} of {} and {} on {} have the protocols {}", test.metric, method, than,
                    dataset, join({gains.protocols.begin(), gains.protocols.end()}, " and "));
  std::string quantity = test.metric;
  if (test.kind == ClaimKind::Sooner)
    quantity = "epochs to the same " + test.metric;
  else if (test.than_metric != test.metric)
    quantity += " against " + test.than_metric;
  Comparison comparison{.table = table,
                        .method = method,
                        .than = than,
                        .dataset = dataset,
                        .metric = quantity,
                        .unit = gains.unit,
                        .gains = std::move(gains.by_seed)};
  comparison.at_bound = gains.at_bound;
  comparison.margin = test.margin;
  if (test.kind == ClaimKind::Better) comparison.at_least = test.at_least;
  comparison.seconds = seconds_per_seed(mine, theirs);
  if (const auto* replicates = records.resampling_rule(table, dataset)) {
    comparison.resampling = replicates->resampling;
    comparison.test_over_train = replicates->test_over_train;
  }
  test_gains(test, comparison);
  return comparison;
}

/// Notes the ratio of two methods, which must keep the bounds in every seed.
void compare_ratio(const ClaimTest& test, const ClaimRecords& records, const ClaimRecords::Key& key,
                   const ClaimRecords::Key& other, RowOutcome& outcome, bool& has_quantity) {
  const auto found =
      ratios(test.metric, test.than_metric, records.seeds(key), records.seeds(other));
  has_quantity |= found.has_quantity;
  if (found.by_seed.empty()) return;
  const auto beyond = [&](double value) {
    return std::max(test.at_least.value_or(-INFINITY) - value,
                    value - test.at_most.value_or(INFINITY));
  };
  // The seed that is farthest outside its bounds (or nearest to them) represents the ratio.
  double farthest = found.by_seed.begin()->second;
  for (const auto& [seed, value] : found.by_seed)
    if (beyond(value) > beyond(farthest)) farthest = value;
  if (!outcome.ratio || beyond(farthest) > beyond(*outcome.ratio)) outcome.ratio = farthest;
  ++outcome.ratios;
  const int seeds = static_cast<int>(found.by_seed.size());
  outcome.ratio_seeds = outcome.ratio_seeds == 0 ? seeds : std::min(outcome.ratio_seeds, seeds);
  if (beyond(farthest) > 0)
    outcome.ratios_outside.push_back(fmt::format("{:.4g} of {} to {} on {}", farthest,
                                                 std::get<2>(key), std::get<2>(other),
                                                 std::get<1>(key)));
}

/// Corrects the p-values against the claim, because one such comparison is enough. Those for it
/// need no correction, because all must be significant.
void adjust(std::vector<Comparison>& comparisons) {
  std::vector<double> against;
  for (const auto& comparison : comparisons) against.push_back(comparison.p_against);
  against = statistics::adjust_by_holm(against);
  for (std::size_t i = 0; i < comparisons.size(); ++i) comparisons[i].p_against_holm = against[i];
}

}  // namespace

RowOutcome compare_row(const ClaimRow& row, const ClaimRecords& records) {
  RowOutcome outcome;
  std::set<ClaimRecords::Key> concerned;
  for (const auto& test : row.tests) {
    bool has_quantity = false, any_finished = false;
    for (const auto& [key, other] :
         records.matching(test.table, test.dataset, test.methods, test.than_table, test.than)) {
      // A method compared with itself in the same metric is always equal.
      if (other == key && test.than_metric == test.metric) continue;
      concerned.insert({key, other});
      const auto& seeds = records.seeds(key);
      any_finished |= unfinished_cells(seeds) < static_cast<int>(seeds.size());
      if (test.kind == ClaimKind::Ratio) {
        compare_ratio(test, records, key, other, outcome, has_quantity);
        continue;
      }
      outcome.comparisons.push_back(compare(test, records, key, other, outcome, has_quantity));
      outcome.tests.push_back(&test);
    }
    // Cells finished without the metric: it is misspelt, or was not recorded.
    if (any_finished && !has_quantity) outcome.missing_quantities.insert(test.metric);
  }
  for (const auto& key : concerned) outcome.unfinished += unfinished_cells(records.seeds(key));
  adjust(outcome.comparisons);
  return outcome;
}

}  // namespace reprise::records
