// Packed records: one gzip file of JSON lines per table instead of a folder per cell. pandas,
// DuckDB and zcat read them directly.
//
//   - records/TABLE.jsonl.gz: one record.json per line, sorted by cell. If the page shows files of
//     the cell, the record also has "files": { "best.png": SHA-256 }. They lie in pictures/.
//   - records/TABLE.curves.jsonl.gz: one line per cell that has curves,
//     { "cell": "TABLE/DATASET/METHOD/seedN", "curves": { "name": [numbers...] }, "schema": 1 }
//
// The same records give the same bytes, and every number reads back as the same double.
// Uncompressed lines are read too.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "records/store.h"

namespace reprise::records {

inline constexpr std::string_view records_ending = ".jsonl.gz", curves_ending = ".curves.jsonl.gz";

struct PackedRecord {
  std::shared_ptr<const Record> record;
  std::map<std::string, std::string> files;  ///< name -> SHA-256
  std::string where;                         ///< "FILE, line N"
};

struct PackedCurves {
  Curves curves;
  std::string where;
};

template <typename Entry>
struct PackedFile {
  std::map<std::string, Entry> cells;  ///< by the cell's id
  std::vector<Error> broken;           ///< unreadable lines; each costs its own cell alone
};

/// Reads a packed file; a missing file has no cells. Two lines of one cell are both lost. An empty
/// file or line is broken, because packing writes none.
PackedFile<PackedRecord> read_packed_records(const std::filesystem::path& file);
PackedFile<PackedCurves> read_packed_curves(const std::filesystem::path& file);

/// Removes the lines of these cells, by id, from a packed file of records or curves, and a file
/// that holds no others. Unreadable lines stay. Without such a line nothing changes.
void remove_packed(const std::filesystem::path& file, const std::set<std::string>& cells);

/// Refuses records that no commit can reproduce. UsageError: records of a checkout with uncommitted
/// changes that `folder` does not hold already, packed (how many, and the first).
void refuse_uncommitted(const Store& store, const std::filesystem::path& folder);

/// Returns "records/TABLE.jsonl.gz" and "records/TABLE.curves.jsonl.gz" -> bytes. `shown`: SHA-256
/// of the files that the page shows; other files of cells stay behind.
std::map<std::filesystem::path, std::string> pack(const Store& store,
                                                  const std::set<std::string>& shown);

}  // namespace reprise::records
