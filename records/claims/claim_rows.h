// The comparisons of a claim's row: methods, seeds and results. Verdicts: claims.h.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "records/claims/claim_pairs.h"
#include "records/claims/claims.h"

namespace reprise::records {

/// Result of the comparisons of a row.
struct RowOutcome {
  std::vector<Comparison> comparisons{};
  std::vector<const ClaimTest*> tests{};  ///< test of each comparison
  std::string not_comparable{};           ///< different protocols; "" without any
  /// Missing file of curves; "" without any.
  std::string missing_file{};
  /// Metrics and curves that no finished cell of the methods has.
  std::set<std::string> missing_quantities{};
  /// Failed or running cells of the compared methods.
  int unfinished = 0;
  std::vector<std::string> ratios_outside{};  ///< of "ratio": the pairs that miss its bounds
  /// Of "ratio": the one that is farthest from its bounds.
  std::optional<double> ratio{};
  int ratios = 0, ratio_seeds = 0;
};

/// Compares the methods of the row's tests, with p values that are corrected for their number.
/// `row` and `records` must outlive the outcome.
RowOutcome compare_row(const ClaimRow& row, const ClaimRecords& records);

}  // namespace reprise::records
