#include "records/regression/score.h"

#include <algorithm>
#include <cmath>

#include "records/regression/check.h"
#include "statistics/statistics.h"

namespace reprise::records {
namespace {

bool counts(const PairedChanges* paired) {
  // A quantity that never changes has no spread to be measured in.
  return paired->now.direction != Direction::Neither &&
         paired->spread.std_dev > same_value_tolerance(0);
}

double signed_change(const PairedChanges& paired, std::int64_t seed) {
  const auto& seeds = paired.now.seeds;
  const auto i =
      static_cast<std::size_t>(std::find(seeds.begin(), seeds.end(), seed) - seeds.begin());
  return (paired.now.values[i] - paired.before[i]) * direction_sign(paired.now.direction);
}

}  // namespace

std::optional<Score> score(const std::vector<const PairedChanges*>& group) {
  std::vector<const PairedChanges*> counted;
  std::copy_if(group.begin(), group.end(), std::back_inserter(counted), counts);
  if (counted.size() < 2) return std::nullopt;
  // A quantity that only some seeds have takes part with these seeds.
  auto seeds = counted.front()->now.seeds;
  for (const auto* paired : counted) {
    const auto& its = paired->now.seeds;
    std::erase_if(seeds, [&](std::int64_t seed) {
      return std::find(its.begin(), its.end(), seed) == its.end();
    });
  }
  if (seeds.size() < 2) return std::nullopt;
  std::vector<double> of_seed(seeds.size());
  double precision = 0;
  for (const auto* paired : counted) {
    // The mean over quantities, each in units of its spread.
    const double weight = 1 / (paired->spread.std_dev * static_cast<double>(counted.size()));
    precision += weight * std::abs(statistics::mean(paired->before));
    for (std::size_t s = 0; s < seeds.size(); ++s)
      of_seed[s] += weight * signed_change(*paired, seeds[s]);
  }
  Score result{.change = statistics::mean(of_seed),
               .spread = {.std_dev = statistics::std_dev(of_seed),
                          .freedom = static_cast<double>(seeds.size()) - 1},
               .seeds = static_cast<int>(seeds.size()),
               .quantities = static_cast<int>(counted.size())};
  // The same weights for the percentage, so that it has the sign of the change.
  result.percent = precision == 0 ? 0 : 100 * result.change / precision;
  return result;
}

}  // namespace reprise::records
