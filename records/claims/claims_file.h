// The contents of claims.toml; records/claims/claims.h explains the keys.
#pragma once
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "records/claims/claims.h"

namespace reprise::records {

enum class ClaimKind { Better, Similar, NoWorse, Sooner, Ratio };
std::string_view kind_text(ClaimKind kind);  ///< "better", "similar", ... as in the file

/// Methods compared with others in one metric.
struct ClaimTest {
  ClaimKind kind = ClaimKind::Better;
  std::regex methods, dataset;
  std::string than, table, than_table;
  std::string metric;  ///< of Sooner: the curve
  std::string than_metric;
  std::optional<double> margin;
  /// Of Better: the amount that must be exceeded; of Ratio: its bounds.
  std::optional<double> at_least, at_most;
};

/// Requirement of a row; `than` is "" if the value itself is meant.
struct RequirementTest {
  enum class Kind { Mean, Every, Some, Ratio };
  Kind kind = Kind::Mean;
  std::string statement, table, metric, than, than_table, than_metric;
  std::regex methods, dataset;
  std::optional<double> at_least, at_most;
  std::string inside;      ///< a setting that lists numbers; "" without
  bool from_zero = false;  ///< of `inside`: 0 is a candidate too, so that the least is no edge
  /// Of `inside`: checked for every method that the row compares, instead of `methods` in `table`.
  bool compared = false;
  bool post_hoc = false;
};

/// What seeds of a table resample: one [[resampling]] entry.
struct ResamplingRule {
  std::regex table, dataset;
  Resampling resampling = Resampling::Data;
  double test_over_train = 0;  ///< of Split
};

/// A row of a claim with the claim's texts. A claim without rows is a row without id and tests.
struct ClaimRow {
  std::string claim_id, row;
  std::string id;  ///< "claim_id, row"; unique
  std::string statement, source, because;
  bool own = false, further = false;
  std::vector<ClaimTest> tests;  ///< one for each `than` and metric
  std::vector<RequirementTest> requirements;
};

/// Reads the rows of all claims in the order of the file.
/// UsageError (names the claim's id and the key):
///   - invalid TOML (names the line);
///   - a missing, unknown or wrongly typed key;
///   - a for_each name that is never used, or an unknown {name};
///   - an empty list, or one with a repeated entry.
std::vector<ClaimRow> read_claims(std::string_view claims_toml, const std::string& name);
/// Reads the file's [[resampling]] in its order. UsageError: as read_claims().
std::vector<ResamplingRule> read_resampling_rules(std::string_view claims_toml,
                                                  const std::string& name);

}  // namespace reprise::records
