// The values of the same seeds on the same platform: what no rounding explains.
#include <algorithm>
#include <cmath>

#include "records/regression/check.h"
#include "records/regression/draws.h"
#include "statistics/statistics.h"

namespace reprise::records {

double sign_of(Direction direction) { return direction == Direction::LowerIsBetter ? -1 : 1; }

double same_within(double value) { return std::max(1e-6 * std::abs(value), 1e-12); }

namespace {

/// Whether a t test tells the mean of these gains from 0 or more, at a level that leaves no room for chance among many quantities.
bool fell_beyond_chance(const std::vector<double>& gains) {
  constexpr double level = 1e-6;
  const double error = deviation(gains) / std::sqrt(static_cast<double>(gains.size()));
  return -mean(gains) > student_quantile(1 - level, static_cast<double>(gains.size()) - 1) * error;
}

/// For a reference that does not know what rounding does: all seeds lost as much, absolutely or in relation to their values.
bool all_seeds_fell_alike(const std::vector<double>& before, const std::vector<double>& gains) {
  // Fractions of few items move in steps, so that few seeds lose the same by chance.
  constexpr std::size_t enough_for_steps = 5;
  if (before.size() < enough_for_steps && std::all_of(before.begin(), before.end(), may_repeat)) return false;
  std::vector<double> relative;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != 0) relative.push_back(gains[i] / std::abs(before[i]));
  return fell_beyond_chance(gains) || (relative.size() == gains.size() && fell_beyond_chance(relative));
}

/// Whether rounding cannot have moved the seeds so: against how far perturbed runs scatter them (`draws`, the stored run first).
bool fell_unlike_perturbed_runs(const std::vector<double>& before, const std::vector<double>& gains,
                                const std::vector<std::vector<double>>& draws) {
  double rounding = 0;
  for (std::size_t k = 1; k < draws.size(); ++k) {
    std::vector<double> moved;
    for (std::size_t i = 0; i < before.size(); ++i) moved.push_back(draws[k][i] - draws[0][i]);
    rounding += std::pow(deviation(moved), 2) / static_cast<double>(draws.size() - 1);
  }
  const double spread = deviation(gains), fall = -mean(gains), usual = std::sqrt(rounding), size = std::abs(mean(before));
  const bool no_rounding = spread <= usual / 20 || fall >= std::max(8 * usual, 5e-4 * size);
  return no_rounding && fall > same_within(size) + 3 * spread / std::sqrt(static_cast<double>(gains.size()));
}

}  // namespace

bool fell_beyond_rounding(const ReferenceEntry& entry, const std::vector<double>& before, const Sample& now) {
  const auto direction = entry.sample.direction;
  if (direction == Direction::Neither || before.size() < 2) return false;
  std::vector<double> gains;
  for (std::size_t i = 0; i < before.size(); ++i) gains.push_back((now.values[i] - before[i]) * sign_of(direction));
  if (-mean(gains) <= same_within(mean(before))) return false;
  // Two seeds have no scatter that perturbed runs could be compared with.
  constexpr std::size_t enough_seeds = 3;
  const auto draws = draws_of(entry, *shared_seeds(entry.sample, now));
  if (draws.size() < fewest_draws || before.size() < enough_seeds) return all_seeds_fell_alike(before, gains);
  return fell_unlike_perturbed_runs(before, gains, draws);
}

}  // namespace reprise::records
