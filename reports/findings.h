// What was found, in the study's own sentences: findings.toml. No number stands in a sentence that a record does not hold, and no comparison
// that the records no longer bear out.
//
//   profile = "desk"                     whose records the sentences speak of; the pages of other profiles do without findings and reasons
//   document = "What the document says, in two sentences."
//   headline = "table1_faces_in_motion"  the table that stands at the top of the page
//   picture = "gap_clip"                 the figure, gallery or picture of one ("clips-2") that opens the page and stands for the study on the index
//
//   [answer]                             one sentence: what was found. It opens the page and the index; quantities as in a finding
//   says = "PreLSTM is level with the traditional LSTM: {lstm}."
//
//   [[finding]]
//   says = "It is {gain} {gain.interval} better than the per-frame network, and worse than ... by {loss}."
//   gain = { claim = "1 error gaps", than = "per_frame", is = "better", digits = 2, unit = "°" }
//   loss = { claim = "2", is = "worse" }
//   base = { table = "pose", dataset = "synhead", method = "per_frame", metric = "error_gaps" }
//
//   Every other key of a finding is a quantity that its sentence may name:
//     claim        a row of a claim, by its id. Its effect; with `metric` that metric's; with `method`, `than`, `dataset` that comparison's
//     table, dataset, method, metric   without a claim: the mean over seeds
//     is           of an effect, needed: "better" (the interval lies above 0), "worse" (below 0), "undecided" (it holds 0)
//     at_least, at_most                bounds that the value (better and worse: its size) must keep, where the sentence says more
//     digits, unit, times              after the point (2); text behind the number; a factor, 100 for per cent
//   {gain} is the number: of "better" and "worse" without its sign, in the direction that the word says. {gain.interval} is its interval,
//   {gain.n} the number of seeds, {gain.p} the p-value of that direction.
//
//   [[claims]]                           claims that belong together, in the order of the page; what no group lists comes last
//   title = "Recurrent layers against filters"
//   ids = ["1 error", "1 smoother"]
//   figures = "error_curves"             ids, one or a list; tables and galleries likewise: what shows it
//   forests = "1 error"                  claims whose comparisons are drawn one by one, before all figures
//   open = ["gaps"]                      those of its figures that stand unfolded, two beside each other, before all else that shows the group
//   folded = ["1 smoother"]              those of its claims that stand behind a line: the same on other data
//
//   [[why]]                              needed for every verdict but "reproduced" and "not run"
//   claim = "1 error"                    with all its rows that have this verdict
//   verdict = "undecided"
//   says = "The intervals ..."
//
//   [[message]]                          what a figure shows, where the sentence of reports/reading.h does not say it; quantities as above
//   figure = "tracks_clean"
//   says = "The filters follow the measurement {late} frames late."
//
//   [words]                              what methods, data sets and metrics are called on the page: fc_gru = "FC-GRU"
//   [short]                              claims in a few words, for the plot of all of them: "1 error" = "against filters"
//   [glossary]                           AUC = "area under ..."; of several names with one meaning "fc6, fc7" = "..."
//   [facts]                              how it was measured; {KEY} is the run's setting: heads = "{heads.count} generated heads"
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "records/claims.h"
#include "reports/glossary.h"
#include "reports/html.h"
#include "reports/measured.h"

namespace reprise::reports {

struct FoundQuantity {
  enum class Is { Better, Worse, Undecided, Value };
  std::string where, claim, table, dataset, method, metric, than;
  Is is = Is::Value;
  std::optional<double> at_least, at_most;
  int digits = 2;
  std::string unit;
  double times = 1;
};

struct Findings {
  struct Finding {
    std::string where, says;
    std::map<std::string, FoundQuantity> quantities;
  };
  struct Group {
    std::string title;
    std::vector<std::string> ids, figures, tables, galleries;
    std::vector<std::string> forests;  ///< claims whose comparisons are drawn, first of all that shows the group
    std::vector<std::string> folded;   ///< of its claims those behind a line: the same on other data
    std::vector<std::string> open;     ///< of its figures those that stand unfolded, first of all
  };
  struct Why {
    std::string where, claim, says;
    records::Verdict verdict;
  };

  Findings() = default;
  /// UsageError: TOML that does not parse; a missing, unknown or wrongly typed key; a sentence that names a quantity that it does not have,
  /// or has one that it does not name; a verdict that there is not.
  Findings(std::string_view toml, const std::string& name);

  std::string profile, document, headline, picture;
  std::optional<Finding> answer;
  std::vector<Finding> findings;
  std::map<std::string, Finding> messages;  ///< figure -> what it shows
  std::vector<Group> groups;
  std::vector<Why> whys;
  std::map<std::string, std::string> words, short_names;
  Glossary glossary;
  std::vector<std::pair<std::string, std::string>> facts;

  /// What a method, a data set, a metric or a claim's row is called on the page: its word; of a row of several values each one's, where all
  /// have one; else the id itself.
  std::string word(const std::string& id) const;
  const Why* why(const records::Judgement& judgement) const;
};

/// A sentence with its numbers in it.
struct SaidFinding {
  Html text;
  /// Nothing measured: "2 of these quantities wait for cells". What it says is not shown.
  bool waits = false;
  /// What the records no longer bear out: "findings.toml, line 12: gain is no longer better: +0.02 [-0.1, +0.14]".
  std::vector<std::string> stale;
};

/// Its text, marked where the records no longer bear it out.
Html shown(const SaidFinding& found);

SaidFinding said(const Findings::Finding& finding, const std::vector<records::Judgement>& claims, const Measured& measured);

/// A fact with the run's settings in it. UsageError: one that the run does not have.
std::string fact_text(const std::string& fact, const std::map<std::string, std::string>& settings);

/// Why-sentences that are missing or that speak of a verdict that no row of their claim has any more.
std::vector<std::string> stale_whys(const Findings& findings, const std::vector<records::Judgement>& claims);

}  // namespace reprise::reports
