// The runs of a reference as draws: what the same seeds gave by several arithmetics and roundings (records/regression/check.h).
#pragma once
#include <optional>
#include <set>
#include <vector>

#include "records/regression/reference.h"

namespace reprise::records {

/// Places of the new sample's seeds in the reference's; nothing unless it holds at least two of them, and all.
std::optional<std::vector<std::size_t>> shared_seeds(const Sample& old, const Sample& now);

/// The part of the new sample whose seeds the old one holds.
Sample shared_part(const Sample& old, const Sample& now);

/// The values at these places.
std::vector<double> picked(const std::vector<double>& values, const std::vector<std::size_t>& places);

/// What the reference's runs gave for the seeds at these places: by the first arithmetic, then by the others and by every rounding.
std::vector<std::vector<double>> draws_of(const ReferenceEntry& entry, const std::vector<std::size_t>& places);

/// Fewer draws than this say too little about their spread.
inline constexpr std::size_t fewest_draws = 4;

/// Reference and samples as the check looks at them: where the reference knows what rounding does, a quantity's samples are draws of the
/// mean over the shared seeds, and `in_draws` has it.
struct Looks {
  Reference reference;
  Samples samples;
  std::set<Quantity> in_draws;
};
Looks looks_of(const Reference& reference, const Samples& samples);

}  // namespace reprise::records
