#include "records/packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "records/fields.h"

namespace reprise::records {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* fix_hint =
    "take the file again from where it came (git restore FILE), or pack the results anew: reprise report RESULTS "
    "--pack FOLDER";

std::string table_of(const fs::path& file, std::string_view ending) {
  const std::string name = file.filename().string();
  return name.substr(0, name.size() - ending.size());
}

constexpr auto shared_name = "shared.json";
constexpr std::array shared_fields{"options", "environment"};

/// The values that records of a folder share, by their keys.
class SharedValues {
 public:
  SharedValues() = default;
  /// Those that a packed folder has; none where it has no such file.
  explicit SharedValues(const fs::path& folder) : file_(folder / shared_name) {
    if (!fs::exists(file_)) return;
    try {
      values_ = Fields(parse_json(read_file(file_), file_.string(), fix_hint), file_.string(), fix_hint).object("values").raw();
    } catch (const Error&) {
      // each line that wants one of them says so
    }
  }

  void take_from(json& line) {
    for (const auto* field : shared_fields) line[field] = key_of(std::move(line[field]));
    auto& metrics = line["metrics"];
    json values = json::array();
    for (auto& metric : metrics) {
      values.push_back(std::move(metric["value"]));
      metric.erase("value");
    }
    metrics = {{"of", key_of(std::move(metrics))}, {"values", std::move(values)}};
  }
  /// The record of a line. Error: a key without a value, or more or fewer values of metrics than what they are of.
  Record record_of(json& line, const std::string& where) {
    if (!line.is_object() || !line.contains("options") || !line.contains("environment")) return record_from_json(line, where, fix_hint);
    give_metrics(line, where);
    return record_from_json(line, options_of(line, where), environment_of(line, where), where, fix_hint);
  }
  /// A value a line.
  std::string text() const {
    std::string lines;
    for (const auto& [key, value] : values_.items())
      lines += fmt::format("{}\n  {}: {}", lines.empty() ? "" : ",", json_text(key), json_text(value));
    return fmt::format("{{\n \"schema\": {},\n \"values\": {{{}\n }}\n}}\n", schema_version, lines);
  }

 private:
  void give_metrics(json& line, const std::string& where) const {
    const auto metrics = line.find("metrics");
    if (metrics == line.end() || !metrics->is_object()) return;
    const Fields packed(*metrics, where + ", metrics", fix_hint);
    auto described = value_of(packed.text("of"), "metrics", where);
    const auto& values = metrics->find("values");
    if (values == metrics->end() || !values->is_array() || !described.is_array() || values->size() != described.size())
      throw Error(fmt::format("{}: it has not one value for each of its metrics", where), fix_hint);
    for (std::size_t i = 0; i < described.size(); ++i)
      if (described[i].is_object()) described[i]["value"] = (*values)[i];
    *metrics = std::move(described);
  }
  /// One value for all records that name its key.
  Shared<json> options_of(const json& line, const std::string& where) {
    const auto& options = line.at("options");
    const auto checked = [&](const json& value) { return Fields(json{{"options", value}}, where, fix_hint).object("options").raw(); };
    if (!options.is_string()) return checked(options);
    const auto known = options_.find(options.get<std::string>());
    if (known != options_.end()) return known->second;
    return options_.emplace(options.get<std::string>(), checked(value_of(options, "options", where))).first->second;
  }
  Shared<Environment> environment_of(const json& line, const std::string& where) {
    const auto& environment = line.at("environment");
    if (!environment.is_string()) return environment_from_json(environment, where, fix_hint);
    const auto known = environments_.find(environment.get<std::string>());
    if (known != environments_.end()) return known->second;
    auto read = environment_from_json(value_of(environment, "environment", where), where, fix_hint);
    return environments_.emplace(environment.get<std::string>(), std::move(read)).first->second;
  }

  std::string key_of(json value) {
    constexpr std::size_t key_digits = 12;
    auto key = sha256(json_text(value)).substr(0, key_digits);
    values_[key] = std::move(value);
    return key;
  }
  json value_of(const json& key, const char* field, const std::string& where) const {
    const auto value = values_.find(key.get<std::string>());
    if (value == values_.end())
      throw Error(fmt::format("{}: its {} are {} of {}, which is not there", where, field, json_text(key), file_.string()), fix_hint);
    return *value;
  }

