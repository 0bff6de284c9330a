// The accuracy check of CI: new records against a stored reference.
//
// Three looks at every table, each with a share of its level, so that an unchanged table gives an alarm in at most 1 of 20 checks:
//   a quantity  its mean over the new seeds fell (in its own direction: a rise of an error is a fall) by more than
//                   band = max(t_{1-a, f} s sqrt(1/n + 1/m), 1e-6 |old mean|, 1e-12)     a = 0.025 / (quantities of the table with a
//                   direction)
//               n, m: new and old seeds; s, f: the reference's spread over seeds and its degrees of freedom, moderated over the table
//               (records/spread.h). The last two terms keep rounding from giving alarms where no seed moves the value.
//   a cell      the mean standardised change of all metrics of one method on one dataset (records/score.h) fell by more than its band;
//               a = 0.025 / (cells of the table), spreads moderated over its cells
//   the table   the mean standardised change of all its quantities fell by more than its band; a = 0.01
// The second and third find what no single quantity shows. docs/check.md has the rates of false alarms and the falls that are found.
// Where the new seeds are among the reference's, and were off its mean already, the band is wider on that side (band_of_same_seeds in
// records/score.h): a draw of seeds that never changes must not fail for good.
//
// Metrics that the reference only tells of (Reference::told) are judged as if they had no direction.
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
  Absent,           ///< only some of its cell's seeds have it in the reference, none now: told, does not fail
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
  double band = 0;                ///< largest change that passes, on the side where the new value lies; 0 where there is none
  Lane lane = Lane::Approximate;  ///< the one it was judged by
  std::string message{};          ///< one sentence with old, new and band
};

/// The mean standardised change of a cell, or of a whole table. Outcome: Same, Rose or Fell.
struct JudgedScore {
  std::string table{}, dataset{}, method{};  ///< a whole table: no dataset and no method
  Outcome outcome = Outcome::Same;
  int quantities = 0;
  double change = 0, band = 0;  ///< in standard deviations of the seed spread
  std::string message{};
  std::string text() const;  ///< "table1/faces/cnn, all metrics,", or "table1, all cells,"
};

struct CheckResult {
  std::string study, profile;
  std::vector<Judged> judged;       ///< sorted by quantity
  std::vector<JudgedScore> scores;  ///< table by table: its cells, then the whole
  bool passed() const;
  int count(Outcome outcome) const;
};

/// The levels of one table: shared by its quantities, shared by its cells, and of the whole.
inline constexpr double quantity_level = 0.025, cell_level = 0.025, table_level = 0.01;

/// The judgement by numbers alone: every quantity by its band, no cell failed, no exact lane.
CheckResult judge(const Reference& reference, const Samples& samples);

/// Error: the records are of another study or profile than the reference; no record.
CheckResult check(const Reference& reference, const std::vector<Record>& records);

/// JUnit XML: a test suite a table, a test case a quantity or score.
std::string junit_xml(const CheckResult& result);

}  // namespace reprise::records
