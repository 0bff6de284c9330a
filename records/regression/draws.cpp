#include "records/regression/draws.h"

#include <algorithm>

#include "statistics/statistics.h"

namespace reprise::records {

std::optional<std::vector<std::size_t>> shared_seeds(const Sample& old, const Sample& now) {
  std::vector<std::size_t> places;
  for (const auto seed : now.seeds) {
    const auto found = std::find(old.seeds.begin(), old.seeds.end(), seed);
    if (found == old.seeds.end()) return std::nullopt;
    places.push_back(static_cast<std::size_t>(found - old.seeds.begin()));
  }
  return places.size() < 2 ? std::nullopt : std::optional(places);
}

Sample shared_part(const Sample& old, const Sample& now) {
  Sample common{.unit = now.unit, .protocol = now.protocol, .direction = now.direction};
  for (std::size_t i = 0; i < now.seeds.size(); ++i) {
    if (std::find(old.seeds.begin(), old.seeds.end(), now.seeds[i]) == old.seeds.end()) continue;
    common.seeds.push_back(now.seeds[i]);
    common.values.push_back(now.values[i]);
  }
  if (!common.values.empty()) common.mean = mean(common.values);
  return common;
}

std::vector<double> picked(const std::vector<double>& values, const std::vector<std::size_t>& places) {
  std::vector<double> some;
  for (const auto place : places) some.push_back(values[place]);
  return some;
}

std::vector<std::vector<double>> draws_of(const ReferenceEntry& entry, const std::vector<std::size_t>& places) {
  std::vector<std::vector<double>> draws{picked(entry.sample.values, places)};
  for (const auto* runs : {&entry.others, &entry.rounded})
    for (const auto& values : *runs)
      if (!values.empty()) draws.push_back(picked(values, places));
  return draws;
}

namespace {

/// A quantity as the looks see it: where the reference knows what rounding does, its samples are draws of the mean over the shared seeds.
struct InDraws {
  Sample old, now;
};

std::optional<InDraws> in_draws(const ReferenceEntry& entry, const Sample& now) {
  const auto places = shared_seeds(entry.sample, now);
  if (!places) return std::nullopt;
  const auto draws = draws_of(entry, *places);
  if (draws.size() < fewest_draws) return std::nullopt;
  InDraws both{.old = entry.sample, .now = now};
  both.old.seeds.clear(), both.old.values.clear();
  for (std::size_t k = 0; k < draws.size(); ++k) {
    both.old.seeds.push_back(static_cast<std::int64_t>(k));
    both.old.values.push_back(mean(draws[k]));
  }
  both.old.mean = mean(both.old.values);
  both.now.seeds = {-1};
  both.now.values = {now.mean};
  return both;
}

}  // namespace

Looks looks_of(const Reference& reference, const Samples& samples) {
  Looks looks{.reference = reference, .samples = samples, .in_draws = {}};
  for (auto& [quantity, entry] : looks.reference.entries) {
    const auto now = looks.samples.find(quantity);
    if (now == looks.samples.end()) continue;
    if (auto both = in_draws(entry, now->second)) {
      entry.sample = std::move(both->old);
      now->second = std::move(both->now);
      looks.in_draws.insert(quantity);
    }
  }
  return looks;
}

}  // namespace reprise::records
