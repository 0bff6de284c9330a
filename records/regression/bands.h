// The change of every quantity, seed by seed, and what its band rests on
// (records/regression/check.h has the formulas).
#pragma once
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "records/regression/reference.h"
#include "statistics/spread.h"
#include "statistics/statistics.h"

namespace reprise::records {

/// t_{1-alpha, freedom}; the quantities of a table ask for few different ones.
class Quantiles {
 public:
  double operator()(double alpha, double freedom) {
    const auto [at, fresh] = known_.try_emplace({alpha, freedom}, 0);
    if (fresh) at->second = student_quantile(1 - alpha, freedom);
    return at->second;
  }

 private:
  std::map<std::pair<double, double>, double> known_;
};

/// A quantity's values before and now, of the seeds that the reference and the run share: at least
/// two.
struct Paired {
  /// By the run's platform where the reference knows it, else by its first one.
  std::vector<double> before{};
  Sample now{};               ///< the shared seeds alone
  bool own_platform = false;  ///< `before` is of the run's platform
  Spread spread{};            ///< of the change over seeds, moderated over the table
  double t = 0;               ///< the quantile that its part of the level asks for
  double band() const;        ///< of the mean change
};
using Pairs = std::map<Quantity, Paired>;

/// How much the mean of shared seeds may change by another machine's rounding, however alike the
/// changes of the seeds: as a standard deviation, of the mean.
inline constexpr double least_change = 2e-3;

/// How many tables have something that guards, at least 1: each gets its share of the levels.
double guarded_tables(const Reference& reference);

/// Nothing where fewer than two seeds are shared. `platform`: the place of the run's platform among
/// those of the reference.
std::optional<Paired> pair_seeds(const ReferenceEntry& entry, const Sample& now,
                                 std::size_t platform);

/// Fills in spreads and quantiles.
void set_bands(const Reference& reference, Pairs& pairs);

}  // namespace reprise::records
