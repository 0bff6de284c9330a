// Splits into training, validation and test: by person (or photograph, sequence, identity), never
// by frame.
//
// Frames of one person are alike, so a frame-wise split would measure memory. The persons are
// shuffled by the seed; the test persons are drawn first, and validation is split off what is left
// for training: persons are taken while they bring the number of items nearer to the share asked
// for. The result depends on the persons' names and counts and on the seed, not on the order of the
// items.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"

namespace reprise::datasets {

struct Shares {
  double train = 0.65, validation = 0.15, test = 0.20;
};

using Indices = std::vector<std::int64_t>;

/// Indices of items, ascending. Every item is in exactly one part, and so is every person.
struct Split {
  Indices train, validation, test;
};

/// person: of each item. UsageError: shares that are negative or do not add up to 1; fewer persons
/// than parts with a share above 0; no item.
Split split_by(const std::vector<std::string>& person, const Shares& shares, std::uint64_t seed);

/// 0, 1, ..., n - 1.
Indices count_up(std::int64_t n);

/// The items in a drawn order.
Indices shuffle(const Indices& items, Random random);
/// The items at these places of the list.
template <typename Item>
std::vector<Item> select(const std::vector<Item>& items, const Indices& places) {
  std::vector<Item> chosen;
  for (const auto place : places) chosen.push_back(items[static_cast<std::size_t>(place)]);
  return chosen;
}

/// items[first], ..., items[first + n - 1]. UsageError: fewer items are there; `name` ("the test
/// part of mnist") and `fix` say of what and what to do.
Indices take(const Indices& items, std::int64_t first, std::int64_t n, const std::string& name,
             const std::string& fix);

}  // namespace reprise::datasets
