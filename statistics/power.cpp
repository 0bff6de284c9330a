#include "statistics/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <cmath>

#include "core/error.h"
#include "statistics/statistics.h"

namespace reprise::records {
namespace {

constexpr int most_seeds = 100000;
constexpr double largest_series = 1e4;  // noncentrality

/// P(U < u), U² = χ² / freedom.
double chance_below(double u, double freedom) {
  return boost::math::gamma_p(freedom / 2, freedom / 2 * u * u);
}

}  // namespace

double noncentral_t_tail(double t, double freedom, double noncentrality) {
  if (!(freedom > 0) || !std::isfinite(t) || !std::isfinite(noncentrality))
    throw Error(
        fmt::format(
            "the noncentral t distribution was asked for at t = {}, {} degrees of freedom, noncentrality {}",
            t, freedom, noncentrality),
        "the degrees of freedom must be above 0, the rest finite");
  // P(T' > t) = P(Z + noncentrality > t U): Boost sums a series whose length grows with the
  // noncentrality; far out Z no longer counts.
  if (noncentrality > largest_series) return t <= 0 ? 1 : chance_below(noncentrality / t, freedom);
  if (noncentrality < -largest_series)
    return t >= 0 ? 0 : 1 - chance_below(noncentrality / t, freedom);
  // A series that does not converge is that of a tail of 0. In float64 alone: a tenth of the time.
  using namespace boost::math::policies;
  using Noncentral = boost::math::non_central_t_distribution<
      double, policy<evaluation_error<ignore_error>, promote_double<false>>>;
  return std::clamp(
      boost::math::cdf(boost::math::complement(Noncentral(freedom, noncentrality), t)), 0.0, 1.0);
}

double paired_t_power(double effect, int n, double level, double resampled) {
  if (n < 2 || !(level > 0 && level < 1) || std::isnan(effect))
    throw Error(
        fmt::format("the power of a paired test was asked for over {} seeds at level {}, effect {}",
                    n, level, effect),
        "give two seeds or more, and a level between 0 and 1");
  if (std::isinf(effect)) return 1;
  const double freedom = n - 1, t = student_quantile(1 - level / 2, freedom),
               shift = effect / std::sqrt(1.0 / n + resampled);
  return std::min(1.0,
                  noncentral_t_tail(t, freedom, shift) + noncentral_t_tail(t, freedom, -shift));
}

std::optional<int> seeds_needed(double effect, double level, double power, double resampled) {
  if (effect == 0) return std::nullopt;
  int enough = 2;
  while (paired_t_power(effect, enough, level, resampled) < power) {
    if (enough >= most_seeds) return std::nullopt;
    enough = std::min(2 * enough, most_seeds);
  }
  int low = enough / 2;  // not enough, or 1
  while (enough - low > 1) {
    const int middle = (low + enough) / 2;
    (paired_t_power(effect, middle, level, resampled) < power ? low : enough) = middle;
  }
  return enough;
}

}  // namespace reprise::records
