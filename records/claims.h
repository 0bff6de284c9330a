// Claims of a document, and the verdicts that records give on them.
//
// claims.toml of a study is a list of [[claim]]:
//
//   [[claim]]
//   id = "1"                    unique in the file
//   says = "every PreRNN and SIH cell beats the traditional RNN of the same kind"
//   source = "document, table 1"
//   level = 0.05                optional; chance of any false "reproduced" in the family
//   family = "table1"           optional; claims of one family are corrected together. Default: each claim (and each row of one) alone
//   conjunction = true          optional; what is claimed is all of it at once ("the lowest of all"), judged as an intersection-union test
//                               (Berger 1982): every comparison must be significant, each at the level, uncorrected; so, too, where some lie within the margin
//   for_each = { ... }          optional; one claim with a row for each value, see below
//   kind = "better"             and the keys of that kind, listed below
//
// A claim may instead list several tests, each a [[claim.test]] with a kind and its keys; it is reproduced when all are.
//
//   kind = "better"       methods, than, metric, table; may have than_table, than_metric, dataset, comparisons, optional
//                         On every dataset each method beats its `than` in `metric`: paired one-sided t over seeds. The records say
//                         whether higher or lower is better.
//   kind = "similar"      as better, and margin
//                         The mean difference lies within ± margin: two one-sided t tests (TOST).
//   kind = "no_worse"     as similar
//                         The mean difference is above - margin: one-sided t. Equal in every seed is no worse; to show that takes five seeds.
//   kind = "sooner"       methods, than, curve, table; may have than_table, dataset, comparisons, optional, higher
//                         Epochs until `curve` first is as good as both methods' curves of the same seed ever are: the worse of their two
//                         bests, so that both get there. Epochs saved: paired one-sided t. A curve begins with epoch 1, or with epoch 0.
//   kind = "parameters"   left, right, fraction and tolerance, or at_most
//                         left / right is `fraction` within `tolerance`, or at most `at_most`. Each side is a number, or { table, dataset, method, count }:
//                         the parameter count of that name in the records. No statistics: exact.
//   kind = "none"         because
//                         The document claims it and this study does not test it.
//
//   methods       regular expression (ECMAScript) over the whole name of a method: "(pre|sih)_(vrnn|lstm|gru)_.*". It matches the study's
//                 own methods alone
//   than          the other method; $& stands for the whole name, $1, $2 for the groups of `methods`, so that one line pairs every cell
//                 with its own kind: "trad_$2_1"
//   metric        name of a metric in the records
//   curve         name of a curve in the records
//   higher        true: the curve should rise. Default false: a fall of the curve is progress
//   table         where the methods' records are
//   than_table    where the other method's records are, when not in `table`: a control that has a table of its own
//   than_metric   the other method's metric, when it is not the same: with than = "$&" a method is compared with itself
//   dataset       regular expression over the whole name; default: every dataset of the table
//   comparisons   how many there must be. Fewer (cells not run) are at best inconclusive
//   margin        of "similar", in the metric's unit. Of "no_worse": by how much worse is still no worse. Optional for "better" and "sooner":
//                 a difference within ± margin is no effect, and only one beyond it contradicts
//   items         of "better" and "similar". true: judged by paired items within seeds, which cells keep as the curve items/METRIC, and not
//                 over seeds: it speaks of these trained networks, not of training again (records/item_pairs.h). One seed is enough. No
//                 item kept: not run
//   optional      true: not every profile measures it, so that a metric that no finished cell has leaves the test not run; otherwise that
//                 is an error, for the name may be wrong. A list of values of for_each: true for those alone
//
// What is claimed of several things alike is written once. Lists spread one test out to several:
//
//   than = ["cnn", "kalman_position"]
//   metric = ["error_clean", "error_gaps"]
//
// are four tests, as if each were a [[claim.test]] of its own: cnn with both metrics, then kalman_position with both. `curve` takes a list
// as `metric` does. for_each repeats the claim or the test that it stands in, with {name} for each value in turn:
//
//   [[claim]]
//   id = "1 error"
//   for_each = { kind = ["clean", "blur", "mix"] }
//   metric = "error_{kind}"
//
// is one claim with three rows, "1 error clean", "1 error blur" and "1 error mix". Each row is judged and corrected as if it were a claim
// by itself, and has its own verdict. Rows share id, says and source; any other text of the claim may hold {kind}.
//
//   [[claim.test]]
//   for_each = { modality = ["colour", "depth"] }
//   metric = "first_{modality}"
//   than = "$&"
//   than_metric = "second_{modality}"
//
// are two tests of one claim, which has one verdict. Several names in a for_each give every combination, the first name slowest. A value is
// put in as it is written: in `methods` and `dataset` it is part of the regular expression.
//
// Where values belong together, a list of them has a name, and `row` says what the page calls each (`rows = "videos"` beside lists within
// for_each = { ... } gives every combination with these):
//
//   [rows]
//   videos = [
//     { row = "gestures, colour", table = "gestures_fc", part = "colour" },
//     { row = "actions, flow", table = "actions_fc", part = "flow" },
//   ]
//
//   [[claim]]
//   for_each = "videos"
//   table = "{table}"
//   metric = "accuracy_{part}"
//
// `without_seeds = "14"` in an entry: that row is judged without these seeds, and says so in its `row`.
//
// A claim can say what must hold before it says anything. What it `requires` is over the means of the seeds
// that it is judged on (of cells that serve all seeds, of those that these have):
//
//   [[claim.requires]]
//   says = "a smoother that sees the future gains 0.3 degrees: there is room"
//   table, metric, methods      as above; dataset too
//   than, than_table, than_metric   optional: the gain over it is meant, positive where the method is better (of a metric without a better
//                               direction: greater), and not the value itself
//   at_least = 0.3              or at_most, or both: the bounds of the value or gain
//   inside = "search.learning_rates"   in place of bounds: in every seed the metric, a chosen value, lies between the least and the
//                               greatest of this setting's list and is neither: a search that ends on an edge did not find the best.
//                               With from_zero = true the least may be: 0 is a candidate as well (a learning rate of 0 where the first weights
//                               are judged, too), so that there is no edge on that side.
//                               Without table, methods and dataset it is asked of every method that the claim compares
//   every_seed = true           the bounds hold in every seed. Default: for the mean
//   size = true                 the bounds are of the value or gain without its sign
//   post_hoc = true             it was added when the claim's seeds had been seen. It is no part of what was asked before them, and takes no
//                               verdict away: where it fails, the verdict stands and its reason names both
//   any = true                  one method, on one dataset, is enough. Default: all
//   significant = true          with than: the gain is significant, too: one-sided paired t over seeds at 0.05, with `any` adjusted by Holm's
//                               method over all that could be that one
//
// What several claims require is written once, and named in each:
//
//   [[requirement]]
//   name = "room on faces"
//   says = "..."                and the keys of a requirement
//
//   [[claim]]
//   needs = ["room on faces", "rates"]   as if these stood before the claim's own [[claim.requires]]
//
// A for_each of the claim reaches its requirements, named ones too. One that fails, or that nothing measured, makes the claim NotTestable.
//
// What the seeds of a table renew decides how much they say:
//
//   [[replicates]]
//   table = "pose|search"       regular expressions over whole names; the first entry that fits counts. dataset: default all
//   renews = "split"            "data": everything anew, seeds are independent (what holds without an entry). "split": one finite set is
//                               divided anew. "weights": the same items each time, so that seeds speak of training alone
//   test_over_train = 0.55      of "split": ratio of test to training items, for the corrected t (records/statistics.h, paired_t)
//   because = "24 recorded tracks and 40 heads are divided anew"
//
// Verdicts of a test. Each direction is tested one-sided at the claim's level, p-values adjusted by Holm's method over all comparisons of the
// family; intervals leave out the level on either side (90 % at level 0.05), so that one leaves 0 out exactly where its comparison decides by
// itself.
//   Contradicted    some comparison lies significantly below - margin (below 0 without one); for "similar": beyond the margin
//   NotComparable   values of different protocol would have to be compared
//   NotRun          no records, or kind = "none"
//   NotTestable     a requirement fails, whatever the comparisons say; where nothing ran, one that was measured. Also where a file of curves
//                   that the test needs is not there (named)
//   Reproduced      every comparison significant in the claimed direction, none missing, no cell of its methods failed or unfinished.
//                   Two methods that are equal in every seed decide nothing, of any kind but no_worse: p = 1
//   NoEffect        as Reproduced, but one or more comparisons lie within ± margin (two one-sided tests), significant or not: margins decide
//   Undecided       else; fewer than two seeds always, unless judged item by item
// Of several tests: Contradicted if one is, else NotComparable if one is, NotRun if all are, Reproduced if all are, NoEffect if all are one
// or the other, else Undecided. NotTestable comes before all but NotComparable.
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

