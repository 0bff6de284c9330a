// Bands of the changes of every quantity, seed by seed (records/regression/check.h has the
// formulas).
#pragma once
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "records/regression/reference.h"
#include "statistics/spread.h"
#include "statistics/statistics.h"

namespace reprise::records {

/// Cache of t_{1-alpha, freedom}: the quantities of a table need few different ones.
class Quantiles {
 public:
  double operator()(double alpha, double freedom) {
    const auto [at, fresh] = known_.try_emplace({alpha, freedom}, 0);
    if (fresh) at->second = statistics::student_quantile(1 - alpha, freedom);
    return at->second;
  }

 private:
  std::map<std::pair<double, double>, double> known_;
};

/// Values of a quantity before and now, for the common seeds of reference and run: at least two.
struct PairedChanges {
  /// By the run's platform where the reference knows it, else by its first one.
  std::vector<double> before{};
  Sample now{};                 ///< the shared seeds alone
  bool own_platform = false;    ///< `before` is of the run's platform
  statistics::Spread spread{};  ///< of the change over seeds, moderated over the table
  double t = 0;                 ///< the quantile that its part of the level asks for
  double band() const;          ///< of the mean change
};
using Pairs = std::map<Quantity, PairedChanges>;

/// Smallest standard deviation of a mean's change by rounding, relative to the mean, however alike
/// the seeds' changes are.
inline constexpr double least_change = 2e-3;

/// Returns the number of tables with guarding quantities, at least 1. Each gets its fraction of the
/// levels.
double guarded_tables(const Reference& reference);

/// Pairs the common seeds; nothing with fewer than two. `platform`: index of the run's platform in
/// the reference.
std::optional<PairedChanges> pair_seeds(const ReferenceEntry& entry, const Sample& now,
                                        std::size_t platform);

/// Fills in spreads and quantiles.
void set_bands(const Reference& reference, Pairs& pairs);

}  // namespace reprise::records
