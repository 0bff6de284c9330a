#include "statistics/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <cmath>

#include "core/error.h"
#include "statistics/statistics.h"

namespace reprise::statistics {
namespace {

// End of the search for a number of seeds. A run accepts 1000 (experiments/seeds.h), so a larger
// number only states that the effect is out of reach.
constexpr int most_seeds = 100000;
// Noncentrality up to which Boost's series is used.
constexpr double largest_series = 1e4;

/// P(U < u) for U² = χ² / freedom.
double chi_cdf(double u, double freedom) {
  return boost::math::gamma_p(freedom / 2, freedom / 2 * u * u);
}

}  // namespace

double noncentral_t_tail(double t, double freedom, double noncentrality) {
  if (!(freedom > 0) || !std::isfinite(t) || !std::isfinite(noncentrality))
    throw Error(
        fmt::format("the noncentral t distribution is undefined at t = {}, {} degrees of freedom, "
                    "noncentrality {}",
                    t, freedom, noncentrality),
        "the degrees of freedom must be above 0, the rest finite");
  // P(T' > t) = P(Z + noncentrality > t U). The length of Boost's series grows with the
  // noncentrality; for a very large one Z is negligible.
  if (noncentrality > largest_series) return t <= 0 ? 1 : chi_cdf(noncentrality / t, freedom);
  if (noncentrality < -largest_series) return t >= 0 ? 0 : 1 - chi_cdf(noncentrality / t, freedom);
  // A series that does not converge belongs to a tail of 0. Without promotion to long double it is
  // ten times faster.
  using namespace boost::math::policies;
  using Noncentral = boost::math::non_central_t_distribution<
      double, policy<evaluation_error<ignore_error>, promote_double<false>>>;
  return std::clamp(
      boost::math::cdf(boost::math::complement(Noncentral(freedom, noncentrality), t)), 0.0, 1.0);
}

double paired_t_power(double effect, int n, double level, double resampled) {
  if (n < 2 || !(level > 0 && level < 1) || std::isnan(effect))
    throw Error(
        fmt::format("the power of a paired test is undefined for {} seeds, level {}, effect {}", n,
                    level, effect),
        "give two seeds or more, and a level between 0 and 1");
  if (std::isinf(effect)) return 1;
  const double freedom = n - 1;
  const double t = student_quantile(1 - level / 2, freedom);
  const double shift = effect / std::sqrt(1.0 / n + resampled);
  // The test rejects in both tails; the lower one is the upper one of the mirrored distribution.
  return std::min(1.0,
                  noncentral_t_tail(t, freedom, shift) + noncentral_t_tail(t, freedom, -shift));
}

std::optional<int> seeds_needed(double effect, double level, double power, double resampled) {
  if (effect == 0) return std::nullopt;
  // Doubles the number of seeds until it is enough, then bisects.
  int enough = 2;
  while (paired_t_power(effect, enough, level, resampled) < power) {
    if (enough >= most_seeds) return std::nullopt;
    enough = std::min(2 * enough, most_seeds);
  }
  int low = enough / 2;  // too few, or 1
  while (enough - low > 1) {
    const int middle = (low + enough) / 2;
    (paired_t_power(effect, middle, level, resampled) < power ? low : enough) = middle;
  }
  return enough;
}

}  // namespace reprise::statistics