  fs::path file_;
  json values_ = json::object();
  std::map<std::string, Shared<json>> options_;  ///< as far as a record named them
  std::map<std::string, Shared<Environment>> environments_;
};

std::pair<std::string, PackedRecord> record_on(json line, const std::string& where, const std::string& table, SharedValues& shared) {
  PackedRecord packed{.record = std::make_shared<const Record>(shared.record_of(line, where)), .files = {}, .where = where};
  const auto& cell = packed.record->cell;
  if (cell.table != table)
    throw Error(fmt::format("{}: the record is of cell {}, which has no place in this file", where, cell.id()), fix_hint);
  if (line.contains("files")) {
    const auto files = Fields(line, where, fix_hint).object("files");
    for (const auto& [name, hash] : files.raw().items()) packed.files[name] = files.text(name.c_str());
  }
  return {cell.id(), std::move(packed)};
}

constexpr std::size_t many = 64, bits = 4;
constexpr std::string_view digits = "0123456789abcdef";

/// "2000:f3..." of zeros and ones.
std::string flags_text(const std::vector<double>& values) {
  auto text = fmt::format("{}:", values.size());
  for (std::size_t i = 0; i < values.size(); i += bits) {
    std::size_t digit = 0;
    for (std::size_t k = 0; k < bits; ++k) digit = 2 * digit + (i + k < values.size() && values[i + k] == 1 ? 1 : 0);
    text += digits[digit];
  }
  return text;
}

/// Nothing where the text is no such thing.
std::optional<std::vector<double>> flags_in(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon > 9 || text.find_first_not_of("0123456789") != colon) return std::nullopt;
  const auto count = static_cast<std::size_t>(std::stoul(text.substr(0, colon)));
  if (text.size() - colon - 1 != (count + bits - 1) / bits) return std::nullopt;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const auto digit = digits.find(text[colon + 1 + i / bits]);
    if (digit == std::string_view::npos) return std::nullopt;
    values.push_back(static_cast<double>(digit >> (bits - 1 - i % bits) & 1));
  }
  return values;
}

json packed_curves(const Curves& curves) {
  json packed = curves;
  for (const auto& [name, values] : curves)
    if (values.size() >= many && std::all_of(values.begin(), values.end(), [](double value) { return value == 0 || value == 1; }))
      packed[name] = flags_text(values);
  return packed;
}

json unpacked_curves(json packed) {
  for (auto& series : packed)
    if (series.is_string())
      if (const auto values = flags_in(series.get<std::string>())) series = *values;
  return packed;
}

std::pair<std::string, PackedCurves> curves_on(const json& line, const std::string& where, const std::string& table) {
  const Fields fields(line, where, fix_hint);
  if (const auto version = fields.integer("schema"); version != schema_version)
    throw Error(fmt::format("{}: the curves have schema version {}; this program reads version {}", where, version, schema_version),
                "pack the results again, or read them with the program that wrote them");
  const auto id = fields.text("cell");
  if (!id.starts_with(table + "/"))
    throw Error(fmt::format("{}: the curves are of cell {}, which has no place in this file", where, id), fix_hint);
  return {id, {curves_from_json(unpacked_curves(fields.object("curves").raw()), where, fix_hint), where}};
}

template <typename Entry, typename ReadLine>
PackedFile<Entry> read_lines(const fs::path& file, std::string_view ending, const ReadLine& read_line) {
  PackedFile<Entry> read;
  if (!fs::exists(file)) return read;
  std::string bytes;
  try {
    bytes = read_file(file);
    if (bytes.empty()) throw Error(file.string() + ": the file is empty; a JSON object a line was expected", fix_hint);
  } catch (const Error& reason) {
    read.broken.push_back(reason);
    return read;
  }
  const auto table = table_of(file, ending);
  std::set<std::string> twice;
  std::size_t number = 0;
  for (std::string_view rest = bytes; !rest.empty();) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    const auto where = fmt::format("{}, line {}", file.string(), ++number);
    try {
      if (line.empty()) throw Error(where + ": the line is empty; a JSON object was expected", fix_hint);
      auto [id, entry] = read_line(parse_json(line, where, fix_hint), where, table);
      if (const auto [first, fresh] = read.cells.try_emplace(id, std::move(entry)); !fresh) {
        twice.insert(id);
        throw Error(fmt::format("{}: cell {} is there already ({}); neither is read", where, id, first->second.where), fix_hint);
      }
    } catch (const Error& reason) {
      read.broken.push_back(reason);
    }
  }
  for (const auto& id : twice) read.cells.erase(id);
  return read;
}

