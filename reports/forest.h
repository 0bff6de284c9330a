// The comparisons of one claim, one by one: the paired effect of each with its interval, one axis
// for each kind of metric, and the difference between printed figures where the document has both.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "records/claims/claims.h"
#include "reports/findings.h"
#include "reports/tables.h"

namespace reprise::reports {

struct ForestRow {
  std::string group, label;  ///< group: the heading over rows that follow each other
  records::Verdict verdict = records::Verdict::Undecided;
  double effect = 0, low = 0, high = 0;
  int n = 0;
  std::optional<double> margin{};    ///< within which the claim counts a difference as none
  std::optional<double> document{};  ///< the difference that the document prints for the same pair
  bool decides = false;              ///< this comparison alone makes its row contradicted
};

struct ForestPanel {
  std::string title;  ///< of the axis: "AUC", "error (degrees)"
  std::vector<ForestRow> rows;
};

/// The rows that a claim's verdict is about: those that count, or all where every one is a further
/// one.
std::vector<const records::Judgement*> judged_rows(const records::ClaimVerdict& claim);

/// The comparisons of the claim's judged rows, a row each; a panel for each kind of metric (its
/// name up to the first _) and unit, a group for each data set and row of the claim.
std::vector<ForestPanel> forest_of(const Findings& findings, const records::ClaimVerdict& claim,
                                   const std::vector<Grid>& grids);

/// The mean difference that the document prints for the comparisons of an effect; nothing unless it
/// prints both sides of each.
std::optional<double> document_difference(const std::vector<Grid>& grids,
                                          const records::Judgement& row,
                                          const records::Effect& effect);

/// The plot in every form. Both pictures need no script and follow the reader's light or dark
/// setting.
struct ForestFiles {
  std::string svg, narrow_svg, pdf, csv;  ///< narrow: for a phone
};
/// Error: as draw() in figures.h.
ForestFiles draw_forest(const std::vector<ForestPanel>& panels);

/// The picture alone.
std::string forest_svg(const std::vector<ForestPanel>& panels, bool narrow = false);

}  // namespace reprise::reports
