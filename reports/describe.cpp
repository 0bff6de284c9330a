#include "reports/describe.h"

#include <fmt/format.h>

#include "core/text.h"

namespace reprise::reports {

bool is_same_data(const DataProtocol& one, const DataProtocol& other) {
  const auto same_text = [](const std::string& a, const std::string& b) {
    return a.empty() || b.empty() || a == b;
  };
  const auto same_number = [](const auto& a, const auto& b) { return !a || !b || *a == *b; };
  // The set must be stated by both; what only one of them states is no difference.
  return !one.set.empty() && one.set == other.set && same_text(one.split, other.split) &&
         same_text(one.framing, other.framing) && same_number(one.size, other.size) &&
         same_number(one.count, other.count);
}

std::string data_text(const DataProtocol& data) {
  std::vector<std::string> parts;
  for (const auto& text : {data.set, data.split, data.framing})
    if (!text.empty()) parts.push_back(text);
  if (data.size) parts.push_back(fmt::format("{0} x {0} pixels", *data.size));
  if (data.count) parts.push_back(fmt::format("{} items", *data.count));
  return join(parts, ", ");
}

void Table::add_columns(const std::vector<Column>& columns_) {
  for (const auto& column : columns_) {
    columns.push_back(column.title);
    // Stored for every column, so that a later change of `digits` does not reach these.
    column_digits.push_back(column.digits.value_or(digits));
  }
}

void Table::add_row(const Source& source, const std::vector<Column>& columns_) {
  rows.push_back(source.title);
  auto& row = entries.emplace_back();
  for (const auto& column : columns_) {
    const auto& table = column.table.empty() ? source.table : column.table;
    auto& entry = row.emplace_back();
    if (!column.metric.empty())
      entry = Entry{.table = table,
                    .dataset = source.dataset,
                    .method = source.method,
                    .metric = column.metric};
  }
}

void Table::add_rows(const std::vector<Source>& sources, const std::vector<Column>& columns_) {
  add_columns(columns_);
  for (const auto& source : sources) add_row(source, columns_);
}

void Figure::add_series(const std::vector<Source>& sources, const std::string& x,
                        const std::string& y) {
  for (const auto& [label, table, dataset, method] : sources)
    series.push_back(
        {.label = label, .table = table, .dataset = dataset, .method = method, .x = x, .y = y});
}

void Gallery::add_pictures(const std::vector<Source>& sources, const std::string& file) {
  for (const auto& [title_, table, dataset, method] : sources)
    pictures.push_back(
        {.table = table, .dataset = dataset, .method = method, .file = file, .caption = title_});
}

}  // namespace reprise::reports
