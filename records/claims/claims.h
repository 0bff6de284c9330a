// Claims of a document, and the verdicts that records give on them.
//
// A claim is one sentence of the document. Its rows are the evidence: comparisons of methods in the
// records, each with a verdict. claims.toml of a study:
//
//   [[claim]]
//   id = "1"                    unique in the file
//   statement = "PreRNN beats the traditional RNN of the same cell"
//   source = "document [0068], table 1"
//   own = true                  optional: a question of ours, which the document does not state. It is listed and counted apart
//   needs = ["room on faces"]   optional: requirements of all its rows, see below
//   because = "..."             in place of rows: why the claim is not tested here
//
//   [[claim.row]]
//   id = "faces, LSTM"          what the page calls the row; unique in the claim. May be left out where for_each names the rows
//   further = true              optional: a condition of ours or a repetition. It is shown, and has no part in the claim's verdict
//   for_each = { ... }          optional: one row for each value, see below
//   needs = ["rates"]           optional: further requirements, of this row
//   kind = "better"             and the keys of that kind:
//
//   better       Each method beats its `than` in the metric: paired one-sided t over seeds. The records say whether higher or lower is
//                better. With at_least = 0.1 it does so by more than 0.1, the amount that the sentence names; a margin has no part then.
//   similar      The mean difference lies within ± margin: two one-sided t tests (TOST).
//   no_worse     The mean difference is above - margin: one-sided t. Equal in every seed is no worse.
//   sooner       Epochs until the curve `metric` first is as good as both methods' curves of the same seed ever are: the worse of their two
//                bests, so that both get there. Epochs saved: paired one-sided t. A curve begins with epoch 1, or with epoch 0.
//   ratio        The metric of each method over that of its `than` is at_least, at_most or between both, in every seed: exact, no
//                statistics. "parameters.NAME" is the count of parameters of that name.
//
//   methods      regular expression (ECMAScript) over the whole name of a method: "(pre|sih)_(vrnn|lstm|gru)_.*". It matches the study's
//                methods alone, no external one
//   than         the other method; $& stands for the whole name, $1, $2 for the groups of `methods`: "trad_$2_1". A list: each of them
//   metric       name of a metric (sooner: of a curve) in the records. A list: each of them
//   table        where the methods' records are
//   than_table   where the other method's records are, when not in `table`
//   than_metric  the other method's metric, when it is not the same: with than = "$&" a method is compared with itself
//   dataset      regular expression over the whole name; default: every data set of the table
//   margin       of similar and no_worse, in the metric's unit. Optional for better and sooner: a difference within ± margin counts as none
//   at_least, at_most   see better and ratio
//
// What is alike is written once. These keys (kind to at_most) may stand in the claim itself: there
// they are the defaults of all its rows. Rows may be written as [[claim.row]] or as a list, row = [
// { id = "LSTM", ... }, ... ], one line to each. for_each repeats a row, with {name} for each value
// in turn:
//
//   [[claim.row]]
//   for_each = { kind = ["clean", "blur"] }
//   metric = "error_{kind}"
//
// is two rows, "clean" and "blur", each with its own verdict. Several names give every combination,
// the first name slowest. Where values belong together, a list of them has a name (for_each =
// "videos", or { rows = "videos", cell = [...] } for every combination):
//
//   [lists]
//   videos = [ { row = "gestures, colour", table = "gestures_fc", part = "colour" }, ... ]
//
// What must hold before a row says anything is a requirement:
//
//   [[requirement]]
//   id = "room on faces"
//   statement = "an oracle that knows the damaged frames gains 0.03 of AUC"
//   kind = "mean"               the mean over seeds is within the bounds (the default). "every": the value of each seed is. "some": the
//                               mean of one method is, and where `than` stands it is significantly better, by Holm's method over all that
//                               could be that one. "ratio": the mean of the method over the mean of its `than` is
//   methods, than, metric, table, dataset, than_table, than_metric    as in a row. table and dataset: default those of the row
//   at_least = 0.03             or at_most, or both: the bounds of the value; with than of the gain (> 0 is better)
//   inside = "search.rates"     in place of bounds: in every seed the metric, a chosen value, is neither the least nor the greatest of this
//                               setting's list: of its numbers, or of grids "first=0.35|0.7|1.4" those of first for the metric with_first. "0, search.rates": 0 is a candidate too. Without `methods`: of every method that the row
//                               compares
//   post_hoc = true             added when the seeds had been seen: it is printed and takes no verdict away
//
// What a seed resamples decides how much seeds say:
//
//   [[resampling]]
//   table = "pose|search"       regular expressions over whole names; the first entry that fits counts. dataset: default all. Without an
//                               entry a seed makes all data anew
//   resamples = 0.55               one finite set is split again: test items over training items, for the corrected t (statistics.h, paired_t).
//                               "weights": the same items each time, so that seeds speak of training alone
//
// Verdicts of a row. Each direction is tested one-sided at 5 %; intervals are 90 % intervals.
//   Contradicted    some comparison lies significantly below - margin (below 0 without one; below at_least), after Holm's correction over
//                   the comparisons of the row; of "similar": beyond the margin
//   NotComparable   values of different protocol would have to be compared
//   NotRun          no finished cell has what the row compares
//   NotTestable     a requirement fails, whatever the comparisons say; also where a file of curves that the row needs is not there (named)
//   Reproduced      every comparison is significant in the claimed direction, none is missing. All must be, so that no correction is
//                   needed (intersection-union test, Berger 1982). Two methods that are equal in every seed decide nothing, but for no_worse
//   NoEffect        as Reproduced, but one or more comparisons lie within ± margin (two one-sided tests), significant or not
//   Undecided       else; fewer than two seeds always
// Verdict of a claim: that of its rows which are not `further`, where all agree; those not run or
// not testable are left out where others are there. Of rows that disagree: InPart where one is
// reproduced, else Contradicted where one is, else Undecided.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "records/store.h"