/// The lines whose cells are others than these.
template <typename ReadLine>
std::string lines_without(const fs::path& file, std::string_view ending, const std::set<std::string>& cells, const ReadLine& read_line) {
  std::string kept;
  const auto bytes = read_file(file);
  for (std::string_view rest = bytes; !rest.empty();) {
    const auto line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    rest.remove_prefix(line.size());
    bool goes = false;
    try {
      goes = cells.contains(read_line(parse_json(line, file.string(), fix_hint), file.string(), table_of(file, ending)).first);
    } catch (const Error&) {  // it is named where the file is read
    }
    if (!goes) kept += line;
  }
  return kept;
}

/// Those that a page shows, with their hashes.
json shown_files(const Store& store, const Cell& cell, const std::set<std::string>& shown) {
  json files = json::object();
  if (shown.empty()) return files;
  for (const auto& name : store.files(cell))
    if (const auto path = store.file(cell, name)) {
      const auto hash = sha256_file(*path);
      if (shown.contains(hash)) files[name] = hash;
    }
  return files;
}

}  // namespace

PackedFile<PackedRecord> read_packed_records(const fs::path& file) {
  SharedValues shared(file.parent_path());
  return read_lines<PackedRecord>(file, records_ending, [&](const json& line, const std::string& where, const std::string& table) {
    return record_on(line, where, table, shared);
  });
}

PackedFile<PackedCurves> read_packed_curves(const fs::path& file) { return read_lines<PackedCurves>(file, curves_ending, curves_on); }

void remove_packed(const fs::path& file, const std::set<std::string>& cells) {
  if (!fs::exists(file)) return;
  SharedValues shared(file.parent_path());
  const auto record = [&](const json& line, const std::string& where, const std::string& table) {
    return record_on(line, where, table, shared);
  };
  const auto kept = file.native().ends_with(curves_ending) ? lines_without(file, curves_ending, cells, curves_on)
                                                           : lines_without(file, records_ending, cells, record);
  if (kept.empty())
    fs::remove(file);
  else
    write_file(file, kept);
}

void refuse_uncommitted(const Store& store, const fs::path& folder) {
  const Store packed(folder, Damage::PassOver);
  const auto holds = [&](const Record& record) {
    if (!packed.is_packed(record.cell)) return false;
    const auto there = packed.find(record.cell);
    return there && to_json(*there) == to_json(record);
  };
  std::size_t count = 0;
  std::shared_ptr<const Record> first;
  for (const auto& record : store.shared_all()) {
    if (!record->environment->dirty || holds(*record)) continue;
    if (count++ == 0) first = record;
  }
  if (count == 0) return;
  const auto& cell = first->cell;
  throw UsageError(
      fmt::format("{} record{} of a checkout with uncommitted changes, first {}", count, count == 1 ? " is" : "s are", cell.id()),
      fmt::format("commit the changes, run these cells again (reprise run {} --profile {} --redo '{}'), and pack then", cell.study,
                  first->profile, cell.id()));
}

std::map<fs::path, std::string> pack(const Store& store, const std::set<std::string>& shown) {
  std::map<fs::path, std::string> files;
  SharedValues shared;
  for (const auto& record : store.all()) {
    const auto& cell = record.cell;
    const auto base = fs::path("records") / cell.table;
    json line = to_json(record);
    if (auto kept = shown_files(store, cell, shown); !kept.empty()) line["files"] = std::move(kept);
    shared.take_from(line);
    files[base.string() + std::string(records_ending)] += json_text(line) + "\n";
    if (const auto curves = store.curves(cell); !curves.empty())
      files[base.string() + std::string(curves_ending)] +=
          json_text({{"schema", schema_version}, {"cell", cell.id()}, {"curves", packed_curves(curves)}}) + "\n";
  }
  if (!files.empty()) files[fs::path("records") / shared_name] = shared.text();
  return files;
}

}  // namespace reprise::records
