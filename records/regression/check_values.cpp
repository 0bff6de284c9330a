// Values of the same seeds on the same platform: changes that rounding does not explain.
#include <algorithm>
#include <cmath>

#include "records/regression/check.h"
#include "statistics/statistics.h"

namespace reprise::records {

double direction_sign(Direction direction) {
  return direction == Direction::LowerIsBetter ? -1 : 1;
}

double same_value_tolerance(double value) { return std::max(1e-6 * std::abs(value), 1e-12); }

namespace {

/// Whether the mean of these gains is significantly below 0, at a level that excludes chance among
/// many quantities.
bool fell_beyond_chance(const std::vector<double>& gains) {
  // A false alarm in one of a million quantities.
  constexpr double level = 1e-6;
  const double error = statistics::std_dev(gains) / std::sqrt(static_cast<double>(gains.size()));
  return -statistics::mean(gains) >
         statistics::student_quantile(1 - level, static_cast<double>(gains.size()) - 1) * error;
}

/// Whether all seeds lost about as much, absolutely or relative to their values. Rounding does not
/// change all seeds alike.
bool all_seeds_fell_alike(const std::vector<double>& before, const std::vector<double>& gains) {
  // Fractions of few items move in steps, so that few seeds lose the same by chance.
  constexpr std::size_t enough_for_steps = 5;
  if (before.size() < enough_for_steps && std::all_of(before.begin(), before.end(), may_repeat))
    return false;
  std::vector<double> relative;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != 0) relative.push_back(gains[i] / std::abs(before[i]));
  return fell_beyond_chance(gains) ||
         (relative.size() == gains.size() && fell_beyond_chance(relative));
}

}  // namespace

bool fell_beyond_rounding(const std::vector<double>& before, const Sample& now) {
  if (now.direction == Direction::Neither || before.size() < 2) return false;
  std::vector<double> gains;
  for (std::size_t i = 0; i < before.size(); ++i)
    gains.push_back((now.values[i] - before[i]) * direction_sign(now.direction));
  return -statistics::mean(gains) > same_value_tolerance(statistics::mean(before)) &&
         all_seeds_fell_alike(before, gains);
}

}  // namespace reprise::records
