// The accuracy check of CI: new records against a stored reference.
//
// A quantity fails when its mean over the new seeds fell (in its own direction: a rise of an error is a fall) by more than
//     band = max(t_{1-a, f} s sqrt(1/n + 1/m), 1e-6 |old mean|, 1e-12)        a = 0.025 / (quantities of the table with a direction)
// n, m: old and new seeds; s, f: the reference's spread over seeds and its degrees of freedom, moderated over the table (records/spread.h).
// The last two terms keep rounding from giving alarms where no seed moves the value.
//
// With every quantity's own spread, Bonferroni's inequality would hold false alarms to 0.025 of all checks of an unchanged table. The
// moderated spread is an estimate, which costs up to a factor of two: simulated over 4 to 22 quantities with spreads alike or up to 16
// times apart, 3 and 5 seeds, the rate stays at or below 1 in 20. A fall by 3 deviations in one of 22 alike quantities is found in 0.8 of
// all checks with 5 seeds and in 0.2 with 3; the same fall in the whole table is found with 3 as well.
//
// An entry of the exact lane is judged seed by seed, to 1e-12 relative, when the new records come from the reference's machine (CPU, GPU,
// torch, threads) and share a seed with it; otherwise by its band.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "records/reference.h"

namespace reprise::records {

enum class Outcome {
  Same,             ///< within the band
  Rose,             ///< better by more than the band: told, does not fail
  Moved,            ///< a quantity without a direction left its band: told, does not fail
  Added,            ///< not in the reference, with two seeds or more: told, does not fail
  Fell,             ///< worse by more than the band: fails
  Differs,          ///< exact lane, another value: fails
  Missing,          ///< no finished cell has it: fails
  Failed,           ///< a cell of it failed: fails
  ProtocolChanged,  ///< another protocol, unit or direction: the values cannot be compared; fails
};

std::string_view outcome_text(Outcome outcome);  ///< "same", "rose", "protocol changed", ...
bool fails(Outcome outcome);

struct Judged {
  Quantity quantity{};
  Outcome outcome = Outcome::Same;
  std::optional<double> old_value{}, new_value{};  ///< means over seeds
  int old_n = 0, new_n = 0;
  double band = 0;                ///< largest fall that passes; 0 where there is none
  Lane lane = Lane::Approximate;  ///< the one it was judged by
  std::string message{};          ///< one sentence with old, new and band
};

struct CheckResult {
  std::string study, profile;
  std::vector<Judged> judged;  ///< sorted by quantity
  bool passed() const;
  int count(Outcome outcome) const;
};

/// The level that the bands of one table share.
inline constexpr double band_level = 0.025;

/// Error: the records are of another study or profile than the reference; no record.
CheckResult check(const Reference& reference, const std::vector<Record>& records);

/// JUnit XML: a test suite a table, a test case a quantity.
std::string junit_xml(const CheckResult& result);

}  // namespace reprise::records
