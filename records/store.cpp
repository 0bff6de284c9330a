#include "records/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "core/files.h"
#include "core/json.h"
#include "core/links.h"
#include "core/sha256.h"
#include "records/packed.h"

namespace reprise::records {
namespace fs = std::filesystem;
namespace {

constexpr int curve_digits = 7;

std::vector<fs::path> list_entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code reason;
  // Hidden files are temporary ones and those of the operating system.
  for (fs::directory_iterator entry(folder, reason), end; !reason && entry != end;
       entry.increment(reason))
    if (entry->path().filename().native().front() != '.') found.push_back(entry->path());
  if (reason && reason != std::errc::no_such_file_or_directory)
    throw Error(fmt::format("cannot read the folder {}: {}", folder.string(), reason.message()),
                "check the path and your rights to it");
  // A folder lists its entries in any order; outputs must not depend on it.
  std::sort(found.begin(), found.end());
  return found;
}

/// Lists the folders. Links are left out and passed to `report_damage`.
template <typename Tell>
std::vector<fs::path> folders_in(const fs::path& folder, const Tell& report_damage) {
  auto found = list_entries(folder);
  std::erase_if(found, [&](const fs::path& path) {
    try {
      refuse_links_below(folder, path);
    } catch (const Error& link) {
      report_damage(link);
      return true;
    }
    return !fs::is_directory(path);
  });
  return found;
}

/// UsageError: the folder is a link.
std::vector<std::string> packed_tables(const fs::path& folder) {
  refuse_links_below(folder.parent_path(), folder);
  std::vector<std::string> tables;
  for (const auto& path : list_entries(folder)) {
    const auto name = path.filename().string();
    // The ending of curves contains that of records.
    if (name.ends_with(records_ending) && !name.ends_with(curves_ending))
      tables.push_back(name.substr(0, name.size() - records_ending.size()));
  }
  return tables;
}

/// Reads the record in `folder`, which lies below `cells`. Error: it is of another cell.
Record read_record(const fs::path& cells, const fs::path& folder) {
  const fs::path path = folder / "record.json";
  Record record =
      record_from_json(parse_json(read_file(path), path.string(), remake_cell), path.string());
  if (cells / record.cell.id() != folder)
    throw Error(fmt::format("{}: the record is of cell {}, which belongs into another folder",
                            path.string(), record.cell.id()),
                "move the folder back to where its record says, or delete it");
  return record;
}

}  // namespace

/// Contents of the packed files read so far, and the skipped files.
struct Store::Read {
  fs::path results;
  Damage damage;
  std::map<std::string, PackedFile<PackedRecord>> records = {};  // by table
  std::map<std::string, PackedFile<PackedCurves>> curves = {};
  std::optional<std::map<std::string, fs::path>> pictures = {};  // by SHA-256
  std::map<std::string, std::string> skipped_files = {};         // problem -> fix
  // Missing file of curves, by table.
  std::map<std::string, std::string> without_curves = {};

  void report_damage(const Error& error) {
    if (damage == Damage::Refuse) throw Error(error);
    auto problem = error.problem();
    const auto prefix = (results / "").string();
    // Messages name files relative to the results, so that they are equal for every place of the
    // folder.
    for (auto at = problem.find(prefix); at != problem.npos; at = problem.find(prefix, at))
      problem.erase(at, prefix.size());
    skipped_files.emplace(problem, error.fix());
  }

  void report_both(const fs::path& file, const std::string& line, const std::string& id) {
    report_damage(
        {fmt::format("{} and {}: cell {} is in both; neither is read", file.string(), line, id),
         "delete the one that is out of date"});
  }

  const std::map<std::string, PackedRecord>& packed_records(const std::string& table) {
    if (!records.contains(table))
      records.emplace(table, read_packed_records(packed_file(table, records_ending)));
    const auto& file = records.at(table);
    for (const auto& error : file.broken) report_damage(error);
    return file.cells;
  }

  const std::map<std::string, PackedCurves>& packed_curves(const std::string& table) {
    if (!curves.contains(table))
      curves.emplace(table, read_packed_curves(packed_file(table, curves_ending)));
    const auto& file = curves.at(table);
    for (const auto& error : file.broken) report_damage(error);
    return file.cells;
  }

