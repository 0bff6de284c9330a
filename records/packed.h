// Packed records: one compressed file of JSON lines per table in place of a folder per cell, so
// that thousands of cells travel in a few files. gzip, so that pandas, DuckDB and zcat read them as
// they are.
//
//     records/TABLE.jsonl.gz           record.json without line ends, one record per line, sorted by cell. Where the page shows files of the
//                                      cell, it has "files": { "best.png": SHA-256 } too; the files themselves lie in pictures/ beside the page
//     records/TABLE.curves.jsonl.gz    { "cell": "TABLE/DATASET/METHOD/seedN", "curves": { "name": [numbers...] }, "schema": 1 }, one line per
//                                      cell that has curves
//
// The same records give the same bytes, and every number reads back as the same double. The lines
// may also lie there uncompressed.
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
  std::vector<Error> broken;           ///< by line: each costs its own cell alone
};

/// Both cells of a file where one is there twice are lost. An empty file or line is broken, too:
/// packing writes none. No file: no cells.
PackedFile<PackedRecord> read_packed_records(const std::filesystem::path& file);
PackedFile<PackedCurves> read_packed_curves(const std::filesystem::path& file);

/// Takes the lines of these cells, by their ids, out of a packed file of records or curves, and
/// removes a file that holds no others. The file is replaced whole. A line that cannot be read
/// stays. No file, or no such line: nothing is done.
void remove_packed(const std::filesystem::path& file, const std::set<std::string>& cells);

/// Refuses records that no commit can make again. UsageError: records of a checkout with
/// uncommitted changes, except those that `folder` holds already, packed (how many, and the first).
void refuse_uncommitted(const Store& store, const std::filesystem::path& folder);

/// "records/TABLE.jsonl.gz" and "records/TABLE.curves.jsonl.gz" -> bytes. `shown`: SHA-256 of the
/// files that the page shows; other files of cells (weights, checkpoints) stay behind.
std::map<std::filesystem::path, std::string> pack(const Store& store,
                                                  const std::set<std::string>& shown);

}  // namespace reprise::records
