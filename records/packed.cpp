#include "records/packed.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/compression.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "records/fields.h"

namespace reprise::records {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* fix_hint =
    "take the file again from where it came (git restore FILE), or pack the results again: reprise report RESULTS "
    "--pack FOLDER";

/// Bytes that a packed file may contain in any case. The largest committed table has 11 MB.
constexpr std::size_t free_bytes = std::size_t{1} << 30;

std::string read_packed(const fs::path& file) {
  return decompress(read_file(file), file.string(), fix_hint, free_bytes);
}

std::string table_name(const fs::path& file, std::string_view ending) {
  const std::string name = file.filename().string();
  return name.substr(0, name.size() - ending.size());
}

std::pair<std::string, PackedRecord> read_record_line(const json& line, const std::string& where,
                                                      const std::string& table,
                                                      const Record* neighbour) {
  auto record = record_from_json(line, where, fix_hint);
  // Thousands of cells of a table have equal options; one copy serves all.
  if (neighbour) share_equal(*neighbour, record);
  PackedRecord packed{
      .record = std::make_shared<const Record>(std::move(record)), .files = {}, .where = where};
  const auto& cell = packed.record->cell;
  if (cell.table != table)
    throw Error(fmt::format("{}: the record is of cell {}, which belongs into another file", where,
                            cell.id()),
                fix_hint);
  if (line.contains("files")) {
    const auto files = Fields(line, where, fix_hint).object("files");
    for (const auto& [name, hash] : files.raw().items())
      packed.files[name] = files.text(name.c_str());
  }
  return {cell.id(), std::move(packed)};
}

std::pair<std::string, PackedCurves> read_curves_line(const json& line, const std::string& where,
                                                      const std::string& table) {
  const Fields fields(line, where, fix_hint);
  if (const auto version = fields.integer("schema"); version != schema_version)
    throw Error(fmt::format("{}: the curves have schema version {}; this program reads version {}",
                            where, version, schema_version),
                "pack the results again, or read them with the program that wrote them");
  const auto id = fields.text("cell");
  if (!id.starts_with(table + "/"))
    throw Error(
        fmt::format("{}: the curves are of cell {}, which belong into another file", where, id),
        fix_hint);
  return {id, {curves_from_json(fields.object("curves").raw(), where, fix_hint), where}};
}

template <typename Entry, typename ReadLine>
PackedFile<Entry> read_lines(const fs::path& file, std::string_view ending,
                             const ReadLine& read_line) {
  PackedFile<Entry> read;
  if (!fs::exists(file)) return read;
  std::string bytes;
  try {
    bytes = read_packed(file);
    if (bytes.empty())
      throw Error(file.string() + ": the file is empty; one JSON object per line was expected",
                  fix_hint);
  } catch (const Error& reason) {
    read.broken.push_back(reason);
    return read;
  }
  const auto table = table_name(file, ending);
  // Cells with two lines: nothing says which one is right, so both are lost.
  std::set<std::string> twice;
  std::size_t number = 0;
  for (std::string_view rest = bytes; !rest.empty();) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    const auto where = fmt::format("{}, line {}", file.string(), ++number);
    try {
      // Packing writes no empty line, so one is damage.
      if (line.empty())
        throw Error(where + ": the line is empty; a JSON object was expected", fix_hint);
      auto [id, entry] = read_line(parse_json(line, where, fix_hint), where, table);
      if (const auto [first, fresh] = read.cells.try_emplace(id, std::move(entry)); !fresh) {
        twice.insert(id);
        throw Error(fmt::format("{}: cell {} occurs twice (also in {}); neither is read", where, id,
                                first->second.where),
                    fix_hint);
      }
    } catch (const Error& reason) {
      read.broken.push_back(reason);
    }
  }
  for (const auto& id : twice) read.cells.erase(id);
  return read;
}

