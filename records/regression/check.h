// The regression check of CI: compares new records with a stored reference.
//
// Same platform. If the reference holds values of a cell's platform (the fingerprint of its
// arithmetic), each value is compared with that of the same seed:
//   - Values within 1e-6 of the stored ones count as equal.
//   - A fall fails if all seeds lost about as much, absolutely or relative to their values. A t test
//     at a level of 1e-6 decides that. Rounding does not change all seeds alike.
//   - Otherwise a sum was reordered or a training took another course. The band below decides.
//
// Other platform. The same seeds then differ by the effect of rounding on a training. The changes
// of the n common seeds, from the stored to the new value, measure this effect. The mean change may
// be within
//     band = t_{1-a, f} s / sqrt(n)
// with s the standard deviation of the changes over the seeds and f its degrees of freedom, both
// moderated over the table (statistics/spread.h). s / sqrt(n) is at least 0.002 of the mean. The
// band is valid whatever part of its value a seed determines.
//
// Two faults of seeds fail in either case (seed_fault): seeds that are equal now but differ in the
// reference, and seeds with the stored values of other seeds of the same platform.
//
// Every table is checked at three levels. Each quantity has a = 0.025 / (its quantities with a
// direction). Each cell, by the mean standardised change of its metrics
// (records/regression/score.h), has a = 0.025 / cells. The complete table has a = 0.01.
// With T tables each level is divided by T, so an unchanged run fails in at most 1 of 20 checks.
// Informational metrics are checked as if they had no direction.
//
// A quantity without direction that is equal for every seed of the reference is a constant of the
// set-up: a setting, or the scale of the inputs. It may move by 0.001 of itself. Informational
// metrics may move freely.
//
// Numbers of parameters must be equal. Peak memory fails if every seed's cell takes a quarter more
// than any of the reference.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "records/regression/reference.h"

