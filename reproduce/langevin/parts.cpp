#include "reproduce/langevin/parts.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/random.h"
#include "datasets/splits.h"

namespace reprise::reproduce::langevin_study {
namespace {

using models::LabelledItems;

constexpr std::int64_t test_pieces = 8;  // of a finite set: as many seeds have tests of their own

Places all_of(std::int64_t n) {
  Places all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

std::uint64_t stream(const std::string& world, const std::string& part, std::int64_t seed) {
  return seed_of({"langevin", world, part, std::to_string(seed)});
}

Places shuffled(const Places& places, std::uint64_t seed) {
  Places out;
  for (const auto i : Random(seed).permutation(std::ssize(places))) out.push_back(places[static_cast<std::size_t>(i)]);
  return out;
}

Places cut(const Places& from, std::int64_t first, std::int64_t last) { return {from.begin() + first, from.begin() + last}; }

Pools dealt(std::int64_t n, const Counts& counts, const std::string& world) {
  const auto order = shuffled(all_of(n), stream(world, "parts", 0));
  const auto judge = std::min(n, counts.judge), validation = std::min(n, judge + counts.validation),
             test = std::min(n, validation + test_pieces * counts.test);
  return {.prior = cut(order, test, n),
          .judge = cut(order, 0, judge),
          .validation = cut(order, judge, validation),
          .test = cut(order, validation, test)};
}

Pools dealt_by(const std::vector<std::string>& unit, const std::string& world) {
  const auto parts = datasets::split_by(unit, {.train = 0.5, .validation = 0.25, .test = 0.25}, stream(world, "units", 0));
  std::vector<std::string> rest;
  for (const auto i : parts.test) rest.push_back(unit[static_cast<std::size_t>(i)]);
  const auto halves = datasets::split_by(rest, {.train = 0.5, .validation = 0, .test = 0.5}, stream(world, "rest", 0));
  const auto of_rest = [&](const Places& places) {
    Places out;
    for (const auto i : places) out.push_back(parts.test[static_cast<std::size_t>(i)]);
    return out;
  };
  return {.prior = parts.train, .judge = parts.validation, .validation = of_rest(halves.train), .test = of_rest(halves.test)};
}

World parts_of(const std::function<LabelledItems(const Places&)>& items_at, const Pools& pools, const Counts& counts, World world,
               std::int64_t seed) {
  const auto taken = [&](const Places& pool, std::int64_t count, const char* part) {
    if (std::ssize(pool) < count)
      throw UsageError(
          fmt::format("{} has {} items for the part {}, and the settings ask for {}", world.facts.data, pool.size(), part, count),
          "lower the counts of its section");
    return items_at(cut(pool, 0, count));
  };
  const auto own = [&](const char* part) { return stream(world.facts.data, part, seed); };
  world.prior = taken(shuffled(pools.prior, own("prior")), counts.prior, "prior");
  world.judge = taken(shuffled(pools.judge, stream(world.facts.data, "judge", 0)), counts.judge, "judge");
  world.validation = taken(shuffled(pools.validation, stream(world.facts.data, "validation", 0)), counts.validation, "validation");
  auto test = shuffled(pools.test, stream(world.facts.data, "test", 0));
  const auto pieces = std::max<std::int64_t>(1, std::ssize(test) / counts.test);
  std::rotate(test.begin(), test.begin() + seed % pieces * counts.test, test.end());
  world.test = taken(test, counts.test, "test");
  return world;
}

std::function<LabelledItems(const Places&)> among(const LabelledItems& all) {
  return [all](const Places& places) {
    const auto at = torch::tensor(places, at::kLong);
    return LabelledItems{all.x_0.index_select(0, at), all.labels.index_select(0, at)};
  };
}

}  // namespace reprise::reproduce::langevin_study
