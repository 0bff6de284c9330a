#include "datasets/predictions.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "core/csv.h"
#include "core/error.h"
#include "core/printable.h"
#include "core/text.h"
#include "datasets/formats/npy.h"
#include "datasets/landmarks.h"

namespace reprise::datasets {
namespace {

std::vector<std::string> item_columns(PredictionKind kind) {
  return kind == PredictionKind::Pose ? std::vector<std::string>{"sequence", "frame"}
                                      : std::vector<std::string>{"item"};
}

std::vector<std::string> value_columns(PredictionKind kind) {
  if (kind == PredictionKind::Labels) return {"label"};
  if (kind == PredictionKind::Pose) return {"pitch", "yaw", "roll"};
  std::vector<std::string> titles;
  // Interleaved, as the values lie in memory: x0, y0, x1, y1, ...
  for (std::int64_t k = 0; k < face_points; ++k)
    for (const char axis : {'x', 'y'}) titles.push_back(fmt::format("{}{}", axis, k));
  return titles;
}

std::string header_text(PredictionKind kind) {
  if (kind == PredictionKind::Labels) return "item,label";
  return kind == PredictionKind::Pose ? "sequence,frame,pitch,yaw,roll" : "item,x0,y0,...,x67,y67";
}

std::vector<std::size_t> find_columns(const CsvTable& table, const std::vector<std::string>& titles,
                                      PredictionKind kind) {
  std::vector<std::size_t> columns;
  std::vector<std::string> missing;
  for (const auto& title : titles) {
    if (std::ranges::find(table.header, title) == table.header.end())
      missing.push_back(title);
    else
      columns.push_back(table.column(title));
  }
  if (!missing.empty())
    throw UsageError(
        fmt::format("{}: {} of {} columns {} missing: {}; {}", table.name, missing.size(),
                    titles.size(), missing.size() == 1 ? "is" : "are", first_few(missing),
                    table.layout()),
        "the header must be " + header_text(kind) +
            ", separated by commas, semicolons or tabs and without spaces around titles");
  return columns;
}

/// UsageError: the list is not empty; the first few items are named.
void refuse_items(const std::vector<std::string>& bad, const std::string& name,
                  const std::string& what, const std::string& fix) {
  if (!bad.empty())
    throw UsageError(fmt::format("{}: {} {}: {}", name, bad.size(), what, first_few(bad)), fix);
}

void require_unique(const std::vector<std::string>& items, const std::string& name) {
  // Sets sort, so the message does not depend on the order of rows.
  std::set<std::string> seen;
  std::set<std::string> repeated;
  for (const auto& item : items)
    if (!seen.insert(item).second) repeated.insert(item);
  refuse_items({repeated.begin(), repeated.end()}, name, "items occur in more than one row",
               "keep one row per item");
}

std::vector<std::string> read_items(const CsvTable& table, PredictionKind kind) {
  const auto columns = find_columns(table, item_columns(kind), kind);
  std::vector<std::string> items;
  std::vector<std::string> unnamed;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::vector<std::string> parts;
    for (const auto column : columns) parts.push_back(table.rows[row][column]);
    if (std::ranges::find(parts, "") != parts.end())
      unnamed.push_back(fmt::format("line {}", table.line(row)));
    // An item of a pose is SEQUENCE/FRAME, as in the truth.
    items.push_back(join(parts, "/"));
  }
  refuse_items(unnamed, table.name, "rows have no item", "name the item of every row");
  require_unique(items, table.name);
  return items;
}

bool parse_value(const std::string& cell, double& value) {
  const auto found = finite_number(cell);
  value = found.value_or(0);
  return found.has_value();
}

/// Parses a label: a whole number, also written 1.0 or +1 by programs with missing values.
bool parse_value(const std::string& cell, std::int64_t& value) {
  if (const auto whole = whole_number(cell)) return value = *whole, true;
  // 2^53: up to there float64 represents all whole numbers.
  constexpr double most = 9007199254740992;
  const auto found = finite_number(cell);
  const bool fits = found && std::trunc(*found) == *found && std::abs(*found) <= most;
  value = fits ? static_cast<std::int64_t>(*found) : 0;
  return fits;
}

template <typename Number>
at::Tensor read_values(const CsvTable& table, const std::vector<std::string>& items,
                       PredictionKind kind) {
  const auto columns = find_columns(table, value_columns(kind), kind);
  auto values = at::empty({std::ssize(table.rows), std::ssize(columns)},
                          c10::CppTypeToScalarType<Number>::value);
  auto* value = values.template data_ptr<Number>();
  std::vector<std::string> bad;
  bool unmeasured = false;
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    for (const auto column : columns) {
      const auto& cell = table.rows[row][column];
      if (parse_value(cell, *value++)) continue;
      unmeasured |= is_not_measured(cell);
      // All bad cells are collected, so that one run shows them all.
      bad.push_back(fmt::format("{} (line {}, column {}: '{}')", printable(items[row]),
                                table.line(row), printable(table.header[column]), printable(cell)));
    }
  const bool labels = kind == PredictionKind::Labels;
  std::string fix =
      labels ? "write labels as 0, 1, 2, ..." : "write decimal numbers such as 12.5 or 1e-3";
  if (unmeasured)
    fix += "; what was not measured cannot be judged: leave its item out of both files";
  refuse_items(bad, table.name,
               labels ? "labels are not integers" : "values are not finite numbers", fix);
  return values;
}

/// Brings a table of values to the shape of its kind.
at::Tensor shape_values(const at::Tensor& values, PredictionKind kind) {
  if (kind == PredictionKind::Labels) return values.reshape({-1}).to(at::kLong);
  return kind == PredictionKind::Landmarks ? values.reshape({-1, face_points, 2}) : values;
}

Predictions from_csv(const std::filesystem::path& path, PredictionKind kind) {
  const CsvTable table = read_csv(path);
  Predictions read{.item = read_items(table, kind), .values = {}};
  const bool labels = kind == PredictionKind::Labels;
  read.values = shape_values(labels ? read_values<std::int64_t>(table, read.item, kind)
                                    : read_values<double>(table, read.item, kind),
                             kind);
  return read;
}

bool has_shape(const at::Tensor& values, PredictionKind kind) {
  const auto dimensions = values.dim();
  if (kind == PredictionKind::Labels)
    return dimensions == 1 || (dimensions == 2 && values.size(1) == 1);
  const std::int64_t wide = kind == PredictionKind::Landmarks ? 2 * face_points : 3;
  // Landmarks may be flat [N, 136] or have a last dimension of x and y.
  const bool points = dimensions == 3 && kind == PredictionKind::Landmarks && values.size(2) == 2;
  return (dimensions == 2 || points) && values.size(0) > 0 &&
         values.numel() == values.size(0) * wide;
}

std::string expected_shape(PredictionKind kind) {
  if (kind == PredictionKind::Labels) return "integers of shape [N] or [N, 1]";
  return kind == PredictionKind::Landmarks ? "numbers of shape [N, 68, 2] or [N, 136]"
                                           : "numbers of shape [N, 3]";
}

Predictions from_npy(const std::filesystem::path& path, PredictionKind kind) {
  const bool labels = kind == PredictionKind::Labels;
  const auto values = read_npy(path, labels ? "int64" : "float64");
  const std::string name = path.string();
  if (!has_shape(values, kind))
    throw UsageError(
        fmt::format("{}: the array has the shape {}, which is not that of such predictions", name,
                    c10::str(values.sizes())),
        "give " + expected_shape(kind));
  Predictions read{.item = {}, .values = {}, .by_row = true};
  std::vector<std::string> bad;
  const auto rows = values.dim() == 1 ? values.unsqueeze(1) : values.flatten(1);
  const bool whole = at::isIntegralType(values.scalar_type(), /*includeBool=*/true);
  auto good = whole ? at::ones({rows.size(0)}, at::kBool) : at::isfinite(rows).all(1);
  // Labels in floating point must be whole numbers that float64 represents exactly.
  if (labels && !whole)
    good = good & rows.eq(rows.trunc()).all(1) & rows.abs().le(9007199254740992.0).all(1);
  for (std::int64_t row = 0; row < rows.size(0); ++row) {
    // An array has no names, so rows are items.
    read.item.push_back(std::to_string(row));
    if (!good[row].item<bool>()) bad.push_back("row " + read.item.back());
  }
  refuse_items(
      bad, name,
      labels ? "rows hold labels that are not integers" : "rows hold values that are not finite",
      labels ? "give each row the number of its class (rows are counted from 0)"
             : "repair these rows (counted from 0)");
  read.values = shape_values(labels ? values : values.to(at::kDouble), kind);
  return read;
}

/// Whether the file is an array, by its content: magic bytes identify an array under any name.
bool holds_array(const std::filesystem::path& path) {
  return is_npy(path) || path.extension() == ".npy" || path.extension() == ".npz";
}

}  // namespace

