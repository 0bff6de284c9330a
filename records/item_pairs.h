// Two methods compared item by item: which clips one calls right and the other wrong.
//
// A cell keeps one number an item (right or not, an error) as the curve items/METRIC, whose mean is the metric; cells of one seed have the
// same items in the same order. d_i is the paired difference of item i, oriented so that > 0 favours the first method.
//
// Null hypothesis, and it is not that of the test over seeds: of these trained networks, on items like these, neither is better; on every
// item either could have had the other's result. Signs of the d_i are then fair coins, whatever the seeds have in common and however much
// they differ, for each seed compares its own two networks on its own items. Where every d_i is 0 or of one size and seeds have as many items
// each, the test is exact: McNemar's, over the discordant items of all seeds (McNemar 1947). Else the signs are drawn 20 000 times, the same
// in every run.
//
// What it does not say: whether the method would be better were the networks trained again. Training may favour the one or the other by
// chance, in each seed; the test over seeds asks that.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "records/claim_pairs.h"

namespace reprise::records {

inline constexpr const char* items_prefix = "items/";

/// d of each item, by seed.
struct ItemGains {
  std::map<std::int64_t, std::vector<double>> by_seed{};
  std::set<std::string> protocols{};
  bool has_metric = false;  ///< some finished cell of the first has the metric, with items or without
  std::string missing{};    ///< the file of curves that is not there, where a finished cell has none
};

/// Seeds in which both kept their items. UsageError: the items of a seed differ in number (cells named); a metric without a better direction
/// where `directed`.
ItemGains item_gains(const std::string& metric, const std::string& than_metric, bool directed, const ClaimRecords::Seeds& method,
                     const ClaimRecords::Seeds& than, const Store& store);

struct ItemTest {
  std::int64_t items = 0;
  double effect = 0;                 ///< mean over seeds of the mean over items
  double error = 0;                  ///< of the effect, over items: sqrt(sum_s var_s / n_s) / S
  double p_greater = 1, p_less = 1;  ///< one-sided; both 1 where no item differs
  /// One-sided p for the alternative "effect > bound", by the normal distribution; 1 where no item differs.
  double p_above(double bound) const;
  double p_below(double bound) const;
};
ItemTest test_items(const std::map<std::int64_t, std::vector<double>>& by_seed);

/// As test_gains: fills gains, effect, interval (normal, over items) and p-values.
void test_item_gains(const ClaimTest& test, double level, const ItemGains& gains, Comparison& comparison);

}  // namespace reprise::records