enum class Verdict { Reproduced, Contradicted, NoEffect, Undecided, NotTestable, NotComparable, NotRun };
std::string_view verdict_text(Verdict verdict);  ///< "reproduced", "contradicted", "no effect", ...
/// The five words that verdicts had before there were seven: "not reproduced" for contradicted; "inconclusive" for no effect, undecided and
/// not testable.
std::string_view former_verdict(Verdict verdict);

/// What one seed of a table renews; see [[replicates]].
enum class Renews { Data, Split, Weights };
std::string_view renews_text(Renews renews);  ///< "data", "split", "weights"

/// Whether a claim stood as it is when the seeds that it is judged on had not been seen (records/asked.h).
enum class Asked { Before, PostHoc, Unknown };
std::string_view asked_text(Asked asked);  ///< "before", "post hoc", "unknown"

/// Looks at a claim whose seeds are added until it is decided (records/sequential.h).
struct LooksTaken {
  std::vector<int> seeds{};    ///< that it had at each look so far
  int most = 0;                ///< that it may get
  double level = 0.05;         ///< over all looks; Judgement::level is that of the last one
  bool judged_before = false;  ///< at its full level, before the first of these looks: one more chance of a false alarm
};

struct Comparison {
  std::string table{}, method{}, than{}, dataset{}, metric{};  ///< metric: the curve's name for "sooner"
  int n = 0;                                                   ///< seeds both have
  std::int64_t items = 0;                                      ///< judged item by item: how many over all seeds; 0: over seeds
  /// By seed: the paired difference, oriented so that > 0 favours `method`. "sooner": epochs saved.
  std::map<std::int64_t, double> gains{};
  double effect = 0, low = 0, high = 0;  ///< their mean and its interval
  Renews renews = Renews::Data;
  double resampled = 0;                      ///< of Split: test over training items
  double p = 1, p_holm = 1;                  ///< for the claim, one-sided
  double p_against = 1, p_against_holm = 1;  ///< against it, one-sided
  double p_none = 1, p_none_holm = 1;        ///< for a difference within ± margin; 1 without one
  /// Seeds at which a true difference like this one would be decided with probability 0.8 at the strictest step of Holm's method, the way it
  /// points. Nothing with fewer than two seeds, for "similar", and where no number is enough.
  std::optional<int> needed{};
  double seconds = 0;              ///< that one more seed of the two cells takes: the mean of those that are there
  std::optional<double> margin{};  ///< within which a difference counts as none, where the claim states one
  int at_bound = 0;  ///< seeds in which both are at the bound of a fraction or an error: 1 where higher is better, 0 where lower is
};