Predictions read_predictions(const std::filesystem::path& path, PredictionKind kind) {
  auto read = holds_array(path) ? from_npy(path, kind) : from_csv(path, kind);
  if (read.item.empty())
    throw UsageError(path.string() + ": there is no row after the header",
                     "give at least one item");
  return read;
}

PredictionKind detect_prediction_kind(const std::filesystem::path& path) {
  if (holds_array(path)) {
    const auto values = read_npy(path);
    if (has_shape(values, PredictionKind::Labels)) return PredictionKind::Labels;
    // [N, 1] and [N] are labels, [N, 3] are poses, and all else must be landmarks.
    return values.dim() == 2 && values.size(1) == 3 ? PredictionKind::Pose
                                                    : PredictionKind::Landmarks;
  }
  const auto table = read_csv(path);
  const auto& columns = table.header;
  const auto has = [&](const char* column) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  if (has("label")) return PredictionKind::Labels;
  if (has("pitch")) return PredictionKind::Pose;
  if (has("x0")) return PredictionKind::Landmarks;
  throw UsageError(
      fmt::format("{}: the title line has neither label, nor pitch, nor x0; {}", path.string(),
                  table.layout()),
      fmt::format("the header must be {}, {} or {}", header_text(PredictionKind::Labels),
                  header_text(PredictionKind::Pose), header_text(PredictionKind::Landmarks)));
}

