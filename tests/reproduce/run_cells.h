// Cells of study prernn, run in this process, each after what it needs.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "reproduce/prernn/cells.h"
#include "tests/support.h"

namespace reprise::reproduce::prernn_study {

class CellsInProcess {
 public:
  explicit CellsInProcess(Settings settings, std::filesystem::path data = {}) : settings_(std::move(settings)), data_(std::move(data)) {
    for (const auto& planned : plan(settings_, data_)) cells_[planned.cell.id()] = planned;
  }
  /// Its record; run once.
  records::Record operator()(const std::string& id) {
    const auto& planned = cells_.at(id);
    if (const auto done = store_.find(planned.cell)) return *done;
    for (const auto& need : planned.needs) (*this)(need.id());
    records::Record record;
    record.cell = planned.cell;
    training::Progress silent(nullptr);
    std::filesystem::create_directories(store_.folder(planned.cell));
    CellContext context{settings_, store_, store_.folder(planned.cell), data_, "cpu", record, silent};
    run(context);
    record.status = records::Status::Done;
    store_.write(record);
    return record;
  }
  const std::map<std::string, PlannedCell>& cells() const { return cells_; }
  records::Curves curves(const records::Record& record) const { return store_.curves(record.cell); }

 private:
  TemporaryFolder folder_;
  Settings settings_;
  std::filesystem::path data_;
  records::Store store_{folder_.path()};
  std::map<std::string, PlannedCell> cells_;
};

}  // namespace reprise::reproduce::prernn_study