namespace reprise::records {

enum class Verdict {
  Reproduced,
  InPart,
  Contradicted,
  NoEffect,
  Undecided,
  NotTestable,
  NotComparable,
  NotRun
};
std::string_view verdict_text(Verdict verdict);  ///< "reproduced", "in part", "contradicted", ...

/// Level of every test of a claim, one-sided; its intervals exclude this much on either side.
inline constexpr double claim_level = 0.05;

/// What a seed resamples; see [[resampling]].
enum class Resampling { Data, Split, Weights };
std::string_view resampling_text(Resampling resampling);  ///< "data", "split", "weights"

/// Whether all comparisons of a row were registered before their seeds had been seen
/// (records/claims/registry.h).
enum class Preregistration { Before, PostHoc, Unknown };
/// "before", "post hoc", "unknown".
std::string_view preregistration_text(Preregistration preregistration);

struct Comparison {
  /// Metric: the curve's name for "sooner".
  std::string table{}, method{}, than{}, dataset{}, metric{};
  std::string unit{};  ///< of the gains; "" for a pure number
  int n = 0;           ///< common seeds
  /// Paired difference by seed; > 0 favours `method`. "sooner": epochs saved.
  std::map<std::int64_t, double> gains{};
  double effect = 0, low = 0, high = 0;  ///< mean gain and its 90 % interval
  Resampling resampling = Resampling::Data;
  double test_over_train = 0;                ///< of Split: test over training items
  double p = 1;                              ///< for the claim, one-sided
  double p_against = 1, p_against_holm = 1;  ///< against it, one-sided
  double p_none = 1;                         ///< for a difference within ± margin; 1 without one
  /// Seeds that decide a true difference of this size with probability 0.8. Nothing with fewer than
  /// two seeds, for "similar" and "no_worse", and if no number is enough.
  std::optional<int> needed{};
  /// Mean seconds of one more seed of both cells.
  double seconds = 0;
  /// Margin of no difference, if the row states one.
  std::optional<double> margin{};
  /// Amount to be exceeded, if the row states one.
  std::optional<double> at_least{};
  /// Seeds in which both are at the bound of a fraction or an error: 1 where higher is better, 0
  /// where lower is.
  int at_bound = 0;
};

/// Mean of the comparisons of one metric in one table over their common seeds, with its paired
/// interval. Each counterpart of a method has its own effect.
struct Effect {
  std::string table{}, metric{};
  /// Counterpart, if a method has several; "": one per method.
  std::string than{};
  std::string unit{};  ///< "" for a pure number
  double effect = 0, low = 0, high = 0;
  int n = 0, comparisons = 0;
  std::optional<double> margin{};  ///< of its comparisons
};

/// A requirement of a row, and whether it holds.
struct Requirement {
  std::string statement{};
  bool holds = false, was_measured = false;
  bool post_hoc = false;   ///< added after its seeds were seen; `statement` ends with "(post hoc)"
  std::string measured{};  ///< "judge on videos: accuracy is 0.943. Required: at least 0.95."
};

/// Verdict on one row of a claim. Rows of a claim are adjacent. A claim without rows has one
/// judgement, NotRun.
struct Judgement {
  /// Row: its id with the values of for_each, "" of a claim without rows.
  std::string claim_id{}, row{};
  std::string id{};                   ///< "claim_id, row"; unique
  std::string statement{}, source{};  ///< of the claim
  bool own = false, further = false;
  Verdict verdict = Verdict::NotRun;
  std::string reason{};  ///< one sentence, with counts: "12 of 15 comparisons ..."
  std::vector<Comparison> comparisons{};
  /// In the order of the comparisons; none where comparisons of different kinds would be averaged.
  std::vector<Effect> effects{};
  std::vector<Requirement> requirements{};
  std::optional<double> ratio{};  ///< of "ratio": the one that is farthest from its bounds
  int n = 0;                      ///< the fewest seeds of a comparison
  /// Deciding p: the largest of all comparisons for the claim, the smallest adjusted one against
  /// it. 1 without comparisons.
  double p = 1, p_against = 1;
  int towards = 0;  ///< number of comparisons that favour the claim
  /// Of Undecided: seeds that would decide it with the present effects.
  std::optional<int> needed{};
  /// Hours of one core for the missing seeds.
  double hours = 0;
  Preregistration preregistration = Preregistration::Unknown;
  /// Of the tree when its last comparison was registered: "abc", "abc with changes"; "" not known.
  std::string commit{};
  std::vector<std::int64_t> excluded_seeds{};  ///< finished seeds that the verdict does not use
};

/// A claim with the common verdict of its rows.
struct ClaimVerdict {
  std::string id{}, statement{}, source{};
  bool own = false;
  Verdict verdict = Verdict::NotRun;
  /// "2 of 3 rows reproduced, 1 contradicted"; of a claim with one row that counts its reason.
  std::string reason{};
  /// PostHoc where a row that counts is.
  Preregistration preregistration = Preregistration::Unknown;
  std::span<const Judgement> rows{};  ///< all rows, further ones included
  /// Lists the rows that are not `further`.
  std::vector<const Judgement*> counted_rows() const;
};

/// Groups judgements by claim, in their order. `judgements` must outlive the result.
std::vector<ClaimVerdict> claim_verdicts(std::span<const Judgement> judgements);

/// Names an effect: its metric, its table if the metric is in several, and its counterpart if there
/// are several. word: the name of an id.
std::string effect_name(
    const Judgement& judgement, const Effect& effect,
    const std::function<std::string(const std::string&)>& word = [](const std::string& id) {
      return id;
    });

/// Returns the claim with the row in brackets, for a line of its own.
std::string row_statement(const Judgement& judgement);

/// Judges all claims. `own_methods`: names that `methods` may match, each also as
/// "NAME+SETTING=VALUE"; empty: every name. A study gives its registered methods, so that added
/// methods have no part in claims.
/// Also reads the folder's registry (records/claims/registry.h). UsageError: a claim that cannot be
/// read (id, key, expected value).
std::vector<Judgement> judge(std::string_view claims_toml, const std::string& name,
                             const Store& store, const std::set<std::string>& own_methods = {});

}  // namespace reprise::records