namespace reprise::records {

enum class Outcome {
  Same,   ///< within the band
  Rose,   ///< better by more than the band: reported, does not fail
  Moved,  ///< a quantity without a direction left its band: reported, does not fail
  /// Other numbers on the same platform, within the band: reported, does not fail.
  Changed,
  Added,  ///< not in the reference, with two seeds or more: reported, does not fail
  /// Only some of its cell's seeds have it in the reference, none now: reported, does not fail.
  Absent,
  Fell,  ///< worse by more than the band: fails
  /// Another number of parameters, another constant of the set-up, unused or exchanged seeds:
  /// fails.
  Differs,
  Missing,          ///< no finished cell has it: fails
  Failed,           ///< a cell of it failed: fails
  ProtocolChanged,  ///< another protocol, unit or direction: the values cannot be compared; fails
};

std::string_view outcome_text(Outcome outcome);  ///< "same", "rose", "protocol changed", ...
bool fails(Outcome outcome);

/// Basis of a quantity's check.
enum class CheckBasis {
  Seeds,   ///< the mean change of the same seeds, and the spread of the changes over them
  Values,  ///< the same seeds on the same platform, value by value
};

struct QuantityCheck {
  Quantity quantity{};
  Outcome outcome = Outcome::Same;
  std::optional<double> old_value{}, new_value{};  ///< means over the seeds that both have
  int old_n = 0, new_n = 0;
  /// Largest passing change on the new value's side; 0 without a band.
  double band = 0;
  /// Change in percent of |old value|; > 0: the number rose; 0 without a comparison.
  double percent = 0;
  bool worse = false;  ///< the change goes against the metric's direction
  CheckBasis basis = CheckBasis::Seeds;
  int values = 0;  ///< values of the run that the reference can judge, one per seed
  /// Number of these within 1e-6 of the reference's value for the same seed and platform.
  int own_values = 0;
  bool known_platform = false;  ///< the reference names the run's platform
  bool own_platform = false;    ///< and holds its values of these seeds
  bool guarded = false;         ///< part of the reference, and its value can fail the check
  std::string message{};        ///< one sentence, percent first
};

/// Mean standardised change of a cell or a complete table. Outcome: Same, Rose or Fell.
struct ScoreCheck {
  std::string table{}, dataset{}, method{};  ///< a whole table: no dataset and no method
  Outcome outcome = Outcome::Same;
  int quantities = 0;
  double change = 0, band = 0;  ///< in standard deviations of the changes over seeds
  /// Mean change of its quantities in percent, of the sign of `change`: > 0 is better.
  double percent = 0;
  std::string message{};
  std::string text() const;  ///< "table1/faces/cnn, all metrics,", or "table1, all cells,"
};

struct CheckResult {
  std::string study, profile;
  /// Of the records; of most of them where they are of several.
  std::string arithmetic;
  /// The reference holds values of it, or of all where they are several.
  bool known_arithmetic = false;
  /// Ids of the finished cells by their arithmetic.
  std::map<std::string, std::vector<std::string>> platforms = {};
  std::vector<QuantityCheck> judged;  ///< sorted by quantity
  /// Table by table: its cells, then the whole.
  std::vector<ScoreCheck> scores;
  /// Records that could not be judged, by file and line: each fails.
  std::vector<std::string> unreadable = {};
  bool passes() const;
  int count(Outcome outcome) const;
};

/// Levels of significance for a run of one table: divided among its quantities, divided among its
/// cells, and for the complete table.
inline constexpr double quantity_level = 0.025, cell_level = 0.025, table_level = 0.01;

/// Checks numbers alone, without failed cells. `arithmetic`: platform of the samples; "" is one
/// that no reference knows.
CheckResult judge(const Reference& reference, const Samples& samples,
                  const std::string& arithmetic = "");

/// Checks records against the reference. Error: another study, profile, settings or data (named);
/// no record; nothing of the reference is in scope.
CheckResult check(const Reference& reference, const std::vector<Record>& records,
                  const Scope& scope = {});

/// Compares options and data with the reference. UsageError: one differs; names it with both
/// values.
void expect_same_settings(const Reference& reference, const std::vector<Record>& records);

/// Appends cells of the reference that the records lack, or that did not finish, by seed. Each
/// fails.
void check_completeness(const Reference& reference, const std::vector<Record>& records,
                        CheckResult& result);

/// Appends methods with another number of parameters. Also appends those whose every cell takes a
/// quarter, and 32 MiB, more memory than any cell of the reference. Both fail.
void check_costs(const Reference& reference, const std::vector<Record>& records,
                 CheckResult& result);

/// Returns -1 if lower is better, else 1.
double direction_sign(Direction direction);
/// Returns how far a value may be from the same seed's on the same platform and count as equal.
double same_value_tolerance(double value);
/// Whether values of the same platform fell more than rounding explains. `before`: the stored
/// values of the seeds of `now`.
bool fell_beyond_rounding(const std::vector<double>& before, const Sample& now);

/// Whether two seeds may share this value by chance: a count, or a fraction of up to 100,000 items.
bool may_repeat(double value);

/// Describes a fault of a quantity's seeds in one sentence; "" without one. `before`: the
/// reference's values of the seeds of `now`, on the run's own platform if `own_platform`.
///
/// Fractions of few items repeat by chance. They count only if three or more values of the
/// reference are involved.
std::string seed_fault(const std::vector<double>& before, bool own_platform, const Sample& now);

/// Counts that every output of a check states.
struct Counts {
  /// Of the reference and the run, and how many of these failed.
  int quantities = 0, failed = 0;
  int scores = 0, failed_scores = 0;  ///< means over cells and tables
  /// Quantities of the reference whose value can fail the check.
  int guarded = 0;
  int unknown = 0;                  ///< quantities of the run that the reference does not hold
  int values = 0, own_values = 0;   ///< as those of QuantityCheck, summed
  int by_values = 0, by_seeds = 0;  ///< quantities by what they were judged by
  /// Constants of the set-up, on a platform that the reference does not know.
  int by_constants = 0;
};
Counts count_outcomes(const CheckResult& result);
/// Returns "94 guarded, 0 unknown to the reference; 1145 of 1160 values are those of this
/// platform's reference".
std::string counts_text(const Counts& counts);
/// States the basis of the check, and why it was not value by value, without a full stop.
std::string basis_text(const CheckResult& result);
/// Lists noteworthy results as "note ..." and then "FAIL ...", the worst failure first. One note
/// per cell sums up changes within the bands.
std::vector<std::string> report_lines(const CheckResult& result);
/// Whether `a` is worse than `b`: failures without a number first, then by the size of the change
/// in percent.
bool is_worse(const QuantityCheck& a, const QuantityCheck& b);

/// Returns JUnit XML: a test suite per table, a test case per quantity or score.
std::string junit_xml(const CheckResult& result);

/// Returns Markdown for a pull request: the verdict, then the changes in percent, worst first, with
/// seeds and records below `results`.
std::string summary_markdown(const CheckResult& result, const Reference& reference,
                             const std::string& results);

}  // namespace reprise::records
