// Tidy tables for pandas, R or a spreadsheet: a row per value, a column per property.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::records {

/// Format of a tidy table: CSV with a header, or a JSON object per line.
enum class TidyForm { Csv, JsonLines };

using TidyRow = std::vector<nlohmann::ordered_json>;

/// A table that grows by rows. Numbers are complete; null is an empty field in CSV.
class TidyTable {
 public:
  TidyTable(std::vector<std::string> columns, TidyForm form);
  /// Appends a row with one value per column.
  void add(const TidyRow& row);
  const std::string& text() const { return text_; }
  std::int64_t rows() const { return rows_; }

 private:
  std::vector<std::string> columns_;
  TidyForm form_;
  std::string text_;
  std::int64_t rows_ = 0;
};

/// Returns the columns: study, table, dataset, method, seed, metric, value, unit ("" for a pure
/// number), direction ("higher", "lower" or "neither"), protocol.
std::vector<std::string> value_columns();
TidyRow value_row(const Cell& cell, const Metric& metric);

}  // namespace reprise::records
