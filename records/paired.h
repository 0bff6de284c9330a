// Two methods side by side: paired over the seeds that both have, one comparison for each table, dataset and metric.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "records/aggregate.h"
#include "records/statistics.h"

namespace reprise::records {

struct PairedMethods {
  Quantity a{};     ///< of the first method
  std::string b{};  ///< the other
  Direction direction = Direction::Neither;
  std::vector<double> values_a{}, values_b{};  ///< of the seeds that both have
  int seeds_a = 0, seeds_b = 0;                ///< that each has
  PairedTest test{};                           ///< a - b; with one seed only n and difference
  double wilcoxon = 1;                         ///< signed-rank, two-sided
  double holm = 1;                             ///< of the t test's p, over all comparisons of the list
  std::optional<int> needed{};                 ///< seeds for power 0.8; see compare_pairs
};

/// The level at which a comparison is called decided.
inline constexpr double comparison_level = 0.05;

/// Every (table, dataset, metric) that `chosen` accepts and that both methods share with at least one seed, for every method b (never a
/// itself) that `other` accepts; sorted by quantity, then b. Not tested yet. Error: the two have different protocols.
std::vector<PairedMethods> pair_methods(const Samples& samples, const std::string& a, const std::function<bool(const std::string&)>& other,
                                        const std::function<bool(const Quantity&, const Sample&)>& chosen);

/// Tests each pair and adjusts over all of them. `needed`: the fewest seeds at which a true difference as large as the one seen, with the
/// spread seen, would be found with probability 0.8, at the level comparison_level / (number of comparisons tested): the strictest step of
/// Holm's method (records/power.h). Nothing with one seed, with a difference of 0, and beyond 100000; 2 where no seed moves the difference.
void compare_pairs(std::vector<PairedMethods>& pairs);

enum class Decision { OneSeed, NoDifference, Differs, ABetter, BBetter };
/// By the adjusted p. Differs: of a metric without direction.
Decision decision(const PairedMethods& pair);
/// "inconclusive: one seed", "A is better", ...
std::string decision_text(const PairedMethods& pair);

}  // namespace reprise::records
