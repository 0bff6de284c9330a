// claims.toml as data; records/claims.h says what the keys mean.
#pragma once
#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::records {

enum class ClaimKind { Better, Similar, Sooner, Parameters, None };

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
  double margin = 0;
  bool higher = false;
  std::optional<int> comparisons;
  bool optional = false;
  ParameterCount left, right;
  double fraction = 0, tolerance = 0;
  std::string because;
};

struct Claim {
  std::string id, says, source, family;
  double level = 0.05;
  std::vector<ClaimTest> tests;
};

/// UsageError: TOML that does not parse (line), or a claim that lacks a key, has an unknown one or one of the wrong type (id and key
/// named).
std::vector<Claim> read_claims(std::string_view claims_toml, const std::string& name);

}  // namespace reprise::records
