// Splits into training, validation and test: by person (or photograph, sequence, identity), never by frame.
//
// Frames of one person are alike, so a frame-wise split would measure memory. The persons are shuffled by the seed; the test persons are
// drawn first, and validation is split off what is left for training: persons are taken while they bring the number of items nearer to
// the share asked for. The result depends on the persons' names and counts and on the seed, not on the order of the items.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::datasets {

struct Shares {
  double train = 0.65, validation = 0.15, test = 0.20;
};

/// Indices of items, ascending. Every item is in exactly one part, and so is every person.
struct Split {
  std::vector<std::int64_t> train, validation, test;
};

/// person: of each item. UsageError: shares that are negative or do not add up to 1; fewer persons than parts with a share above 0; no
/// item.
Split split_by(const std::vector<std::string>& person, const Shares& shares, std::uint64_t seed);

}  // namespace reprise::datasets
