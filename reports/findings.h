// Sentences of a study's page: findings.toml.
// Every number in a sentence comes from a record. A comparison that the records no longer support
// is marked.
//
//   profile = "small"
//   document = "What the document says, in two sentences."
//   picture = "gap_clip"
//   forest = "1"
//   limits = ["...", "..."]
//
//   [answer]
//   statement = "PreLSTM is level with the traditional LSTM: {lstm}."
//
//   [card]
//   table = "table1"
//   rows = ["LSTM", ...]
//   columns = ["AUC", ...]
//
//   [[finding]]
//   statement = "It is {gain} {gain.interval} better than the per-frame network."
//   gain = { claim = "1", row = "faces, LSTM", than = "per_frame", is = "better", unit = "°" }
//   base = { table = "pose", dataset = "synhead", method = "per_frame", metric = "error_gaps" }
//
//   [[why]]
//   claim = "1"
//   verdict = "undecided"
//   statement = "The intervals ..."
//
//   [[item]]
//   item = "Table 1"
//   title = "AUC of PreRNN"
//   shows = ["table1", "curves"]
//   why = "..."
//
//   [[message]]
//   figure = "tracks_clean"
//   statement = "The filters follow the measurement {late} frames late."
//
//   [words]
//   fc_gru = "FC-GRU"
//   [glossary]
//   AUC = "area under ..."
//   [facts]
//   heads = "{heads.count} generated heads"
//
// Keys of the file:
//   - profile: the profile of the records. Pages of other profiles leave all sentences out.
//   - picture: optional. A figure, a gallery or one of its pictures ("clips-2"). It opens the page
//     and appears on the index page.
//   - forest: optional. The claim whose comparisons are drawn below the table of claims.
//   - limits: at most six sentences on what the results do not show.
//
// Sections:
//   - answer: one sentence.
//   - card: the table of the index page, taken from one of the study's tables. It has at most five
//     rows and four columns, named by their exact titles.
//   - finding: at most eight.
//   - why: the explanation of a verdict. Every claim needs one, except those that are reproduced or
//     not run. An explanation of another verdict than the claim's is reported as stale.
//   - item: every table and figure of the document, in its order, by the document's name. `shows`
//     lists the ids of its counterparts, which stand open on the page. `why` states why there is
//     none, or what differs. One of the two is needed.
//   - message: what a figure shows, in place of the sentence of reports/figure_summary.h.
//   - words: names of methods, data sets and metrics on the page.
//   - glossary: explanations of terms. Several terms with one meaning share a key: "fc6, fc7".
//   - facts: how it was measured. {KEY} is a setting of the run.
//
// In answer, finding, why and message every other key is a quantity of the sentence. Its keys are:
//   - claim, row: a row of a claim; a claim with a single row needs no `row`. The value is the
//     effect of the row. `metric` selects the effect of one metric. `method`, `than` and `dataset`
//     select one comparison.
//   - table, dataset, method, metric: without a claim, the mean over seeds.
//   - is: required for an effect. "better": the interval lies above 0. "worse": below 0.
//     "undecided": it contains 0.
//   - at_least, at_most: bounds that the value must keep. For "better" and "worse": bounds of its
//     size.
//   - digits, unit, times: digits after the point (2), text after the number, and a factor (100 for
//     per cent).
//
// A placeholder prints a quantity:
//   - {gain}: the number. For "better" and "worse" it has no sign.
//   - {gain.interval}: the interval of the effect.
//   - {gain.n}: the number of seeds.
//   - {gain.p}: the p-value of the stated direction.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "records/claims/claims.h"
#include "reports/glossary.h"
#include "reports/html.h"
#include "reports/measured.h"

namespace reprise::reports {

struct FindingQuantity {
  enum class Is { Better, Worse, Undecided, Value };
  std::string where, claim, row, table, dataset, method, metric, than;
  Is is = Is::Value;
  std::optional<double> at_least, at_most;
  int digits = 2;
  std::string unit;
  double times = 1;
};

struct Findings {
  struct Finding {
    std::string where, statement;
    std::map<std::string, FindingQuantity> quantities;
  };
  struct Explanation {
    std::string claim;
    records::Verdict verdict;
    Finding finding;
  };
  struct Item {
    std::string item, title, explanation;
    std::vector<std::string> shows;
  };
  struct Card {
    std::string table;
    std::vector<std::string> rows, columns;
  };

  Findings() = default;
  /// Throws a UsageError for TOML that does not parse, and for:
  ///   - a missing, unknown or wrongly typed key, or an unknown verdict;
  ///   - more entries than a page holds;
  ///   - a sentence whose placeholders are not exactly its quantities.
  Findings(std::string_view toml, const std::string& name);

  std::string profile, document, picture, forest;
  std::vector<std::string> limits;
  std::optional<Finding> answer;
  std::optional<Card> card;
  std::vector<Finding> findings;
  std::vector<Explanation> explanations;
  std::vector<Item> items;
  std::map<std::string, Finding> messages;  ///< figure -> what it shows
  std::map<std::string, std::string> words;
  Glossary glossary;
  std::vector<std::pair<std::string, std::string>> facts;

  /// Returns the page's word for a method, data set, metric or row, or for each of several values
  /// in one id. Without a word it returns the id.
  std::string word(const std::string& id) const;
  /// Returns the explanation of the claim's verdict; null without one.
  const Explanation* explanation(const records::ClaimVerdict& claim) const;
};

/// A sentence of findings.toml with its numbers.
struct RenderedFinding {
  Html text;
  /// Whether a quantity has no finished cells yet, so that the sentence is not shown.
  bool waits = false;
  /// Quantities that the records do not support: "findings.toml, line 12: gain is not better ...".
  std::vector<std::string> stale;
};

/// Returns the sentence, marked if the records do not support it.
Html finding_html(const RenderedFinding& found);

/// Fills in the numbers of a sentence. Throws a UsageError for an unknown claim or row, for a claim
/// of several rows without `row`, and if several comparisons or effects fit.
RenderedFinding render_finding(const Findings::Finding& finding,
                               const std::vector<records::Judgement>& claims,
                               const Measured& measured);

/// Returns a fact with the run's settings filled in. UsageError: the run lacks a setting.
std::string fact_text(const std::string& fact, const std::map<std::string, std::string>& settings);

/// Lists verdicts without an explanation, and explanations of another verdict than the claim's.
std::vector<std::string> stale_explanations(const Findings& findings,
                                            std::span<const records::ClaimVerdict> claims);

}  // namespace reprise::reports
