// Two methods side by side: paired over the seeds that both have, one comparison for each table,
// dataset and metric.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "records/aggregate.h"
#include "statistics/statistics.h"

namespace reprise::records {

struct PairedMethods {
  Quantity a{};     ///< of the first method
  std::string b{};  ///< the other
  Direction direction = Direction::Neither;
  std::string unit{};
  std::vector<double> values_a{}, values_b{};  ///< of the seeds that both have
  int seeds_a = 0, seeds_b = 0;                ///< that each has
  PairedTest test{};                           ///< a - b; with one seed only n and difference
  double confidence = confidence_level;        ///< of the interval of `test`; see compare_pairs
  /// signed-rank, two-sided, not adjusted; nothing below wilcoxon_seeds.
  std::optional<double> wilcoxon{};
  /// Of the t test's p, over all comparisons of the list.
  double holm = 1;
  std::optional<int> needed{};  ///< seeds for power 0.8; see compare_pairs
  bool equal() const {
    return test.n > 1 && test.difference == 0 && test.deviation == 0;
  }  ///< in every seed
};

/// The level at which a comparison is called decided.
inline constexpr double comparison_level = 0.05;
/// The fewest seeds with which Wilcoxon's test can come below that level: its least p is 2^(1 - n).
inline constexpr int wilcoxon_seeds = 6;

/// Every (table, dataset, metric) that `chosen` accepts and that both methods share with at least
/// one seed, for every method b (never a itself) that `other` accepts; sorted by quantity, then b.
/// Not tested yet. Error: the two have different protocols.
std::vector<PairedMethods> pair_methods(
    const Samples& samples, const std::string& a,
    const std::function<bool(const std::string&)>& other,
    const std::function<bool(const Quantity&, const Sample&)>& chosen);

/// Tests each pair and adjusts over all of them, intervals too: each has the level of its pair's
/// step in Holm's method, 1 - comparison_level / (number of comparisons from that step on), and
/// from the first step that decides nothing on all have that step's. So an interval leaves 0 out
/// exactly where the adjusted p is below comparison_level. Where all differences are equal there is
/// none, and their signs decide. `needed`: the fewest seeds at which a true difference as large as
/// the one seen, with the spread seen, would be found with probability 0.8, at the level
/// comparison_level / (number of comparisons tested): the strictest step of Holm's method
/// (statistics/power.h); where no seed moves the difference, at which its signs alone come below
/// that level. Nothing with one seed, with a difference of 0, and beyond 100000.
void compare_pairs(std::vector<PairedMethods>& pairs);

enum class Decision { OneSeed, NoDifference, Differs, ABetter, BBetter };
/// By the adjusted p. Differs: of a metric without direction.
Decision decision(const PairedMethods& pair);
/// "inconclusive: one seed", "no difference: equal in every seed", "A is better", ...
std::string decision_text(const PairedMethods& pair);

}  // namespace reprise::records
