#include "records/tidy.h"

#include "core/csv.h"
#include "core/text.h"
#include "records/fields.h"

namespace reprise::records {

TidyTable::TidyTable(std::vector<std::string> columns, TidyForm form)
    : columns_(std::move(columns)), form_(form) {
  if (form_ == TidyForm::Csv) text_ = csv_line(columns_) + "\n";
}

void TidyTable::add(const TidyRow& row) {
  ++rows_;
  if (form_ == TidyForm::JsonLines) {
    // Keys in the order of the columns.
    nlohmann::ordered_json object;
    for (std::size_t c = 0; c < columns_.size(); ++c) object[columns_[c]] = row[c];
    text_ += object.dump() + "\n";
    return;
  }
  std::vector<std::string> fields;
  // Numbers in their shortest exact form, so that a reader gets the same doubles.
  for (const auto& value : row)
    fields.push_back(value.is_null()           ? ""
                     : value.is_string()       ? value.get<std::string>()
                     : value.is_number_float() ? number_text(value.get<double>())
                                               : value.dump());
  text_ += csv_line(fields) + "\n";
}

std::vector<std::string> value_columns() {
  return {"study",  "table", "dataset", "method",    "seed",
          "metric", "value", "unit",    "direction", "protocol"};
}

TidyRow value_row(const Cell& cell, const Metric& metric) {
  return {cell.study,     cell.table,  cell.dataset,
          cell.method,    cell.seed,   metric.name,
          metric.value,   metric.unit, choice_text(metric.direction, directions),
          metric.protocol};
}

}  // namespace reprise::records
