// How items are dealt out to the parts of a world: to the prior, to what judges, to choose on, to test. No item is in two.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "experiments/settings.h"
#include "models/diffusion/diffusion_training.h"
#include "reproduce/langevin/worlds.h"

namespace reprise::reproduce::langevin_study {

/// The number of items of each part; they need not be all there are.
struct Counts {
  std::int64_t prior, judge, validation, test;
  Counts(const Settings& settings, const std::string& world)
      : prior(settings.integer(world + ".prior")),
        judge(settings.integer(world + ".judge")),
        validation(settings.integer(world + ".validation")),
        test(settings.integer(world + ".test")) {}
  Counts without_test() const {
    auto rest = *this;
    rest.test = 0;
    return rest;
  }
};

/// The seed of what a part of a world draws.
std::uint64_t stream(const std::string& world, const std::string& part, std::int64_t seed);

using Places = std::vector<std::int64_t>;

/// Places in a finite set, dealt out to the parts. Which is in which part is the same for every seed, so that one judge learns from what no
/// prior and no test of any seed sees, and what is chosen on has no part in what is tested.
struct Pools {
  Places prior, judge, validation, test;
};

/// In an order that the seed draws.
Places shuffled(const Places& places, std::uint64_t seed);
/// from[first], ..., from[last - 1]
Places cut(const Places& from, std::int64_t first, std::int64_t last);

/// n places in a drawn order, as many as asked for in each part; what is left is the prior's.
Pools dealt(std::int64_t n, const Counts& counts, const std::string& world);
/// Places of the parts by who or what took them, a share of all items for each part: no camera and no speaker is in two.
Pools dealt_by(const std::vector<std::string>& unit, const std::string& world);

/// The items of a seed: of the prior's pool and in an order that are its own, of the test's a piece that as few seeds as can be share.
/// UsageError: a part has fewer items than its section asks for.
World parts_of(const std::function<models::LabelledItems(const Places&)>& items_at, const Pools& pools, const Counts& counts, World world,
               std::int64_t seed);
/// What gives the items at places among all.
std::function<models::LabelledItems(const Places&)> among(const models::LabelledItems& all);

/// A part of each kind made anew.
template <typename Make>
void make_parts(const Counts& counts, const std::string& name, std::int64_t seed, World& world, const Make& make) {
  world.prior = make(counts.prior, stream(name, "prior", seed));
  world.judge = make(counts.judge, stream(name, "judge", seed));
  world.validation = make(counts.validation, stream(name, "validation", seed));
  world.test = make(counts.test, stream(name, "test", seed));
}

}  // namespace reprise::reproduce::langevin_study
