#include "statistics/spread.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <optional>

#include "statistics/statistics.h"

namespace reprise::statistics {
namespace {

struct Prior {
  double variance = 0, freedom = 0;
};

/// Prior of the variances (Smyth 2004). Empty for fewer than three cells with a spread.
std::optional<Prior> estimate_prior(std::span<const Spread> spreads) {
  double count = 0;
  double total_freedom = 0;
  double sum = 0;      // of e, the corrected log s²
  double squares = 0;  // of e²
  double noise = 0;    // of the variance that few seeds alone give to e
  double fourth = 0;   // of the fourth cumulant of log s²
  for (const auto& [std_dev, freedom] : spreads) {
    if (std_dev <= 0) continue;
    // log s², corrected for its bias; its expectation does not depend on the degrees of freedom.
    const double e = 2 * std::log(std_dev) - digamma(freedom / 2) + std::log(freedom / 2);
    count += 1;
    total_freedom += freedom;
    sum += e;
    squares += e * e;
    noise += trigamma(freedom / 2);
    fourth += boost::math::polygamma(3, freedom / 2);
  }
  if (count < 3) return std::nullopt;
  const double centre = sum / count;
  noise /= count;
  // Variance of log s² beyond what few seeds alone give, plus one standard error of that estimate.
  const double true_variance =
      std::max(0.0, (squares - count * centre * centre) / (count - 1) - noise) +
      std::sqrt(noise * noise * 2 / (count - 1) + fourth / (count * count));
  Prior prior{.variance = 0,
              .freedom = std::min(total_freedom, 2 * trigamma_inverse(true_variance))};
  prior.variance = std::exp(centre + digamma(prior.freedom / 2) - std::log(prior.freedom / 2));
  return prior;
}

}  // namespace

double digamma(double x) { return boost::math::digamma(x); }
double trigamma(double x) { return boost::math::trigamma(x); }

double trigamma_inverse(double y) {
  // ψ' decreases from infinity to 0, as 1/x² near 0 and as 1/x for large x. Bisection on the
  // logarithm always converges, and this runs once per table.
  double low = std::log(1e-8);
  double high = std::log(1e8);
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (trigamma(std::exp(middle)) > y ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

std::vector<Spread> moderate_spreads(std::span<const Spread> spreads) {
  std::vector<Spread> result(spreads.begin(), spreads.end());
  const auto prior = estimate_prior(spreads);
  if (!prior) return result;
  for (auto& [std_dev, freedom] : result) {
    std_dev = std::sqrt((prior->freedom * prior->variance + freedom * std_dev * std_dev) /
                        (prior->freedom + freedom));
    freedom += prior->freedom;
  }
  // At most the degrees of freedom of all cells together.
  double all = 0;
  for (const auto& spread : spreads) all += spread.freedom;
  for (auto& spread : result) spread.freedom = std::min(spread.freedom, all);
  return result;
}

double difference_error(const Spread& spread, int old_n, int new_n) {
  return spread.std_dev * std::sqrt(1.0 / old_n + 1.0 / new_n);
}

}  // namespace reprise::statistics