/// What the comparisons of one metric in one table say together: the mean over them in each seed that all have, and the paired interval of
/// that. Metrics of two tables may share a name and no unit. Where a method is compared with several others, each of these has an effect of
/// its own: far above one and below another is no mean.
struct Effect {
  std::string table{}, metric{};
  std::string than{};  ///< of several that a method is compared with; "": there is one to each method
  double effect = 0, low = 0, high = 0;
  int n = 0, comparisons = 0;
  std::optional<double> margin{};  ///< of its comparisons
};

/// One thing that a claim requires, and whether it holds.
struct Requirement {
  std::string says{};
  bool holds = false, was_measured = false;
  bool post_hoc = false;   ///< asked when the seeds had been seen; `says` ends with that
  std::string measured{};  ///< "0.943 of judge on videos, asked for at least 0.95"
};

/// On a claim, or on one row of it. Rows of one claim stand one after another.
struct Judgement {
  std::string claim_id{}, row{};  ///< the id as the file writes it; the values of for_each, "" for a claim without rows
  std::string id{};               ///< "claim_id row"; unique
  std::string says{}, source{};   ///< what rows of a claim share
  double level = 0.05;
  Verdict verdict = Verdict::NotRun;
  std::string reason{};  ///< one sentence, with counts: "12 of 15 comparisons ..."
  std::vector<Comparison> comparisons{};
  std::vector<Effect> effects{};  ///< in the order of the comparisons
  std::vector<Requirement> requirements{};
  std::optional<double> fraction{};  ///< of "parameters"
  int n = 0;                         ///< the fewest seeds of a comparison
  /// The adjusted p that decides: for the claim the largest of all comparisons, against it the smallest. 1 where nothing was compared.
  double p = 1, p_against = 1;
  /// Reproduced and contradicted: whether that survives Holm's correction over all verdicts of the file, by these p.
  bool survives_page = false;
  int towards = 0;              ///< comparisons whose effect points the claimed way
  std::optional<int> needed{};  ///< of Undecided: seeds that would decide it, were the effects as they are now
  double hours = 0;             ///< that those cost beyond the ones that are there, on one core, for the compared cells
  Asked asked = Asked::Unknown;
  std::string commit{};                   ///< of the tree when it was asked as it is: "abc", "abc with changes"; "" not known
  std::vector<std::int64_t> set_aside{};  ///< finished seeds that it is not judged on
  std::optional<LooksTaken> looks{};
};

/// The metric of an effect, with its table where the claim has the metric in several, and what it is against where a method is compared with
/// several; word: how an id is called.
std::string effect_name(
    const Judgement& judgement, const Effect& effect,
    const std::function<std::string(const std::string&)>& word = [](const std::string& id) { return id; });

/// What is claimed, with the row in brackets: for a line that stands by itself.
std::string says_of_row(const Judgement& judgement);

/// The judgements claim by claim: one, or one a row.
std::vector<std::span<const Judgement>> claims_of(std::span<const Judgement> judgements);

/// `own`: the names that `methods` may match, each also as "NAME+SETTING=VALUE"; empty: every name. A study gives those of its registries
/// that are the document's or compared with it, so that no method that somebody adds has a part in a claim, whatever its name.
/// Beside the records it reads what the folder holds of when claims were asked (records/asked.h).
/// UsageError: a claim that cannot be read (id, key, what was expected); a metric or curve that no finished cell of its methods has and
/// that is not optional.
std::vector<Judgement> judge(std::string_view claims_toml, const std::string& name, const Store& store,
                             const std::set<std::string>& own = {});

}  // namespace reprise::records
