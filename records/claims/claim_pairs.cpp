#include "records/claims/claim_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "records/external.h"
#include "records/trial.h"
#include "statistics/power.h"
#include "statistics/statistics.h"

namespace reprise::records {
namespace {

/// The record of the same seed, when it is done.
const Record* finished_record(const ClaimRecords::Seeds& seeds, std::int64_t seed) {
  const auto found = seeds.find(seed);
  return found != seeds.end() && found->second->status == Status::Done ? found->second : nullptr;
}

/// The lowest value; not a number where no value is one.
double lowest_value(const std::vector<double>& curve) {
  double best = std::numeric_limits<double>::quiet_NaN();
  // fmin skips NaN unless both values are NaN.
  for (const double value : curve) best = std::fmin(best, value);
  return best;
}

double first_as_good(const std::vector<double>& curve, double target) {
  const auto reached =
      std::find_if(curve.begin(), curve.end(), [&](double value) { return value <= target; });
  return static_cast<double>(reached - curve.begin() + 1);
}

/// A metric of the record, or a count of its parameters.
std::optional<double> find_value(const Record& record, const std::string& name) {
  // Counts of parameters are no metrics; the prefix keeps their names apart.
  constexpr std::string_view parameters = "parameters.";
  if (name.starts_with(parameters)) {
    const auto found = record.parameters.find(name.substr(parameters.size()));
    return found == record.parameters.end() ? std::nullopt
                                            : std::optional(static_cast<double>(found->second));
  }
  const Metric* found = find_metric(record, name);
  return found ? std::optional(found->value) : std::nullopt;
}

std::vector<double> list_gains(const std::map<std::int64_t, double>& gains) {
  std::vector<double> values;
  for (const auto& [seed, gain] : gains) values.push_back(gain);
  return values;
}

/// Without a spread there is no interval: both ends are the effect then, as of one seed, and no
/// page shows them.
std::pair<double, double> interval_ends(const statistics::PairedTest& test) {
  return test.interval ? std::pair(test.interval->low, test.interval->high)
                       : std::pair(test.difference, test.difference);
}

/// Tests paired differences, as paired_t does for pairs.
statistics::PairedTest test_differences(const std::map<std::int64_t, double>& gains,
                                        double test_over_train) {
  const auto values = list_gains(gains);
  // The gains are paired with zeros. A two-sided interval at 1 - 2 level excludes `level` on either
  // side.
  return statistics::paired_t(values, std::vector<double>(values.size(), 0), 1 - 2 * claim_level,
                              test_over_train);
}

}  // namespace

ClaimRecords::ClaimRecords(const Store& store, const std::set<std::string>& own,
                           std::vector<ResamplingRule> resampling_rules)
    : store_(store),
      own_(own),
      resampling_rules_(std::move(resampling_rules)),
      records_(store.shared_all()) {
  // Claims are about the methods of the document.
  std::erase_if(records_, [](const auto& record) { return is_external(*record); });
  for (const auto& record : records_)
    methods_[{record->cell.table, record->cell.dataset, record->cell.method}].emplace(
        record->cell.seed, record.get());
}

ClaimRecords::ClaimRecords(const ClaimRecords& all, const std::set<std::int64_t>& left_out)
    : store_(all.store_),
      own_(all.own_),
      resampling_rules_(all.resampling_rules_),
      methods_(all.methods_) {
  for (auto& [key, seeds] : methods_)
    std::erase_if(seeds, [&](const auto& entry) { return left_out.contains(entry.first); });
}

std::set<ClaimRecords::Key> ClaimRecords::methods() const {
  std::set<Key> keys;
  for (const auto& [key, seeds] : methods_) keys.insert(key);
  return keys;
}

const ClaimRecords::Seeds& ClaimRecords::seeds(const Key& key) const {
  static const Seeds none;
  const auto found = methods_.find(key);
  return found == methods_.end() ? none : found->second;
}

std::vector<std::pair<ClaimRecords::Key, ClaimRecords::Key>> ClaimRecords::matching(
    const std::string& table, const std::regex& dataset, const std::regex& methods,
    const std::string& than_table, const std::string& than) const {
  std::vector<std::pair<Key, Key>> found;
  for (const auto& [key, seeds] : methods_)
    if (auto other = find_other(key, table, dataset, methods, than_table, than, own_))
      found.emplace_back(key, std::move(*other));
  return found;
}

std::optional<ClaimRecords::Key> find_other(const ClaimRecords::Key& key, const std::string& table,
                                            const std::regex& dataset, const std::regex& methods,
                                            const std::string& than_table, const std::string& than,
                                            const std::set<std::string>& own) {
  const auto& [its_table, its_dataset, method] = key;
  std::smatch groups;
  if (its_table != table || !(own.empty() || own.contains(base_method(method))))
    return std::nullopt;
  if (!std::regex_match(its_dataset, dataset) || !std::regex_match(method, groups, methods))
    return std::nullopt;
  // format() replaces $& and $1, $2, ... by what the pattern matched.
  return ClaimRecords::Key{than_table, its_dataset, groups.format(than)};
}

const ResamplingRule* ClaimRecords::resampling_rule(const std::string& table,
                                                    const std::string& dataset) const {
  const auto fits = [&](const ResamplingRule& entry) {
    return std::regex_match(table, entry.table) && std::regex_match(dataset, entry.dataset);
  };
  const auto found = std::find_if(resampling_rules_.begin(), resampling_rules_.end(), fits);
  return found == resampling_rules_.end() ? nullptr : &*found;
}

int unfinished_cells(const ClaimRecords::Seeds& seeds) {
  return static_cast<int>(std::count_if(seeds.begin(), seeds.end(), [](const auto& entry) {
    return entry.second->status != Status::Done;
  }));
}

Gains metric_gains(const std::string& metric, const std::string& than_metric, bool directed,
                   const ClaimRecords::Seeds& method, const ClaimRecords::Seeds& than) {
  Gains gains;
  for (const auto& [seed, record] : method) {
    const Metric* mine = record->status == Status::Done ? find_metric(*record, metric) : nullptr;
    if (!mine) continue;
    // Set before the counterpart is looked up: the first method has the metric even if the other
    // did not finish.
    gains.has_quantity = true;
    const Record* other = finished_record(than, seed);
    const Metric* theirs = other ? find_metric(*other, than_metric) : nullptr;
    if (!theirs) continue;
    gains.unit = mine->unit;
    gains.protocols.insert({mine->protocol, theirs->protocol});
    if (mine->direction == Direction::Neither && directed)
      throw UsageError(
          fmt::format(
              "metric '{}' of cell {} has no better direction, so no method can be better in it",
              metric, record->cell.id()),
          "claim another metric, or use kind = \"similar\"");
    // Gains are oriented so that > 0 is better; the bound is the best possible value of a fraction
    // or error.
    const double sign = mine->direction == Direction::LowerIsBetter ? -1 : 1;
    const double bound = sign < 0 ? 0 : 1;
    gains.by_seed[seed] = sign * mine->value - sign * theirs->value;
    gains.at_bound += mine->value == bound && theirs->value == bound && mine->unit.empty();
  }
  return gains;
}

Gains epoch_gains(const std::string& curve, const ClaimRecords::Seeds& method,
                  const ClaimRecords::Seeds& than, const Store& store) {
  Gains gains{.unit = "epochs"};
  for (const auto& [seed, record] : method) {
    if (record->status != Status::Done) continue;
    const Curves mine = store.curves(record->cell);
    if (mine.empty()) gains.missing = store.missing_curves(record->cell);
    if (!mine.contains(curve)) continue;
    gains.has_quantity = true;
    const Record* other = finished_record(than, seed);
    const Curves theirs = other ? store.curves(other->cell) : Curves{};
    if (other && theirs.empty()) gains.missing = store.missing_curves(other->cell);
    if (!theirs.contains(curve)) continue;
    const double best = lowest_value(mine.at(curve));
    const double other_best = lowest_value(theirs.at(curve));
    // A curve without any number has no epoch to compare.
    if (std::isnan(best) || std::isnan(other_best)) continue;
    // Both curves reach the worse of the two best values.
    const double target = std::max(best, other_best);
    gains.by_seed[seed] =
        first_as_good(theirs.at(curve), target) - first_as_good(mine.at(curve), target);
  }
  return gains;
}

RatioGains ratios(const std::string& metric, const std::string& than_metric,
                  const ClaimRecords::Seeds& method, const ClaimRecords::Seeds& than) {
  RatioGains gains;
  for (const auto& [seed, record] : method) {
    const auto mine = record->status == Status::Done ? find_value(*record, metric) : std::nullopt;
    if (!mine) continue;
    gains.has_quantity = true;
    const Record* other = finished_record(than, seed);
    const auto theirs = other ? find_value(*other, than_metric) : std::nullopt;
    // A ratio to 0 is undefined, so the seed is left out.
    if (theirs && *theirs != 0) gains.by_seed[seed] = *mine / *theirs;
  }
  return gains;
}

void test_gains(const ClaimTest& test, Comparison& comparison) {
  comparison.n = static_cast<int>(comparison.gains.size());
  if (comparison.n == 1)
    comparison.effect = comparison.low = comparison.high = comparison.gains.begin()->second;
  // One seed has no spread: there is an effect but no test.
  if (comparison.n < 2) return;
  const auto paired = test_differences(comparison.gains, comparison.test_over_train);
  comparison.effect = paired.difference;
  std::tie(comparison.low, comparison.high) = interval_ends(paired);
  // Non-inferiority: the gain must exceed -margin. Methods that are equal in every seed satisfy it.
  if (test.kind == ClaimKind::NoWorse && test.margin) {
    comparison.p = paired.p_above(-*test.margin);
    comparison.p_against = paired.p_below(-*test.margin);
    return;
  }
  // Methods that are equal in every seed decide nothing.
  if (paired.difference == 0 && paired.std_dev == 0) return;
  if (test.kind == ClaimKind::Similar && test.margin) {
    comparison.p = statistics::equivalence_p(paired, *test.margin);
    // A difference beyond either margin contradicts similarity.
    comparison.p_against = std::min(paired.p_above(*test.margin), paired.p_below(-*test.margin));
    return;
  }
  // If the claim names an amount, the gain must exceed it. A gain below it contradicts the claim.
  if (test.at_least) {
    comparison.p = paired.p_above(*test.at_least);
    comparison.p_against = paired.p_below(*test.at_least);
    return;
  }
  // A difference within the margin is no effect, however certain its sign is. Only one beyond the
  // margin contradicts the claim.
  comparison.p = paired.p_greater;
  comparison.p_against = paired.p_below(-test.margin.value_or(0));
  if (test.margin) comparison.p_none = statistics::equivalence_p(paired, *test.margin);
}

std::optional<int> seeds_to_decide(const ClaimTest& test, std::size_t steps,
                                   const Comparison& comparison) {
  if (comparison.n < 2 || comparison.effect == 0 || test.kind == ClaimKind::Similar ||
      test.kind == ClaimKind::NoWorse)
    return std::nullopt;
  const auto paired = test_differences(comparison.gains, comparison.test_over_train);
  if (paired.std_dev == 0) return std::nullopt;
  // The power is that of the two-sided test at twice the level, which is the one-sided test except
  // for the far tail. The distance is measured to the bound of the test: 0, the amount that must be
  // exceeded, or the margin that a loss must exceed.
  double bound = test.at_least.value_or(0);
  if (!test.at_least && comparison.effect < 0) bound = -test.margin.value_or(0);
  const double distance = paired.difference - bound;
  if (distance == 0) return std::nullopt;
  const auto needed = statistics::seeds_needed(distance / paired.std_dev,
                                               2 * claim_level / static_cast<double>(steps), 0.8,
                                               comparison.test_over_train);
  // The present seeds did not decide, so at least one more is needed.
  return needed ? std::optional(std::max(*needed, comparison.n + 1)) : std::nullopt;
}

std::vector<Effect> pooled_effects(const std::vector<Comparison>& comparisons) {
  // A method that is compared with itself in another metric has no counterpart to name.
  const auto other_name = [](const Comparison& comparison) {
    return comparison.than == comparison.method ? "" : comparison.than;
  };
  const auto one_metric = [](const auto& a, const auto& b) {
    return a.table == b.table && a.metric == b.metric;
  };
  // Whether the metric has comparisons with several others.
  const auto several = [&](const Comparison& of) {
    return std::ranges::any_of(comparisons, [&](const auto& other) {
      return one_metric(other, of) && other_name(other) != other_name(of);
    });
  };
  std::vector<Effect> effects;
  for (const auto& first : comparisons) {
    const bool split = several(first);
    const std::string than = split ? other_name(first) : "";
    const auto pooled_with = [&](const Comparison& other) {
      return one_metric(other, first) && (!split || other_name(other) == than);
    };
    if (std::ranges::any_of(effects, [&](const Effect& known) {
          return one_metric(known, first) && known.than == than;
        }))
      continue;
    Effect effect{
        .table = first.table, .metric = first.metric, .than = than, .margin = first.margin};
    // The comparisons are averaged within each seed. The interval is then over seeds, which are
    // independent; comparisons of one seed are not.
    std::map<std::int64_t, std::vector<double>> by_seed;
    double test_over_train = 0;
    for (const auto& comparison : comparisons) {
      if (!pooled_with(comparison) || comparison.gains.empty()) continue;
      ++effect.comparisons;
      effect.unit = comparison.unit;
      test_over_train = std::max(test_over_train, comparison.test_over_train);
      for (const auto& [seed, gain] : comparison.gains) by_seed[seed].push_back(gain);
    }
    std::map<std::int64_t, double> pooled;
    for (const auto& [seed, gains] : by_seed)
      // Only seeds that all comparisons share: a mean over a changing set would not be paired.
      if (gains.size() == static_cast<std::size_t>(effect.comparisons))
        pooled[seed] = statistics::mean(gains);
    effect.n = static_cast<int>(pooled.size());
    if (effect.n == 1) effect.effect = effect.low = effect.high = pooled.begin()->second;
    if (effect.n > 1) {
      const auto paired = test_differences(pooled, test_over_train);
      effect.effect = paired.difference;
      std::tie(effect.low, effect.high) = interval_ends(paired);
    }
    effects.push_back(effect);
  }
  return effects;
}

}  // namespace reprise::records
