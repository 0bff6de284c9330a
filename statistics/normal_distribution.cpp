#include "statistics/normal_distribution.h"

#include <fmt/format.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "core/error.h"

namespace reprise::statistics {

// erfc keeps its precision in the lower tail, where 1 + erf would cancel.
double normal_cdf(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

double normal_quantile(double p) {
  if (!(p > 0 && p < 1))
    throw Error(fmt::format("the normal quantile is undefined at p = {}", p),
                "p must lie between 0 and 1");
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p);
}

}  // namespace reprise::statistics
