#include "records/packed.h"

#include <fmt/format.h>

#include <algorithm>

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

std::pair<std::string, PackedRecord> record_on(const json& line, const std::string& where, const std::string& table) {
  PackedRecord packed{record_from_json(line, where, fix_hint), {}, where};
  const auto& cell = packed.record.cell;
  try {
    check_names(cell);
  } catch (const Error& reason) {
    throw Error(where + ": " + reason.problem(), fix_hint);
  }
  if (cell.table != table)
    throw Error(fmt::format("{}: the record is of cell {}, which has no place in this file", where, cell.id()), fix_hint);
  if (line.contains("files")) {
    const auto files = Fields(line, where, fix_hint).object("files");
    for (const auto& [name, hash] : files.raw().items()) packed.files[name] = files.text(name.c_str());
  }
  return {cell.id(), std::move(packed)};
}

std::pair<std::string, PackedCurves> curves_on(const json& line, const std::string& where, const std::string& table) {
  const Fields fields(line, where, fix_hint);
  if (const auto version = fields.integer("schema"); version != schema_version)
    throw Error(fmt::format("{}: the curves have schema version {}; this program reads version {}", where, version, schema_version),
                "pack the results again, or read them with the program that wrote them");
  const auto id = fields.text("cell");
  if (!id.starts_with(table + "/"))
    throw Error(fmt::format("{}: the curves are of cell {}, which has no place in this file", where, id), fix_hint);
  return {id, {curves_from_json(fields.object("curves").raw(), where, fix_hint), where}};
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

PackedFile<PackedRecord> read_packed_records(const fs::path& file) { return read_lines<PackedRecord>(file, records_ending, record_on); }

PackedFile<PackedCurves> read_packed_curves(const fs::path& file) { return read_lines<PackedCurves>(file, curves_ending, curves_on); }

void remove_packed(const fs::path& file, const std::set<std::string>& cells) {
  if (!fs::exists(file)) return;
  const auto kept = file.native().ends_with(curves_ending) ? lines_without(file, curves_ending, cells, curves_on)
                                                           : lines_without(file, records_ending, cells, record_on);
  if (kept.empty())
    fs::remove(file);
  else
    write_file(file, kept);
}

std::map<fs::path, std::string> pack(const Store& store, const std::set<std::string>& shown) {
  std::map<fs::path, std::string> files;
  for (const auto& record : store.all()) {
    const auto& cell = record.cell;
    if (cell.table.ends_with(".curves"))
      throw UsageError(fmt::format("cell {}: the records of a table {} cannot be told from the curves of another", cell.id(), cell.table),
                       "give the table a name that does not end in .curves");
    const auto base = fs::path("records") / cell.table;
    json line = to_json(record);
    if (auto kept = shown_files(store, cell, shown); !kept.empty()) line["files"] = std::move(kept);
    files[base.string() + std::string(records_ending)] += json_text(line) + "\n";
    if (const auto curves = store.curves(cell); !curves.empty())
      files[base.string() + std::string(curves_ending)] +=
          json_text({{"schema", schema_version}, {"cell", cell.id()}, {"curves", curves}}) + "\n";
  }
  return files;
}

}  // namespace reprise::records
