// The accuracy check of CI: new records against a stored reference.
//
// Same arithmetic. Where the records' fingerprint is one of the reference's, each value is compared with its own seed's:
//   within 1e-6 of it        the same; nothing else is asked
//   otherwise                the change of every seed is known, free of the noise of seeds. It fails where it is to the worse and no
//                            rounding is behind it: all seeds moved by about as much, with less than a twentieth of the spread that a new
//                            rounding gives, or the fall is eight times that spread (and 0.05 percent). Else a sum was reordered or a
//                            training took another course, and the bands below judge.
// Other arithmetic. The same seeds then differ by what rounding does to a training. How much that is the reference knows from runs whose
// first weights were rounded otherwise: each of its R + 1 runs, and the new one, is a draw of the mean over the same seeds, and
//     band = t_{1-a, f} s sqrt(1 + 1 / (R + 1))
// with s their spread, but at least 0.002 of the mean, f its degrees of freedom, both moderated over the table (records/spread.h). What a
// shared network does to all its methods is in every draw. A reference without such runs, and seeds that it does not hold, are judged by
// the spread over seeds instead:
//     band = max(t_{1-a, f} s sqrt(1 / n + 1 / m), ...)        n new and m old seeds
//
// Three looks at every table: each quantity, a = 0.025 / (its quantities with a direction); each cell, by the mean standardised change of
// its metrics (records/score.h), a = 0.025 / cells; the whole table, a = 0.01. With T tables each level is divided by T: an unchanged run
// fails in at most 1 of 20 checks. Metrics that the reference calls informational are judged as if they had no direction.
//
// What has no direction, and is the same for every seed of the reference, is no result but a fact of the set-up: a setting, or the scale of
// the inputs. It may move by 0.001 of itself, either way; metrics that the reference calls informational may move as they like.
//
// Numbers of parameters must be the same. Peak memory fails where every seed's cell takes a quarter more than any of the reference's did.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "records/reference.h"

namespace reprise::records {

enum class Outcome {
  Same,             ///< within the band
  Rose,             ///< better by more than the band: reported, does not fail
  Moved,            ///< a quantity without a direction left its band: reported, does not fail
  Changed,          ///< other numbers by the same arithmetic, within the band: reported, does not fail
  Added,            ///< not in the reference, with two seeds or more: reported, does not fail
  Absent,           ///< only some of its cell's seeds have it in the reference, none now: reported, does not fail
  Fell,             ///< worse by more than the band: fails
  Differs,          ///< another number of parameters, or another fact of the set-up: fails
  Missing,          ///< no finished cell has it: fails
  Failed,           ///< a cell of it failed: fails
  ProtocolChanged,  ///< another protocol, unit or direction: the values cannot be compared; fails
};

std::string_view outcome_text(Outcome outcome);  ///< "same", "rose", "protocol changed", ...
bool fails(Outcome outcome);

/// What a quantity was judged by.
enum class Ground {
  Seeds,     ///< the spread over seeds
  Rounding,  ///< the same seeds, and what rounding does to them
  Values,    ///< the same seeds by the same arithmetic
};

struct Judged {
  Quantity quantity{};
  Outcome outcome = Outcome::Same;
  std::optional<double> old_value{}, new_value{};  ///< means over seeds; over the shared ones where these are compared
  int old_n = 0, new_n = 0;
  double band = 0;     ///< largest change that passes, on the side where the new value lies; 0 where there is none
  double percent = 0;  ///< of the change, of |old value|; > 0: the number rose. 0 where there is nothing to compare or the old value is 0
  bool worse = false;  ///< the change goes against the metric's direction
  Ground ground = Ground::Seeds;
  std::string message{};  ///< one sentence, percent first
};

/// The mean standardised change of a cell, or of a whole table. Outcome: Same, Rose or Fell.
struct JudgedScore {
  std::string table{}, dataset{}, method{};  ///< a whole table: no dataset and no method
  Outcome outcome = Outcome::Same;
  int quantities = 0;
  double change = 0, band = 0;  ///< in standard deviations of the draws
  double percent = 0;           ///< mean change of its quantities in percent, > 0: better
  std::string message{};
  std::string text() const;  ///< "table1/faces/cnn, all metrics,", or "table1, all cells,"
};

struct CheckResult {
  std::string study, profile;
  std::string arithmetic;                    ///< of the records
  bool known_arithmetic = false;             ///< the reference holds values of it
  std::vector<Judged> judged;                ///< sorted by quantity
  std::vector<JudgedScore> scores;           ///< table by table: its cells, then the whole
  std::vector<std::string> unreadable = {};  ///< records that could not be judged, by file and line: each fails
  bool passed() const;
  int count(Outcome outcome) const;
};

/// The levels of a run of one table: shared by its quantities, shared by its cells, and of the whole.
inline constexpr double quantity_level = 0.025, cell_level = 0.025, table_level = 0.01;

/// The judgement by numbers alone: no cell failed. `arithmetic` made the samples; "" is one that no reference knows.
CheckResult judge(const Reference& reference, const Samples& samples, const std::string& arithmetic = "");

/// Which part of a run is judged; empty: all of it.
struct Scope {
  std::string table{};  ///< a table's name
  std::string only{};   ///< a glob of TABLE/DATASET/METHOD
  bool holds(const std::string& table_name, const std::string& dataset, const std::string& method) const;
};

/// Error: the records are of another study or profile than the reference, or were made with other settings or data (named); no record; nothing
/// of the reference is in scope.
CheckResult check(const Reference& reference, const std::vector<Record>& records, const Scope& scope = {});

/// UsageError: an option of the records, or the content of what they read, is not the reference's; names them with both values.
void expect_same_settings(const Reference& reference, const std::vector<Record>& records);

/// Appended to the result: cells of the reference that the records lack, or that did not finish, by seed. Each fails.
void check_whole(const Reference& reference, const std::vector<Record>& records, CheckResult& result);

/// Appended to the result: methods with another number of parameters, and those whose every cell takes over a quarter (and 32 MiB) more
/// memory than any of the reference's. Both fail.
void check_costs(const Reference& reference, const std::vector<Record>& records, CheckResult& result);

/// JUnit XML: a test suite a table, a test case a quantity or score.
std::string junit_xml(const CheckResult& result);

/// Markdown for a pull request: the verdict, what moved, worst first, in percent, with the seeds and the records to open below `results`.
std::string summary_markdown(const CheckResult& result, const Reference& reference, const std::string& results);

}  // namespace reprise::records
