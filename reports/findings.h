// Sentences of a study's page: findings.toml.
// Every number in a sentence comes from a record. A comparison that the records no longer support
// is marked.
//
//   profile = "small"                     whose records the sentences are about; pages of other profiles leave them out
//   document = "What the document says, in two sentences."
//   picture = "gap_clip"                 optional: the figure, gallery or picture of one ("clips-2") that opens the page and stands on the index
//   forest = "1"                         optional: the claim whose comparisons are drawn one by one below the table of claims
//   limits = ["...", "..."]              at most six sentences: what the results do not show
//
//   [answer]                             one sentence, the answer; quantities as in a finding
//   statement = "PreLSTM is level with the traditional LSTM: {lstm}."
//
//   [card]                               the table of the index page: at most five rows and four columns of one of the study's tables
//   table = "table1"                     its id
//   rows = ["LSTM", ...]                 titles of its rows and columns, exactly
//   columns = ["AUC", ...]
//
//   [[finding]]                          at most eight
//   statement = "It is {gain} {gain.interval} better than the per-frame network."
//   gain = { claim = "1", row = "faces, LSTM", than = "per_frame", is = "better", digits = 2, unit = "°" }
//   base = { table = "pose", dataset = "synhead", method = "per_frame", metric = "error_gaps" }
//
//   Every other key of a finding is a quantity that its sentence may name:
//     claim, row   a row of a claim; of a claim with one row without `row`. Its effect; with `metric` that metric's; with `method`, `than`,
//                  `dataset` that comparison's
//     table, dataset, method, metric   without a claim: the mean over seeds
//     is           of an effect, needed: "better" (the interval lies above 0), "worse" (below 0), "undecided" (it holds 0)
//     at_least, at_most                bounds that the value (better and worse: its size) must keep, where the sentence says more
//     digits, unit, times              after the point (2); text behind the number; a factor, 100 for per cent
//   {gain} is the number: of "better" and "worse" without its sign, in the direction that the word says. {gain.interval} is its interval,
//   {gain.n} the number of seeds, {gain.p} the p-value of that direction.
//
//   [[why]]                              needed for every claim whose verdict is neither "reproduced" nor "not run"; none for another verdict
//   claim = "1"                          than the claim has
//   verdict = "undecided"
//   statement = "The intervals ..."           quantities as in a finding
//
//   [[item]]                             every table and figure of the document, in its order
//   item = "Table 1"                     what the document calls it
//   title = "AUC of PreRNN"              what it shows
//   shows = ["table1", "curves"]         ids of tables, figures and galleries that are its counterpart: they stand open on the page
//   why = "..."                          why it is not here, or what differs. One of the two at least
//
//   [[message]]                          what a figure shows, where the sentence of reports/figure_summary.h does not say it; quantities as above
//   figure = "tracks_clean"
//   statement = "The filters follow the measurement {late} frames late."
//
//   [words]                              what methods, data sets and metrics are called on the page: fc_gru = "FC-GRU"
//   [glossary]                           AUC = "area under ..."; of several names with one meaning "fc6, fc7" = "..."
//   [facts]                              how it was measured; {KEY} is the run's setting: heads = "{heads.count} generated heads"
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
  /// UsageError: TOML that does not parse; a missing, unknown or wrongly typed key; more of
  /// something than a page has room for; a sentence that names a quantity that it does not have, or
  /// has one that it does not name; a verdict that there is not.
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
  /// Quantities that the records do not support: "findings.toml, line 12: gain is not better: +0.02
  /// [-0.1, +0.14]".
  std::vector<std::string> stale;
};

/// Returns the sentence, marked if the records do not support it.
Html finding_html(const RenderedFinding& found);

/// Fills in the numbers of a sentence. UsageError: an unknown claim or row; a claim of several rows
/// without `row`; several comparisons or effects that fit.
RenderedFinding render_finding(const Findings::Finding& finding,
                               const std::vector<records::Judgement>& claims,
                               const Measured& measured);

/// Returns a fact with the run's settings filled in. UsageError: the run lacks a setting.
std::string fact_text(const std::string& fact, const std::map<std::string, std::string>& settings);

/// Lists verdicts without an explanation, and explanations of another verdict than the claim's.
std::vector<std::string> stale_explanations(const Findings& findings,
                                            std::span<const records::ClaimVerdict> claims);

}  // namespace reprise::reports
