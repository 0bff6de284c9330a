// The records of one study's results folder, in two forms:
//
//     RESULTS/cells/TABLE/DATASET/METHOD/seedN/   what a run writes: record.json, curves.json, and the files that the cell keeps
//     RESULTS/records/TABLE.jsonl.gz              packed (packed.h), to be committed: one record per line
//     RESULTS/records/TABLE.curves.jsonl.gz       the curves of these cells
//
// Both are read alike. A cell lies in one of them: one that is in both, or twice in a file, counts
// as unreadable, for nothing says which is right. A run that goes on with packed records writes its
// cells below cells/. Packed files are read once, when they are first asked for.
//
// A record is written whole and renamed into place; nothing is ever half there.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "records/record.h"

namespace reprise::records {

/// What is done about a record, curves or a packed cell's file that cannot be read.
enum class Damage {
  Refuse,   ///< an Error names it
  PassOver  ///< it alone is lost: passed_over() names it, and the rest is read. An Error names it where nothing else is there to read
};

class Store {
 public:
  /// `results` need not exist yet.
  explicit Store(std::filesystem::path results, Damage damage = Damage::Refuse);
  const std::filesystem::path& results() const { return results_; }
  /// Where a run keeps what the cell leaves. UsageError: a symbolic link lies on the way below
  /// `results` (named).
  std::filesystem::path folder(const Cell& cell) const;
  /// The same, but this cell lies in `folder`: for a process beside the one whose results are kept.
  Store aside(const Cell& cell, std::filesystem::path folder) const {
    auto store = *this;
    store.aside_.emplace(cell, std::move(folder));
    return store;
  }

  void write(const Record& record) const;
  /// Rounded to as many digits as float32 has: half the bytes.
  void write_curves(const Cell& cell, const Curves& curves) const;
  /// The cell's record, or nothing when there is none.
  std::optional<Record> find(const Cell& cell) const;
  /// Series of a cell; empty when it left none.
  Curves curves(const Cell& cell) const;
  /// For who needs curves of a finished cell that has none: names the file that should hold them
  /// and is not there, and counts it among what could not be read; "" where the file is there.
  /// Error: where damage is refused.
  std::string missing_curves(const Cell& cell) const;
  /// Names of the files that the cell left beside record and curves, sorted; of a packed cell those
  /// that the page shows.
  std::vector<std::string> files(const Cell& cell) const;
  /// Where such a file lies; nothing when there is none. Those of packed cells lie in
  /// RESULTS/checkpoints/CELL, or in RESULTS/pictures, where they are known by their SHA-256.
  std::optional<std::filesystem::path> file(const Cell& cell, const std::string& name) const;
  /// Whether the cell's record is packed: then its files are not here, but for those that the page
  /// shows.
  bool is_packed(const Cell& cell) const;
  /// Takes the records and curves of cells, by their ids, out of the packed files, so that a run
  /// may write them again; others stay as they are.
  void unpack(const std::set<std::string>& cells) const;
  /// All records, sorted by cell: any order on disk, and either form, gives the same list.
  std::vector<Record> all() const;
  /// The same without copies, for what keeps all of them: packed records are the store's own.
  std::vector<std::shared_ptr<const Record>> shared_all() const;

  /// What could not be read so far, each once, sorted; files are named below `results`. Copies of a
  /// store share it.
  std::vector<Error> passed_over() const;

 private:
  struct Read;
  std::filesystem::path results_;
  std::shared_ptr<Read> read_;
  std::optional<std::pair<Cell, std::filesystem::path>> aside_ = {};
};

}  // namespace reprise::records
