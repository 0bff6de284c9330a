// Splits into training, validation and test by person (or photograph, sequence, identity), never by
// frame.
//
// Frames of one person are alike, so a split by frames would reward memorisation. Persons are
// shuffled by the seed. Test persons are drawn first, then validation persons from the rest.
// Persons are added while they bring the number of items nearer to the requested fraction. The
// result depends on the persons' names and counts and on the seed, not on the order of the items.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"

namespace reprise::datasets {

/// Fractions of the items in each part.
struct SplitFractions {
  double train = 0.65;
  double validation = 0.15;
  double test = 0.20;
};

using Indices = std::vector<std::int64_t>;

/// Ascending indices of items. Every item and every person belongs to exactly one part.
struct Split {
  Indices train;
  Indices validation;
  Indices test;
};

/// Splits items by person. person: one name per item. UsageError: fractions are negative or do not
/// sum to 1; there are fewer persons than non-empty parts; there is no item.
Split split_by(const std::vector<std::string>& person, const SplitFractions& fractions,
               std::uint64_t seed);

/// Returns 0, 1, ..., n - 1.
Indices count_up(std::int64_t n);

/// Returns the items in random order.
Indices shuffle(const Indices& items, Random random);
/// Returns the items at these indices of the list.
template <typename Item>
std::vector<Item> select(const std::vector<Item>& items, const Indices& places) {
  std::vector<Item> chosen;
  for (const auto place : places) chosen.push_back(items[static_cast<std::size_t>(place)]);
  return chosen;
}

/// Returns items[first], ..., items[first + n - 1]. UsageError: there are fewer items; the message
/// uses `name` ("the test part of mnist") and `fix`.
Indices take(const Indices& items, std::int64_t first, std::int64_t n, const std::string& name,
             const std::string& fix);

}  // namespace reprise::datasets
