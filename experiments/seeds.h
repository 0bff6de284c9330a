// The seeds of a run, as text and settings state them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/settings.h"

namespace reprise::reproduce {

/// Seeds are 0 to most_seeds - 1.
inline constexpr std::int64_t most_seeds = 1000;

/// Seeds of a run: cells are planned for 0 .. count - 1. Of these the `chosen` run (none: all),
/// with the cells they need.
struct Seeds {
  Seeds(std::int64_t n) : count(n) {}
  /// Parses a number of seeds ("5"), a range ("100..104"), or a list ("7,8,9"). UsageError: none of
  /// these, or a seed out of range.
  explicit Seeds(const std::string& text, const std::string& option = "--seeds");
  std::int64_t count;
  std::vector<std::int64_t> chosen = {};
};

/// Returns the setting confirm.seeds; none if it is "" or absent. UsageError: no range or list.
std::vector<std::int64_t> confirmation_seeds(const Settings& settings);

}  // namespace reprise::reproduce