  /// UsageError: it is a link, or lies behind one.
  fs::path packed_file(const std::string& table, std::string_view ending) const {
    auto file = results / "records" / (table + std::string(ending));
    refuse_links_below(results, file);
    return file;
  }

  std::optional<fs::path> picture(const std::string& hash) {
    if (!pictures) {
      pictures.emplace();
      refuse_links_below(results, results / "pictures");
      for (const auto& path : list_entries(results / "pictures"))
        if (fs::is_regular_file(path)) pictures->emplace(sha256_file(path), path);
    }
    const auto found = pictures->find(hash);
    return found == pictures->end() ? std::nullopt : std::optional(found->second);
  }
};

Store::Store(fs::path results, Damage damage)
    : results_(std::move(results)),
      read_(std::make_shared<Read>(Read{.results = results_, .damage = damage})) {}

fs::path Store::folder(const Cell& cell) const {
  if (moved_ && moved_->first == cell) return moved_->second;
  auto folder = results_ / "cells" / cell.id();
  refuse_links_below(results_, folder);
  return folder;
}

std::vector<Error> Store::skipped_files() const {
  std::vector<Error> errors;
  for (const auto& [problem, fix] : read_->skipped_files) errors.emplace_back(problem, fix);
  return errors;
}

void Store::write(const Record& record) const {
  check_names(record.cell);
  const auto file = folder(record.cell) / "record.json";
  refuse_links_below(file.parent_path(), file);
  write_file(file, json_text(to_json(record), 1) + "\n");
}

void Store::write_curves(const Cell& cell, const Curves& curves) const {
  check_names(cell);
  Curves rounded = curves;
  for (auto& [name, values] : rounded)
    for (auto& value : values)
      if (std::isfinite(value))
        // Seven digits are those of float32. The rounded double is written with as few digits.
        value = std::strtod(fmt::format("{:.{}g}", value, curve_digits).c_str(), nullptr);
  const auto file = folder(cell) / "curves.json";
  refuse_links_below(file.parent_path(), file);
  write_file(file, json_text(rounded) + "\n");
}

std::optional<Record> Store::find(const Cell& cell) const {
  const auto& packed = read_->packed_records(cell.table);
  const auto line = packed.find(cell.id());
  // A record in both forms is not read, because nothing says which is right.
  const auto path = folder(cell) / "record.json";
  try {
    if (!fs::exists(path))
      return line == packed.end() ? std::nullopt : std::optional(*line->second.record);
    if (line == packed.end()) return read_record(results_ / "cells", folder(cell));
    read_->report_both(path, line->second.where, cell.id());
  } catch (const Error& reason) {
    read_->report_damage(reason);
  }
  return std::nullopt;
}

Curves Store::curves(const Cell& cell) const {
  const auto& packed = read_->packed_curves(cell.table);
  const auto line = packed.find(cell.id());
  const auto path = folder(cell) / "curves.json";
  try {
    if (!fs::exists(path)) return line == packed.end() ? Curves{} : line->second.curves;
    if (line == packed.end())
      return curves_from_json(parse_json(read_file(path), path.string(), remake_cell),
                              path.string());
    read_->report_both(path, line->second.where, cell.id());
  } catch (const Error& reason) {
    read_->report_damage(reason);
  }
  return {};
}

std::string Store::missing_curves(const Cell& cell) const {
  const bool packed = is_packed(cell);
  const auto file = packed ? results_ / "records" / (cell.table + std::string(curves_ending))
                           : folder(cell) / "curves.json";
  if (fs::exists(file)) return "";
  auto& reported = read_->without_curves;
  // One folder per table is named.
  if (const auto known = reported.find(cell.table); known != reported.end()) return known->second;
  const auto problem =
      fmt::format("{} is missing; it holds the curves of cell {}", file.string(), cell.id());
  const auto text = file.lexically_relative(results_).string() + " is missing";
  reported.emplace(cell.table, text);
  read_->report_damage(
      {problem,
       packed
           ? "take the file again from where it came (git restore FILE), or pack the results again"
           : remake_cell});
  return text;
}

