#include "records/regression/score.h"

#include <algorithm>
#include <cmath>

#include "statistics/statistics.h"

namespace reprise::records {
namespace {

double sign(const Sample& sample) { return sample.direction == Direction::LowerIsBetter ? -1 : 1; }

bool counts(const Scored& scored) {
  return scored.old->direction != Direction::Neither && scored.deviation > std::max(1e-9 * std::abs(scored.old->mean), 1e-12);
}

/// Seeds that every quantity of the reference has.
std::vector<std::int64_t> common_seeds(const std::vector<Scored>& group) {
  auto seeds = group.front().old->seeds;
  for (const auto& scored : group) {
    const auto& has = scored.old->seeds;
    std::erase_if(seeds, [&](std::int64_t seed) { return std::find(has.begin(), has.end(), seed) == has.end(); });
  }
  return seeds;
}

double value_at(const Sample& sample, std::int64_t seed) {
  return sample.values[static_cast<std::size_t>(std::find(sample.seeds.begin(), sample.seeds.end(), seed) - sample.seeds.begin())];
}

}  // namespace

double mean_before(const Sample& old, const Sample& now) {
  double sum = 0;
  for (const auto seed : now.seeds) {
    const auto found = std::find(old.seeds.begin(), old.seeds.end(), seed);
    sum += found == old.seeds.end() ? old.mean : old.values[static_cast<std::size_t>(found - old.seeds.begin())];
  }
  return sum / now.n();
}

double band_of_same_seeds(double band, double change, double before) { return change * before > 0 ? std::hypot(band, before) : band; }

std::optional<Score> score(const std::vector<Scored>& group) {
  std::vector<Scored> counted;
  std::copy_if(group.begin(), group.end(), std::back_inserter(counted), counts);
  if (counted.size() < 2) return std::nullopt;
  const auto seeds = common_seeds(counted);
  if (seeds.size() < 2) return std::nullopt;
  Score result{.old_n = counted.front().old->n(), .new_n = counted.front().now->n(), .quantities = static_cast<int>(counted.size())};
  result.draws = std::all_of(counted.begin(), counted.end(), [](const Scored& scored) { return scored.draws; });
  std::vector<double> of_seed(seeds.size());
  double precision = 0;
  for (const auto& [old, now, deviation, draws] : counted) {
    const double weight = sign(*old) / (deviation * static_cast<double>(counted.size()));
    result.change += weight * (now->mean - old->mean);
    precision += std::abs(old->mean) / (deviation * static_cast<double>(counted.size()));
    result.before += weight * (mean_before(*old, *now) - old->mean);
    for (std::size_t s = 0; s < seeds.size(); ++s) of_seed[s] += weight * (value_at(*old, seeds[s]) - old->mean);
    result.old_n = std::min(result.old_n, old->n());
    result.new_n = std::min(result.new_n, now->n());
  }
  result.percent = precision == 0 ? 0 : 100 * result.change / precision;
  result.spread = {.deviation = deviation(of_seed), .freedom = static_cast<double>(seeds.size()) - 1};
  if (!(result.spread.deviation > 1e-9) && !result.draws) return std::nullopt;
  return result;
}

}  // namespace reprise::records
