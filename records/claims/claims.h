// Claims of a document, and the verdicts that records give on them.
//
// A claim is one sentence of the document. Its rows are the evidence: comparisons of methods in the
// records, each with a verdict. claims.toml of a study:
//
//   [[claim]]
//   id = "1"
//   statement = "PreRNN beats the traditional RNN of the same cell"
//   source = "document [0068], table 1"
//   own = true
//   needs = ["gain of an oracle"]
//
//   [[claim.row]]
//   id = "faces, LSTM"
//   kind = "better"
//   methods = "pre_(lstm)_fc6"
//   than = "trad_$1_1"
//   ...
//
// Keys of a claim:
//   - id: unique in the file.
//   - statement, source: the sentence, and where the document has it.
//   - own: optional. The claim is ours, not the document's; it is listed and counted separately.
//   - needs: optional. Ids of requirements of all its rows, see below.
//   - because: instead of rows, why the claim is not tested here.
//
// Keys of a row, in addition to those of its kind:
//   - id: name of the row on the page, unique in the claim. Optional if for_each names the rows.
//   - further: optional. A condition of ours or a repetition. It is shown, but has no part in the
//     claim's verdict.
//   - for_each: optional. One row per value, see below.
//   - needs: optional. Further requirements, of this row.
//   - kind: one of the following.
//
// Kinds:
//   - better: each method beats its `than` in the metric, by a paired one-sided t test over seeds.
//     The records state whether higher or lower is better. With at_least = 0.1 it must be better by
//     more than 0.1, the amount that the sentence names; a margin then has no part.
//   - similar: the mean difference lies within ± margin, by two one-sided t tests (TOST).
//   - no_worse: the mean difference is above - margin, by a one-sided t test. Methods that are
//     equal in every seed are no worse.
//   - sooner: the method saves epochs, by a paired one-sided t test. Counted are the epochs until
//     the curve `metric` reaches a target: the worse of the two methods' best values in that seed.
//     A curve begins with epoch 1, or with epoch 0.
//   - ratio: the metric of each method over that of its `than` is at_least, at_most, or between
//     both, in every seed. This is exact, without statistics. "parameters.NAME" is the count of
//     parameters of that name.
//
// Keys of all kinds:
//   - methods: regular expression (ECMAScript) for the whole name of a method, such as
//     "(pre|sih)_(vrnn|lstm|gru)_.*". It matches only the study's methods, no external ones.
//   - than: the other method. $& is the whole name; $1 and $2 are groups of `methods`, as in
//     "trad_$2_1". A list: each of them.
//   - metric: name of a metric (sooner: of a curve) in the records. A list: each of them.
//   - table: of the methods' records.
//   - than_table: of the other method's records, if not `table`.
//   - than_metric: metric of the other method, if not `metric`. With than = "$&" a method is
//     compared with itself.
//   - dataset: regular expression for the whole name; default: every data set of the table.
//   - margin: of similar and no_worse, in the metric's unit. Optional for better and sooner: a
//     difference within ± margin counts as no effect.
//   - at_least, at_most: see better and ratio.
//
// The keys from kind to at_most may also be in the claim. There they are defaults of all its rows.
// Rows can be [[claim.row]], or a list with one line per row: row = [ { id = "LSTM", ... }, ... ].
// for_each repeats a row, with {name} replaced by each value in turn:
//
//   [[claim.row]]
//   for_each = { kind = ["clean", "blur"] }
//   metric = "error_{kind}"
//
// gives two rows, "clean" and "blur", each with its own verdict. Several names give every
// combination, the first name slowest. Values that belong together form a named list:
//
//   [lists]
//   videos = [ { row = "gestures, colour", table = "gestures_fc", part = "colour" }, ... ]
//
// It is used as for_each = "videos", or as { rows = "videos", cell = [...] } for every combination.
//
// A requirement must hold before a row can say anything:
//
//   [[requirement]]
//   id = "gain of an oracle"
//   statement = "an oracle that knows the damaged frames gains 0.03 of AUC"
//   kind = "mean"
//   at_least = 0.03
//   ...
//
// Keys of a requirement:
//   - kind: what must be within the bounds. "mean" (the default): the mean over seeds. "every": the
//     value of each seed. "some": the mean of one method, which with `than` must also be
//     significantly better, by Holm's method. "ratio": the mean of the method over that of its `than`.
//   - methods, than, metric, table, dataset, than_table, than_metric: as in a row. Table and data
//     set of the row are defaults.
//   - at_least, at_most: bounds of the value, or with `than` of the gain (> 0 is better).
//   - inside = "search.rates", instead of bounds: in every seed the metric, a chosen value, is
//     neither the least nor the greatest candidate of this setting.
//   - post_hoc = true: added when the seeds had been seen. It is printed, and changes no verdict.
//
// The setting of `inside` lists numbers, or grids such as "first=0.35|0.7|1.4", whose values of
// first belong to the metric with_first. In "0, search.rates", 0 is a candidate too. Without
// `methods`, `inside` holds for every method that the row compares.
//
// [[resampling]] states what a seed resamples, which decides how much seeds can show:
//
//   [[resampling]]
//   table = "pose|search"
//   resamples = 0.55
//
//   - table, dataset: regular expressions for whole names; the first entry that fits counts. By
//     default all data sets. Without an entry a seed resamples all data.
//   - resamples, a number: one finite set is split again. The number is test items over training
//     items, for the corrected t test (statistics.h, paired_t).
//   - resamples = "weights": the same items in every seed, which then varies only the training.
//
// Verdicts of a row. Each direction is tested one-sided at 5 %; intervals are 90 % intervals.
//   - Contradicted: a comparison lies significantly below - margin (below 0 without one, below
//     at_least), by Holm's correction over the comparisons of the row. Of "similar": beyond it.
//   - NotComparable: values of different protocols would have to be compared.
//   - NotRun: no finished cell has what the row compares.
//   - NotTestable: a requirement fails, or a file of curves is missing (named).
//   - Reproduced: every comparison is significant in the claimed direction, and none is missing. No
//     correction is needed, because all must be (intersection-union test, Berger 1982). Methods
//     that are equal in every seed decide nothing, except for no_worse.
//   - NoEffect: as Reproduced, but one or more comparisons lie within ± margin, by two one-sided
//     tests, significant or not.
//   - Undecided: all other rows, and those with fewer than two seeds.
//
// The verdict of a claim is that of its rows that are not `further`, if they agree. Rows not run or
// not testable are left out if there are others. Of rows that disagree it is InPart if one is
// reproduced, else Contradicted if one is, else Undecided.
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
  /// two seeds, for "similar" and "no_worse", and if the search finds none.
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
  std::string measured{};  ///< "cnn on videos: accuracy is 0.943. Required: at least 0.95."
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
  /// Verdicts of its rows: "2 of 3 rows reproduced, 1 contradicted". Of a single row its reason.
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

/// Returns the claim with the row in brackets.
std::string row_statement(const Judgement& judgement);

/// Judges all claims. `own_methods`: names that `methods` may match, each also as
/// "NAME+SETTING=VALUE"; empty: every name. A study gives its registered methods, so that added
/// methods have no part in claims.
/// Also reads the folder's registry (records/claims/registry.h). UsageError: a claim that cannot be
/// read (id, key, expected value).
std::vector<Judgement> judge(std::string_view claims_toml, const std::string& name,
                             const Store& store, const std::set<std::string>& own_methods = {});

}  // namespace reprise::records
