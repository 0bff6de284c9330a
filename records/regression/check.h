// The accuracy check of CI: new records against a stored reference.
//
// Same platform. Where the reference holds values of a cell's platform (the fingerprint of its
// arithmetic), each value is compared with its own seed's:
//   within 1e-6 of it        the same; nothing else is asked
//   otherwise                a fall fails where all seeds lost about as much, absolutely or relative to their values: a t test tells the
//                            change from none at a level of 1e-6. No rounding does that. Else a sum was reordered or a training took
//                            another course, and the band below judges.
// Other platform. The same seeds then differ by what rounding does to a training, each by its own.
// The changes of the n seeds that both have, from the stored value to the new one, tell how much
// that is. The mean change may be within
//     band = t_{1-a, f} s / sqrt(n)
// with s the standard deviation of the changes over the seeds and f its degrees of freedom, both
// moderated over the table (statistics/spread.h). s / sqrt(n) counts as 0.002 of the mean at least.
// The band holds whatever part of its value a seed repeats.
//
// Seeds that are not used, or exchanged, fail by whichever the mean is judged (seed_fault): seeds
// that differ in the reference and are equal now, and on the same platform seeds with the stored
// values of other seeds.
//
// Three looks at every table: each quantity, a = 0.025 / (its quantities with a direction); each
// cell, by the mean standardised change of its metrics (records/regression/score.h), a = 0.025 /
// cells; the whole table, a = 0.01. With T tables each level is divided by T: an unchanged run
// fails in at most 1 of 20 checks. Metrics that the reference calls informational are judged as if
// they had no direction.
//
// What has no direction, and is the same for every seed of the reference, is no result but a fact
// of the set-up: a setting, or the scale of the inputs. It may move by 0.001 of itself, either way;
// metrics that the reference calls informational may move as they like.
//
// Numbers of parameters must be the same. Peak memory fails where every seed's cell takes a quarter
// more than any of the reference's did.
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
  /// Another number of parameters, another fact of the set-up, seeds unused or exchanged: fails.
  Differs,
  Missing,          ///< no finished cell has it: fails
  Failed,           ///< a cell of it failed: fails
  ProtocolChanged,  ///< another protocol, unit or direction: the values cannot be compared; fails
};

std::string_view outcome_text(Outcome outcome);  ///< "same", "rose", "protocol changed", ...
bool fails(Outcome outcome);

/// What a quantity was judged by.
enum class Ground {
  Seeds,   ///< the mean change of the same seeds, and the spread of the changes over them
  Values,  ///< the same seeds on the same platform, value by value
};

struct Judged {
  Quantity quantity{};
  Outcome outcome = Outcome::Same;
  std::optional<double> old_value{}, new_value{};  ///< means over the seeds that both have
  int old_n = 0, new_n = 0;
  /// Largest change that passes, on the side where the new value lies; 0 where there is none.
  double band = 0;
  /// Of the change, of |old value|; > 0: the number rose. 0 where there is nothing to compare or
  /// the old value is 0.
  double percent = 0;
  bool worse = false;  ///< the change goes against the metric's direction
  Ground ground = Ground::Seeds;
  int values = 0;  ///< of the run, one per seed, that the reference could judge
  /// Of these: the values that the reference holds for the same seed and platform, within 1e-6.
  int own_values = 0;
  bool known_platform = false;  ///< the reference names the run's platform
  bool own_platform = false;    ///< and holds its values of these seeds
  bool guarded = false;         ///< part of the reference, and its value can fail the check
  std::string message{};        ///< one sentence, percent first
};

/// The mean standardised change of a cell, or of a whole table. Outcome: Same, Rose or Fell.
struct JudgedScore {
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
  std::vector<Judged> judged;  ///< sorted by quantity
  /// Table by table: its cells, then the whole.
  std::vector<JudgedScore> scores;
  /// Records that could not be judged, by file and line: each fails.
  std::vector<std::string> unreadable = {};
  bool passed() const;
  int count(Outcome outcome) const;
};

