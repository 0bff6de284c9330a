// The records of one study's results folder. A record is written whole and renamed into place; nothing is ever half there.
#pragma once
#include <filesystem>
#include <vector>

#include "records/record.h"

namespace reprise::records {

class Store {
 public:
  /// `results`: the folder that holds TABLE/DATASET/METHOD/seedN/. It need not exist yet.
  explicit Store(std::filesystem::path results) : results_(std::move(results)) {}
  const std::filesystem::path& results() const { return results_; }
  std::filesystem::path folder(const Cell& cell) const { return results_ / cell.id(); }

  void write(const Record& record) const;
  /// Rounded to as many digits as float32 has: half the bytes.
  void write_curves(const Cell& cell, const Curves& curves) const;
  /// The cell's record, or nothing when there is none. Error: there is one and it cannot be read (file named).
  std::optional<Record> find(const Cell& cell) const;
  /// Series of a cell; empty when the file is missing.
  Curves curves(const Cell& cell) const;
  /// All records below the folder, sorted by cell: any order on disk gives the same list. Error: names a record that cannot be read.
  std::vector<Record> all() const;

 private:
  std::filesystem::path results_;
};

}  // namespace reprise::records