std::string format_predictions(const Predictions& predictions, PredictionKind kind) {
  const auto titles = value_columns(kind);
  const auto rows = static_cast<std::int64_t>(predictions.item.size());
  const auto columns = static_cast<std::int64_t>(titles.size());
  if (!predictions.values.defined() || predictions.values.numel() != rows * columns)
    throw UsageError(fmt::format("{} items need {} values each", rows, columns),
                     "give one row of values per item");
  require_unique(predictions.item, "predictions");
  const auto values = predictions.values.to(at::kDouble).reshape({rows, columns}).contiguous();
  if (!at::isfinite(values).all().item<bool>())
    throw UsageError("predictions: some values are not finite",
                     "check the method that made them; every item needs finite numbers");
  auto header = item_columns(kind);
  header.insert(header.end(), titles.begin(), titles.end());
  std::string text = csv_line(header) + "\n";
  const auto* value = values.data_ptr<double>();
  for (const auto& item : predictions.item) {
    std::vector<std::string> fields{item};
    if (kind == PredictionKind::Pose) {
      // The sequence itself may contain slashes.
      const auto bar = item.rfind('/');
      if (bar == std::string::npos || bar == 0 || bar + 1 == item.size())
        throw UsageError("the pose item '" + item + "' is not SEQUENCE/FRAME",
                         "name items of a pose by sequence and frame, as 03/00125");
      fields = {item.substr(0, bar), item.substr(bar + 1)};
    }
    // number_text() writes the fewest digits that restore the value.
    for (std::int64_t i = 0; i < columns; ++i) fields.push_back(number_text(*value++));
    text += csv_line(fields) + "\n";
  }
  return text;
}

at::Tensor align_predictions(const Predictions& predicted, const Predictions& truth) {
  if (predicted.by_row != truth.by_row)
    throw UsageError("one file is .npy, whose rows have no names, and the other names its items",
                     "give both as CSV, or both as .npy");
  if (predicted.by_row && predicted.item.size() != truth.item.size())
    throw UsageError(fmt::format("there are {} rows of predictions and {} of truth",
                                 predicted.item.size(), truth.item.size()),
                     "give one prediction for each row of the truth, in the same order");
  // Row of each predicted item.
  std::unordered_map<std::string, std::int64_t> row;
  for (const auto& item : predicted.item) row.emplace(item, static_cast<std::int64_t>(row.size()));
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  std::vector<std::int64_t> order;
  for (const auto& item : truth.item) {
    const auto found = row.find(item);
    if (found == row.end())
      missing.push_back(item);
    else
      order.push_back(found->second);
  }
  refuse_items(missing, "predictions", "items of the truth have no prediction",
               "give one prediction for each item of the truth");
  const std::set<std::string> known(truth.item.begin(), truth.item.end());
  for (const auto& item : predicted.item)
    if (!known.contains(item)) extra.push_back(item);
  refuse_items(extra, "predictions", "items are not in the truth",
               "remove them, or give the truth that they belong to");
  return predicted.values.index_select(0, at::tensor(order, at::kLong));
}

}  // namespace reprise::datasets
