// The records of a study's results folder, in two forms:
//
//   - RESULTS/cells/TABLE/DATASET/METHOD/seedN/: written by a run. It holds record.json,
//     curves.json, and the files that the cell keeps.
//   - RESULTS/records/TABLE.jsonl.gz and TABLE.curves.jsonl.gz: packed (packed.h), to be committed.
//
// Both are read alike. A cell lies in one of them. A cell in both, or twice in a file, is
// unreadable, because nothing says which is right. A run that continues packed records writes its
// cells below cells/. Packed files are read once, on first use.
//
// A record is written completely and then renamed into place.
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

/// Reaction to a record, curves or packed file that cannot be read.
enum class Damage {
  Refuse,  ///< throw an Error that names it
  /// Skip it, and name it in skipped_files(). An Error names it if nothing else can be read.
  Skip
};

class Store {
 public:
  /// Opens a results folder, which need not exist yet.
  explicit Store(std::filesystem::path results, Damage damage = Damage::Refuse);
  const std::filesystem::path& results() const { return results_; }
  /// Returns the folder of a cell's files. UsageError: a symbolic link lies on the way below
  /// `results` (named).
  std::filesystem::path folder(const Cell& cell) const;
  /// Returns a store in which this cell lies in `folder`: for a process that trains along with the
  /// one whose results are kept.
  Store with_folder(const Cell& cell, std::filesystem::path folder) const {
    auto store = *this;
    store.moved_.emplace(cell, std::move(folder));
    return store;
  }

  void write(const Record& record) const;
  /// Writes curves, rounded to the digits of float32: half the bytes.
  void write_curves(const Cell& cell, const Curves& curves) const;
  /// Returns the cell's record; nothing without one.
  std::optional<Record> find(const Cell& cell) const;
  /// Returns the curves of a cell; empty without any.
  Curves curves(const Cell& cell) const;
  /// Names the missing file of a finished cell's curves and counts it among the skipped files; ""
  /// if the file exists. Error: if damage is refused.
  std::string missing_curves(const Cell& cell) const;
  /// Lists the cell's files without record and curves, sorted; of a packed cell those that the page
  /// shows.
  std::vector<std::string> files(const Cell& cell) const;
  /// Returns the path of such a file; nothing without one. Files of packed cells lie in
  /// RESULTS/checkpoints/CELL, or by SHA-256 in RESULTS/pictures.
  std::optional<std::filesystem::path> file(const Cell& cell, const std::string& name) const;
  /// Whether the cell's record is packed. Then only the files that the page shows exist here.
  bool is_packed(const Cell& cell) const;
  /// Removes the records and curves of cells, by id, from the packed files, so that a run may write
  /// them again.
  void unpack(const std::set<std::string>& cells) const;
  /// Returns all records, sorted by cell, whatever their form.
  std::vector<Record> all() const;
  /// Returns the same without copies: packed records are the store's own.
  std::vector<std::shared_ptr<const Record>> shared_all() const;

  /// Lists the files skipped so far, each once, sorted, relative to `results`. Copies of a store
  /// share the list.
  std::vector<Error> skipped_files() const;

 private:
  struct Read;
  std::filesystem::path results_;
  std::shared_ptr<Read> read_;
  std::optional<std::pair<Cell, std::filesystem::path>> moved_ = {};
};

}  // namespace reprise::records