/// Text without the lines of `cells`; nothing if it has none of these lines.
template <typename ReadLine>
std::optional<std::string> lines_without(const fs::path& file, std::string_view ending,
                                         const std::set<std::string>& cells,
                                         const ReadLine& read_line) {
  std::string kept;
  const auto bytes = read_packed(file);
  for (std::string_view rest = bytes; !rest.empty();) {
    // The line with its end, so that kept lines keep their bytes.
    const auto line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    rest.remove_prefix(line.size());
    bool goes = false;
    try {
      goes = cells.contains(read_line(parse_json(line, file.string(), fix_hint), file.string(),
                                      table_name(file, ending))
                                .first);
    } catch (const Error&) {
      // A damaged line stays; reading the file reports it.
    }
    if (!goes) kept += line;
  }
  // Nothing was removed: the file keeps its bytes.
  if (kept.size() == bytes.size()) return std::nullopt;
  return kept;
}

/// Returns the cell's files that a page shows, with their hashes.
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
  std::shared_ptr<const Record> last;
  return read_lines<PackedRecord>(
      file, records_ending,
      [&](const json& line, const std::string& where, const std::string& table) {
        auto read = read_record_line(line, where, table, last.get());
        last = read.second.record;
        return read;
      });
}

PackedFile<PackedCurves> read_packed_curves(const fs::path& file) {
  return read_lines<PackedCurves>(file, curves_ending, read_curves_line);
}

void remove_packed(const fs::path& file, const std::set<std::string>& cells) {
  if (!fs::exists(file)) return;
  const auto record = [](const json& line, const std::string& where, const std::string& table) {
    return read_record_line(line, where, table, nullptr);
  };
  const auto kept = file.native().ends_with(curves_ending)
                        ? lines_without(file, curves_ending, cells, read_curves_line)
                        : lines_without(file, records_ending, cells, record);
  if (!kept) return;
  // A table without cells has no file.
  if (kept->empty())
    fs::remove(file);
  else
    write_file(file, gzip(*kept, free_bytes));
}

void refuse_uncommitted(const Store& store, const fs::path& folder) {
  const Store packed(folder, Damage::Skip);
  const auto holds = [&](const Record& record) {
    if (!packed.is_packed(record.cell)) return false;
    const auto there = packed.find(record.cell);
    // A record that was packed before is not refused again.
    return there && to_json(*there) == to_json(record);
  };
  std::size_t count = 0;
  std::shared_ptr<const Record> first;
  for (const auto& record : store.shared_all()) {
    if (!record->environment->dirty || holds(*record)) continue;
    // The message names the first of them.
    if (count++ == 0) first = record;
  }
  if (count == 0) return;
  const auto& cell = first->cell;
  throw UsageError(
      fmt::format("{} record{} of a checkout with uncommitted changes, first {}", count,
                  count == 1 ? " is" : "s are", cell.id()),
      fmt::format(
          "commit the changes, run these cells again (reprise run {} --profile {} --redo '{}'), and pack then",
          cell.study, first->profile, cell.id()));
}

std::map<fs::path, std::string> pack(const Store& store, const std::set<std::string>& shown) {
  std::map<fs::path, std::string> files;
  for (const auto& record : store.all()) {
    const auto& cell = record.cell;
    const auto base = fs::path("records") / cell.table;
    json line = to_json(record);
    if (auto kept = shown_files(store, cell, shown); !kept.empty()) line["files"] = std::move(kept);
    files[base.string() + std::string(records_ending)] += json_text(line) + "\n";
    if (const auto curves = store.curves(cell); !curves.empty())
      files[base.string() + std::string(curves_ending)] +=
          json_text({{"schema", schema_version}, {"cell", cell.id()}, {"curves", curves}}) + "\n";
  }
  // gzip() writes no time stamp, so equal records give equal files.
  for (auto& [path, lines] : files) lines = gzip(lines, free_bytes);
  return files;
}

}  // namespace reprise::records
