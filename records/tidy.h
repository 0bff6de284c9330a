// Values as tidy tables, for pandas, R or a spreadsheet: a row for each value, a column for each of
// its properties.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::records {

/// What a tidy table becomes: CSV with a header, or a JSON object a line.
enum class TidyForm { Csv, JsonLines };

using TidyRow = std::vector<nlohmann::ordered_json>;

/// A table that grows by rows. Numbers are written in full; null is an empty field in CSV.
class TidyTable {
 public:
  TidyTable(std::vector<std::string> columns, TidyForm form);
  /// As many values as there are columns.
  void add(const TidyRow& row);
  const std::string& text() const { return text_; }
  std::int64_t rows() const { return rows_; }

 private:
  std::vector<std::string> columns_;
  TidyForm form_;
  std::string text_;
  std::int64_t rows_ = 0;
};

/// study, table, dataset, method, seed, metric, value, unit ("" for a pure number), direction
/// ("higher" or "lower" is better, or "neither"), protocol (values of different protocol are not
/// comparable).
std::vector<std::string> value_columns();
TidyRow value_row(const Cell& cell, const Metric& metric);

}  // namespace reprise::records
