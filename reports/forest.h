// All claims at a glance: the paired effect of each with its interval, one axis for each kind of metric, and the document's own difference
// where it prints one.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "records/claims.h"
#include "reports/findings.h"
#include "reports/tables.h"

namespace reprise::reports {

struct ForestRow {
  std::string group, label, anchor;  ///< group: the heading over rows that follow each other; anchor: of the claim on the page
  records::Verdict verdict = records::Verdict::Undecided;
  double effect = 0, low = 0, high = 0;
  std::optional<double> margin{};    ///< within which the claim counts a difference as none
  std::optional<double> document{};  ///< the mean difference that the document prints for the same comparisons
};

struct ForestPanel {
  std::string title;  ///< of the axis: "AUC", "error (degrees)"
  std::vector<ForestRow> rows;
};

/// One panel for each kind of metric (its name up to the first _) and unit, in the order in which claims come; "not run" and
/// "not testable" have no row. Of the effects against several others the smallest is shown.
std::vector<ForestPanel> forest(const Findings& findings, const std::vector<records::Judgement>& claims, const std::vector<Grid>& grids);

/// The comparisons of one claim, a row each, and where the document prints both sides its own difference; one panel a metric, a group for each
/// row of the claim and data set. `rows`: all rows of the claim.
std::vector<ForestPanel> forest_of(const Findings& findings, std::span<const records::Judgement> rows, const std::vector<Grid>& grids);

/// A picture that needs no script and follows the reader's light or dark setting. `links`: rows lead to their claims on the page.
std::string forest_svg(const std::vector<ForestPanel>& panels, bool links);

}  // namespace reprise::reports
