#include "experiments/rerun/scratch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/links.h"
#include "core/outputs.h"
#include "core/sha256.h"
#include "records/packed.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

constexpr auto take_again = "take the file again from where it came: git restore FILE";

std::string table_of_cell(const std::string& cell) { return cell.substr(0, cell.find('/')); }

/// Links the file if the file system allows it, else copies it. No file is changed in place.
void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code other_file_system;
  fs::create_hard_link(from, to, other_file_system);
  if (other_file_system) fs::copy_file(from, to);
}

/// Places the packed records in the scratch folder, except the lines of these cells. A cell below
/// cells/ may not be packed too.
void place_records(const fs::path& results, const std::set<std::string>& without,
                   const fs::path& scratch) {
  fs::create_directories(scratch / "records");
  std::set<std::string> tables;
  for (const auto& cell : without) tables.insert(table_of_cell(cell));
  for (const auto& entry : fs::directory_iterator(results / "records")) {
    const auto name = entry.path().filename().string();
    if (!entry.is_regular_file() || name.starts_with(".")) continue;
    refuse_links_below(results, entry.path());
    // A file whose lines are removed below must be a copy, or the committed one would change.
    if (tables.contains(name.substr(0, name.find('.'))))
      fs::copy_file(entry.path(), scratch / "records" / name);
    else
      link_or_copy(entry.path(), scratch / "records" / name);
  }
  for (const auto& table : tables)
    for (const auto& ending : {records::records_ending, records::curves_ending})
      records::remove_packed(scratch / "records" / (table + std::string(ending)), without);
}

/// Whether the file is a picture of the page, which is committed next to the page.
bool is_picture(const fs::path& results, const std::string& hash) {
  if (!fs::is_directory(results / "pictures")) return false;
  const auto shows = [&](const fs::directory_entry& entry) {
    return entry.is_regular_file() && sha256_file(entry.path()) == hash;
  };
  return std::any_of(fs::directory_iterator(results / "pictures"), fs::directory_iterator(), shows);
}

void place_checkpoint(const Committed& committed, const std::string& cell,
                      const fs::path& scratch) {
  const auto table = table_of_cell(cell);
  const auto packed = records::read_packed_records(committed.results / "records" /
                                                   (table + std::string(records::records_ending)));
  const auto record = packed.cells.find(cell);
  if (record == packed.cells.end())
    throw Error(
        fmt::format("no record of cell {} is committed, and a sample starts from its files", cell),
        "name another cell in sample.toml");
  // Each file must be the one whose SHA-256 the record states.
  const auto from = committed.results / "checkpoints" / cell, to = scratch / "cells" / cell;
  fs::create_directories(to);
  std::size_t placed = 0;
  for (const auto& [name, hash] : record->second.files) {
    const auto file = from / name;
    if (!fs::exists(file)) {
      // Pictures of the page lie elsewhere, and no cell starts from them.
      if (is_picture(committed.results, hash)) continue;
      throw Error(fmt::format("{}, which the record of its cell names, is missing", file.string()),
                  take_again);
    }
    refuse_links_below(committed.results, file);
    if (const auto found = sha256_file(file); found != hash)
      throw Error(fmt::format("{} has the SHA-256 {}, and the record of its cell says {}",
                              file.string(), found, hash),
                  take_again);
    link_or_copy(file, to / name);
    ++placed;
  }
  if (fs::is_directory(from))
    for (const auto& entry : fs::directory_iterator(from))
      if (!record->second.files.contains(entry.path().filename().string()))
        throw Error(fmt::format("{} is not named by the record of its cell", entry.path().string()),
                    "remove it, or pack the results again");
  if (placed == 0)
    throw Error(
        fmt::format("{} holds no file, and the record of its cell names none", from.string()),
        "commit the files that a cell of the sample starts from, with their SHA-256 in the record");
}

}  // namespace

void fill_scratch(const Committed& committed, const std::string& cell,
                  const std::vector<std::string>& checkpoint,
                  const std::vector<std::string>& before, const fs::path& kept,
                  const fs::path& scratch) {
  std::set<std::string> without(before.begin(), before.end());
  without.insert(cell);
  note_own(scratch);
  place_records(committed.results, without, scratch);
  for (const auto& one : checkpoint) place_checkpoint(committed, one, scratch);
  for (const auto& one : before) {
    const auto to = scratch / "cells" / one;
    fs::create_directories(to);
    for (const auto& entry : fs::directory_iterator(kept / "cells" / one))
      if (entry.is_regular_file()) link_or_copy(entry.path(), to / entry.path().filename());
  }
  fs::create_directories(scratch / "cells" / cell);
}

}  // namespace reprise::reproduce
