// Forest plot of one claim: the paired effect of each comparison with its interval, on one axis per
// kind of metric. It also shows the published difference, if the document prints both values.
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
  std::optional<double> margin{};    ///< margin of no difference in the claim
  std::optional<double> document{};  ///< published difference of the same pair
  bool decides = false;              ///< whether this comparison alone contradicts its row
};

struct ForestPanel {
  std::string title;  ///< of the axis: "AUC", "error (degrees)"
  std::vector<ForestRow> rows;
};

/// Lists the rows that decide a claim's verdict: those that count, or all if every row is further.
std::vector<const records::Judgement*> judged_rows(const records::ClaimVerdict& claim);

/// Makes a panel for each kind of metric (its name up to the first _) and unit, with a row for each
/// comparison. Rows are grouped by data set and row of the claim.
std::vector<ForestPanel> forest_panels(const Findings& findings, const records::ClaimVerdict& claim,
                                       const std::vector<Grid>& grids);

/// Returns the mean published difference of the comparisons of an effect; nothing unless the
/// document prints both sides of each.
std::optional<double> document_difference(const std::vector<Grid>& grids,
                                          const records::Judgement& row,
                                          const records::Effect& effect);

/// The plot in every form. Its pictures need no script and follow the reader's light or dark
/// setting.
struct ForestFiles {
  std::string svg, narrow_svg, pdf, csv;  ///< contents of the files; narrow: for a phone
};
/// Error: as draw() in figures.h.
ForestFiles draw_forest(const std::vector<ForestPanel>& panels);

/// Returns the SVG alone.
std::string forest_svg(const std::vector<ForestPanel>& panels, bool narrow = false);

}  // namespace reprise::reports
