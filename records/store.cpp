#include "records/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/error.h"
#include "core/files.h"

namespace reprise::records {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr int curve_digits = 7;

/// Axes become folder names: nothing in them may lead out of the results folder or be read otherwise on another system.
void check_name(const Cell& cell, const char* axis, const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '+' ||
           c == '=';
  };
  if (!name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), plain)) return;
  throw UsageError(fmt::format("cell {}: '{}' cannot be the name of a {}", cell.id(), name, axis),
                   "use letters, digits, _ - + = and . (not first) in names");
}

void check_names(const Cell& cell) {
  check_name(cell, "table", cell.table);
  check_name(cell, "dataset", cell.dataset);
  check_name(cell, "method", cell.method);
}

std::string bytes_of(const json& json, int indent) { return json.dump(indent, ' ', false, json::error_handler_t::replace) + "\n"; }

json parse(const fs::path& path) {
  try {
    return json::parse(read_file(path));
  } catch (const json::exception& damage) {
    throw Error(fmt::format("{}: not whole JSON: {}", path.string(), damage.what()),
                "delete the folder of this cell and run the same command again; the cell is then made anew");
  }
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code reason;
  for (fs::directory_iterator entry(folder, reason), end; !reason && entry != end; entry.increment(reason))
    if (entry->is_directory() && entry->path().filename().native().front() != '.') found.push_back(entry->path());
  if (reason && reason != std::errc::no_such_file_or_directory)
    throw Error(fmt::format("cannot read the folder {}: {}", folder.string(), reason.message()), "check the path and your rights to it");
  return found;
}

Record read_record(const fs::path& results, const fs::path& folder) {
  const fs::path path = folder / "record.json";
  Record record = record_from_json(parse(path), path.string());
  if (results / record.cell.id() != folder)
    throw Error(fmt::format("{}: the record is of cell {}, which does not lie here", path.string(), record.cell.id()),
                "move the folder back to where its record says, or delete it");
  return record;
}

}  // namespace

void Store::write(const Record& record) const {
  check_names(record.cell);
  write_file(folder(record.cell) / "record.json", bytes_of(to_json(record), 1));
}

void Store::write_curves(const Cell& cell, const Curves& curves) const {
  check_names(cell);
  Curves rounded = curves;
  for (auto& [name, values] : rounded)
    for (auto& value : values)
      if (std::isfinite(value)) value = std::strtod(fmt::format("{:.{}g}", value, curve_digits).c_str(), nullptr);
  write_file(folder(cell) / "curves.json", bytes_of(rounded, -1));
}

std::optional<Record> Store::find(const Cell& cell) const {
  if (!fs::exists(folder(cell) / "record.json")) return std::nullopt;
  return read_record(results_, folder(cell));
}

Curves Store::curves(const Cell& cell) const {
  const fs::path path = folder(cell) / "curves.json";
  if (!fs::exists(path)) return {};
  const json all = parse(path);
  const auto refuse = [&](const std::string& what) {
    throw Error(path.string() + ": " + what, "delete the folder of this cell and run the same command again; the cell is then made anew");
  };
  if (!all.is_object()) refuse("an object of number lists was expected");
  Curves curves;
  for (const auto& [name, values] : all.items()) {
    if (!values.is_array()) refuse(fmt::format("the series \"{}\" is not a list", name));
    for (const auto& value : values) {
      // JSON has no NaN: a value that is not a number is written as null.
      if (!value.is_number() && !value.is_null()) refuse(fmt::format("the series \"{}\" holds something that is not a number", name));
      curves[name].push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
    }
    curves[name];
  }
  return curves;
}

std::vector<Record> Store::all() const {
  std::vector<Record> records;
  for (const auto& table : folders_in(results_))
    for (const auto& dataset : folders_in(table))
      for (const auto& method : folders_in(dataset))
        for (const auto& seed : folders_in(method))
          if (fs::exists(seed / "record.json")) records.push_back(read_record(results_, seed));
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.cell < b.cell; });
  return records;
}

}  // namespace reprise::records
