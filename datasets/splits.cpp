#include "datasets/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/error.h"
#include "core/random.h"

namespace reprise::datasets {
namespace {

struct Person {
  std::string name;
  std::int64_t items = 0;
};

/// Moves persons out of `left` until about `target` items are taken. Takes at least one person and
/// leaves at least `keep`.
std::set<std::string> draw_people(std::vector<Person>& left, double target, std::size_t keep) {
  std::set<std::string> drawn;
  if (target <= 0) return drawn;
  // Persons come in random order, so taking the first suitable ones is a random draw.
  double items = 0;
  std::vector<Person> rest;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto count = static_cast<double>(left[i].items);
    // A person is taken only if that brings the number of items nearer to the target.
    const bool nearer = std::abs(items + count - target) < std::abs(items - target);
    const bool spare = rest.size() + (left.size() - i) > keep;
    if (spare && nearer) {
      drawn.insert(left[i].name);
      items += count;
    } else {
      rest.push_back(left[i]);
    }
  }
  // Every person exceeds twice the target: take the smallest one.
  if (drawn.empty()) {
    const auto smallest = std::ranges::min_element(rest, {}, &Person::items);
    drawn.insert(smallest->name);
    rest.erase(smallest);
  }
  left = std::move(rest);
  return drawn;
}

}  // namespace

Split split_by(const std::vector<std::string>& person, const SplitFractions& fractions,
               std::uint64_t seed) {
  // The tolerance covers the rounding of sums such as 0.65 + 0.15 + 0.2.
  const auto [train, validation, test] = fractions;
  if (!(train >= 0 && validation >= 0 && test >= 0) ||
      std::abs(train + validation + test - 1) > 1e-9)
    throw UsageError(
        fmt::format(
            "the shares of a split are {}, {}, {}; they must not be negative and must add up to 1",
            train, validation, test),
        "use for example 0.65, 0.15, 0.2");
  std::map<std::string, std::int64_t> counts;
  for (const auto& name : person) ++counts[name];
  // Each requested part needs at least one person.
  const std::size_t parts =
      (train > 0 ? 1U : 0U) + (validation > 0 ? 1U : 0U) + (test > 0 ? 1U : 0U);
  if (counts.size() < parts)
    throw UsageError(fmt::format("{} items of {} persons cannot be split by person into {} parts",
                                 person.size(), counts.size(), parts),
                     "give data of more persons, or ask for fewer parts");
  std::vector<Person> left;
  // The map sorts persons by name, so the order of items does not matter.
  for (const auto& [name, items] : counts) left.push_back({name, items});
  Random random = Random(seed).split("split");
  // Fisher-Yates.
  for (auto i = static_cast<std::int64_t>(left.size()) - 1; i > 0; --i)
    std::swap(left[static_cast<std::size_t>(i)],
              left[static_cast<std::size_t>(random.below(i + 1))]);

  const auto total = static_cast<double>(person.size());
  std::set<std::string> in_test;
  std::set<std::string> in_validation;
  // A part that is the only one left takes everybody, whatever the rounding of its fraction.
  if (train == 0 && validation == 0)
    for (const auto& one : left) in_test.insert(one.name);
  else
    // Enough persons must remain for the other parts.
    in_test = draw_people(left, test * total, parts - (test > 0 ? 1 : 0));
  if (train == 0)
    for (const auto& one : left) in_validation.insert(one.name);
  else
    in_validation = draw_people(left, validation * total, 1);
  Split split;
  for (std::size_t i = 0; i < person.size(); ++i) {
    auto* part = &split.train;
    if (in_validation.contains(person[i])) part = &split.validation;
    if (in_test.contains(person[i])) part = &split.test;
    part->push_back(static_cast<std::int64_t>(i));
  }
  return split;
}

Indices count_up(std::int64_t n) {
  Indices indices(static_cast<std::size_t>(n));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

Indices shuffle(const Indices& items, Random random) {
  return select(items, random.permutation(std::ssize(items)));
}

Indices take(const Indices& items, std::int64_t first, std::int64_t n, const std::string& name,
             const std::string& fix) {
  if (first + n > std::ssize(items))
    throw UsageError(
        fmt::format("{} has {} items, and the settings ask for {}", name, items.size(), first + n),
        fix);
  return {items.begin() + first, items.begin() + first + n};
}

}  // namespace reprise::datasets
