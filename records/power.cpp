#include "records/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "records/normal.h"
#include "records/statistics.h"

namespace reprise::records {
namespace {

constexpr int most_seeds = 100000;

}  // namespace

double noncentral_t_tail(double t, double freedom, double noncentrality) {
  if (!(freedom > 0) || !std::isfinite(t) || !std::isfinite(noncentrality))
    throw Error(fmt::format("the noncentral t distribution was asked for at t = {}, {} degrees of freedom, noncentrality {}", t, freedom,
                            noncentrality),
                "the degrees of freedom must be above 0, the rest finite");
  constexpr int steps = 1600;
  const double spread = 1 / std::sqrt(2 * freedom), low = std::max(0.0, 1 - 14 * spread), high = 1 + 14 * spread;
  const double log_scale = std::log(2.0) + freedom / 2 * std::log(freedom / 2) - std::lgamma(freedom / 2);
  const auto term = [&](double u) {
    if (u == 0) return freedom == 1 ? std::exp(log_scale) * normal_below(noncentrality) : 0.0;
    return std::exp(log_scale + (freedom - 1) * std::log(u) - freedom * u * u / 2) * normal_below(noncentrality - t * u);
  };
  const double width = (high - low) / steps;
  double sum = term(low) + term(high);
  for (int i = 1; i < steps; ++i) sum += term(low + i * width) * (i % 2 ? 4 : 2);
  return std::clamp(sum * width / 3, 0.0, 1.0);
}

double paired_t_power(double effect, int n, double level, double resampled) {
  if (n < 2 || !(level > 0 && level < 1) || std::isnan(effect))
    throw Error(fmt::format("the power of a paired test was asked for over {} seeds at level {}, effect {}", n, level, effect),
                "give two seeds or more, and a level between 0 and 1");
  if (std::isinf(effect)) return 1;
  const double freedom = n - 1, t = student_quantile(1 - level / 2, freedom), shift = effect / std::sqrt(1.0 / n + resampled);
  return std::min(1.0, noncentral_t_tail(t, freedom, shift) + noncentral_t_tail(t, freedom, -shift));
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
