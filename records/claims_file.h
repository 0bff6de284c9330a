// claims.toml as data; records/claims.h says what the keys mean.
#pragma once
#include <cstdint>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "records/claims.h"

namespace reprise::records {

enum class ClaimKind { Better, Similar, NoWorse, Sooner, Parameters, None };

/// One side of "parameters": a given number, or a count in the records.
struct ParameterCount {
  std::optional<std::int64_t> given;
  std::string table, dataset, method, count;
};

struct ClaimTest {
  ClaimKind kind = ClaimKind::None;
  std::regex methods, dataset;
  std::string than, table, than_table;
  std::string metric;  ///< "sooner": the curve
  std::string than_metric;
  std::optional<double> margin;
  bool higher = false;
  bool items = false;
  std::optional<int> comparisons;
  bool optional = false;
  ParameterCount left, right;
  double fraction = 0, tolerance = 0;  ///< of "parameters"
  std::optional<double> at_most;       ///< of "parameters", in place of both
  std::string because;
};

/// What must hold before a claim says anything; `than` "" where the value itself is meant.
struct RequirementTest {
  std::string says, table, metric, than, than_table, than_metric;
  std::regex methods, dataset;
  std::optional<double> at_least, at_most;
  std::string inside;      ///< a setting that lists numbers; "" without
  bool from_zero = false;  ///< of `inside`: 0 is a candidate too, so that the least is no edge
  bool compared = false;   ///< of `inside`: asked of every method that the claim compares, and not of `methods` in `table`
  bool any = false, significant = false;
  bool every_seed = false;  ///< bounds are of each seed's value, not of the mean
  bool size = false;        ///< bounds are of the value without its sign
  bool post_hoc = false;    ///< no part of the claim's definition
};

/// What seeds of a table renew.
struct Replicates {
  std::regex table, dataset;
  Renews renews = Renews::Data;
  double test_over_train = 0;  ///< of Split
  std::string because;
};

/// A claim, or one row of it: a for_each repeats a claim, and each copy is judged by itself.
struct Claim {
  std::string claim_id, row;  ///< the id as the file writes it, which rows share; the row's values of for_each, "" without
  std::string id;             ///< "claim_id row"; unique
  std::string says, source, family;
  double level = 0.05;
  bool conjunction = false;
  std::vector<ClaimTest> tests;
  std::vector<RequirementTest> requirements;
  std::set<std::int64_t> without_seeds;  ///< that its row is judged without
  /// SHA-256 of what decides its verdict: every key with its values but names and prose (id, says, source, because, optional), those of the
  /// claims that are corrected with it, and what the seeds of its tables renew. Requirements that are post hoc are left out.
  std::string definition;
};

/// Claims as they stand in the file, rows of one claim one after another, lists of than and metric spread out to a test each.
/// UsageError: TOML that does not parse (line); a claim that lacks a key, has an unknown one or one of the wrong type; a for_each name that
/// is never used, or a {name} that no for_each has; an empty list or one that says the same twice (id and key named).
std::vector<Claim> read_claims(std::string_view claims_toml, const std::string& name);
/// The file's [[replicates]], in its order. UsageError: as read_claims.
std::vector<Replicates> read_replicates(std::string_view claims_toml, const std::string& name);

}  // namespace reprise::records
