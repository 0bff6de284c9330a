// Comparison of two methods, paired over their common seeds: one test per table, dataset and
// metric.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "records/aggregate.h"
#include "statistics/statistics.h"

namespace reprise::records {

struct PairedMethods {
  Quantity a{};     ///< quantity of the first method
  std::string b{};  ///< the other
  Direction direction = Direction::Neither;
  std::string unit{};
  std::vector<double> values_a{}, values_b{};  ///< values of the common seeds
  int seeds_a = 0, seeds_b = 0;                ///< seeds of each method
  statistics::PairedTest test{};  ///< test of a - b; with one seed only n and difference
  /// Confidence of the interval of `test`; see compare_pairs.
  double confidence = statistics::confidence_level;
  /// p of the signed-rank test, two-sided, unadjusted; nothing below wilcoxon_seeds
  std::optional<double> wilcoxon{};
  /// p of the t test after Holm's correction over the list
  double holm = 1;
  std::optional<int> needed{};  ///< seeds needed for power 0.8; see compare_pairs
  bool equal() const {
    return test.n > 1 && test.difference == 0 && test.std_dev == 0;
  }  ///< whether all seeds are equal
};

/// Level of significance of a comparison.
inline constexpr double comparison_level = 0.05;
/// Fewest seeds at which Wilcoxon's test can reach that level: its least p is 2^(1 - n).
inline constexpr int wilcoxon_seeds = 6;

/// Pairs method `a` with each method that `other` accepts, in every quantity that `chosen` accepts,
/// if they share a seed. Sorted by quantity, then b; not tested yet. Error: the two have different
/// protocols.
std::vector<PairedMethods> pair_methods(
    const Samples& samples, const std::string& a,
    const std::function<bool(const std::string&)>& other,
    const std::function<bool(const Quantity&, const Sample&)>& chosen);

/// Tests each pair and adjusts p-values and intervals by Holm's method. Each interval has the level
/// of its pair's step: 1 - comparison_level / (comparisons from that step on). From the first step
/// that decides nothing, all have that step's level. So an interval excludes 0 exactly if the
/// adjusted p is below comparison_level. `needed` is the number of seeds for power 0.8, if the
/// observed difference is the true one, at the strictest step of Holm's method
/// (statistics/power.h). Nothing with one seed, with a difference of 0, and if the search finds no
/// number. If all differences are equal there is no interval, and their signs decide.
void compare_pairs(std::vector<PairedMethods>& pairs);

enum class Decision { OneSeed, NoDifference, Differs, ABetter, BBetter };
/// Decides by the adjusted p. Differs: the metric has no direction.
Decision decision(const PairedMethods& pair);
/// "inconclusive: one seed", "no difference: equal in every seed", "A is better", ...
std::string decision_text(const PairedMethods& pair);

}  // namespace reprise::records