std::vector<std::string> Store::files(const Cell& cell) const {
  std::set<std::string> names;
  for (const auto& path : list_entries(folder(cell)))
    if (fs::is_regular_file(path) && path.filename() != "record.json" &&
        path.filename() != "curves.json")
      names.insert(path.filename());
  const auto& packed = read_->packed_records(cell.table);
  if (const auto line = packed.find(cell.id()); line != packed.end())
    for (const auto& [name, hash] : line->second.files) names.insert(name);
  // Files that were added after the cell was packed. The next packing writes their SHA-256 into the
  // record.
  for (const auto& path : list_entries(results_ / "checkpoints" / cell.id()))
    if (fs::is_regular_file(path)) names.insert(path.filename());
  return {names.begin(), names.end()};
}

std::optional<fs::path> Store::file(const Cell& cell, const std::string& name) const {
  if (const auto path = folder(cell) / name; fs::is_regular_file(path)) return path;
  const auto& packed = read_->packed_records(cell.table);
  const auto line = packed.find(cell.id());
  // A committed file that other cells start from; pictures lie next to the page.
  const auto checkpoint = results_ / "checkpoints" / cell.id() / name;
  refuse_links_below(results_, checkpoint);
  if (fs::is_regular_file(checkpoint)) return checkpoint;
  if (line == packed.end() || !line->second.files.contains(name)) return std::nullopt;
  const auto& hash = line->second.files.at(name);
  auto path = read_->picture(hash);
  if (!path)
    read_->report_damage(
        {fmt::format("{}: no file in {} is the {} of cell {} (SHA-256 {})", line->second.where,
                     (results_ / "pictures").string(), name, cell.id(), hash),
         "take the pictures again from where they came (git restore pictures), or pack the results again"});
  return path;
}

bool Store::is_packed(const Cell& cell) const {
  return read_->packed_records(cell.table).contains(cell.id());
}

void Store::unpack(const std::set<std::string>& cells) const {
  // Packed files change below, so what was read of them is stale.
  read_->records.clear();
  read_->curves.clear();
  std::set<std::string> tables;
  for (const auto& id : cells) tables.insert(id.substr(0, id.find('/')));
  // Curves go first. If the process ends between the two, the record is still there, and the next
  // call finishes the work.
  for (const auto& table : tables)
    for (const auto& ending : {curves_ending, records_ending})
      remove_packed(read_->packed_file(table, ending), cells);
}

std::vector<std::shared_ptr<const Record>> Store::shared_all() const {
  std::map<Cell, std::shared_ptr<const Record>> records;
  const auto cells = results_ / "cells";
  std::shared_ptr<const Record> last;
  refuse_links_below(results_, cells);
  const auto report_damage = [&](const Error& link) { read_->report_damage(link); };
  for (const auto& table : folders_in(cells, report_damage))
    for (const auto& dataset : folders_in(table, report_damage))
      for (const auto& method : folders_in(dataset, report_damage))
        for (const auto& seed : folders_in(method, report_damage)) try {
            if (!fs::exists(seed / "record.json")) continue;
            auto record = read_record(cells, seed);
            // Neighbouring cells mostly have equal options and environments; sharing them saves
            // memory.
            if (last) share_equal(*last, record);
            last = std::make_shared<const Record>(std::move(record));
            records.emplace(last->cell, last);
          } catch (const Error& reason) {
            read_->report_damage(reason);
          }
  // A cell in both forms is unreadable, and counts in neither.
  for (const auto& table : packed_tables(results_ / "records"))
    for (const auto& [id, line] : read_->packed_records(table)) {
      const auto& cell = line.record->cell;
      if (const auto path = folder(cell) / "record.json"; fs::exists(path)) {
        read_->report_both(path, line.where, id);
        records.erase(cell);
      } else {
        records.emplace(cell, line.record);
      }
    }
  // If everything is damaged there is nothing to continue with.
  if (const auto broken = skipped_files(); records.empty() && !broken.empty())
    throw Error(broken.front());
  std::vector<std::shared_ptr<const Record>> sorted;
  for (auto& [cell, record] : records) sorted.push_back(std::move(record));
  return sorted;
}

std::vector<Record> Store::all() const {
  std::vector<Record> records;
  for (const auto& record : shared_all()) records.push_back(*record);
  return records;
}

}  // namespace reprise::records
