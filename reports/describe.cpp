#include "reports/describe.h"

namespace reprise::reports {

void Table::add_columns(const std::vector<Column>& columns_) {
  for (const auto& column : columns_) {
    columns.push_back(column.title);
    column_digits.push_back(column.digits.value_or(digits));
  }
}

void Table::add_row(const std::string& title_, const std::string& table, const std::string& dataset, const std::string& method,
                    const std::vector<Column>& columns_) {
  rows.push_back(title_);
  auto& row = entries.emplace_back();
  for (const auto& column : columns_) row.push_back(Entry{table, dataset, method, column.metric});
}

}  // namespace reprise::reports