/// The levels of a run of one table: shared by its quantities, shared by its cells, and of the
/// whole.
inline constexpr double quantity_level = 0.025, cell_level = 0.025, table_level = 0.01;

/// The judgement by numbers alone: no cell failed. The platform `arithmetic` made the samples; ""
/// is one that no reference knows.
CheckResult judge(const Reference& reference, const Samples& samples,
                  const std::string& arithmetic = "");

/// Error: the records are of another study or profile than the reference, or were made with other
/// settings or data (named); no record; nothing of the reference is in scope.
CheckResult check(const Reference& reference, const std::vector<Record>& records,
                  const Scope& scope = {});

/// UsageError: an option of the records, or the content of what they read, is not the reference's;
/// names them with both values.
void expect_same_settings(const Reference& reference, const std::vector<Record>& records);

/// Appended to the result: cells of the reference that the records lack, or that did not finish, by
/// seed. Each fails.
void check_whole(const Reference& reference, const std::vector<Record>& records,
                 CheckResult& result);

/// Appended to the result: methods with another number of parameters, and those whose every cell
/// takes over a quarter (and 32 MiB) more memory than any of the reference's. Both fail.
void check_costs(const Reference& reference, const std::vector<Record>& records,
                 CheckResult& result);

/// -1 where lower is better, else 1.
double sign_of(Direction direction);
/// How far a value may be from the same seed's on the same platform and still be the same.
double same_within(double value);
/// Whether values of the same platform became worse as no rounding makes them worse. `before`: the
/// stored values of the seeds of `now`.
bool fell_beyond_rounding(const std::vector<double>& before, const Sample& now);

/// Whether two seeds may have this value by chance: a count, or a fraction of up to 100,000 items.
bool may_repeat(double value);

/// What is wrong with the seeds of a quantity, in one sentence; "" where nothing is. `before`: the
/// reference's values of the seeds of `now`, on the run's own platform where `own_platform`.
///
/// Values that are fractions of few items repeat by chance; they count where three values or more
/// of the reference are involved.
std::string seed_fault(const std::vector<double>& before, bool own_platform, const Sample& now);

/// What all outputs of a check state.
struct Counts {
  /// Of the reference and the run, and how many of these failed.
  int quantities = 0, failed = 0;
  int scores = 0, failed_scores = 0;  ///< means over cells and tables
  /// Quantities of the reference whose value can fail the check.
  int guarded = 0;
  int unknown = 0;                  ///< quantities of the run that the reference does not hold
  int values = 0, own_values = 0;   ///< as those of Judged, summed
  int by_values = 0, by_seeds = 0;  ///< quantities by what they were judged by
  /// Facts of the set-up, of a platform that the reference does not know.
  int by_facts = 0;
};
Counts counts_of(const CheckResult& result);
/// "94 guarded, 0 unknown to the reference; 1145 of 1160 values are those of this platform's
/// reference"
std::string counts_text(const Counts& counts);
/// By what the run was judged, and why not value by value where it was not: a sentence without its
/// end.
std::string basis_text(const CheckResult& result);
/// What is worth a line, as "note ..." and then "FAIL ...", the worst failure first; nothing of
/// what is the same. Where values of a cell are not those of its platform, one note sums up what
/// stayed within its band.
std::vector<std::string> report_lines(const CheckResult& result);
/// Whether `a` comes before `b` in a list that begins with the worst: failures without a number (a
/// cell that is missing or failed), then by the size of the change in percent.
bool is_worse(const Judged& a, const Judged& b);

/// JUnit XML: a test suite a table, a test case a quantity or score.
std::string junit_xml(const CheckResult& result);

/// Markdown for a pull request: the verdict, what moved, worst first, in percent, with the seeds
/// and the records to open below `results`.
std::string summary_markdown(const CheckResult& result, const Reference& reference,
                             const std::string& results);

}  // namespace reprise::records
