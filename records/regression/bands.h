// What the bands of the accuracy check rest on (records/regression/check.h has the formulas): the spread of every quantity, and the quantile that its
// share of the level asks for.
#pragma once
#include <map>
#include <utility>

#include "records/regression/draws.h"
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

/// What the band of an entry is made from.
struct Basis {
  Spread spread;
  double t = 0;
};

/// How many tables have something that guards, at least 1: each gets its share of the levels.
double guarded_tables(const Reference& reference);

/// Of every quantity of the reference.
std::map<Quantity, Basis> bases_of(const Looks& looks);

}  // namespace reprise::records
