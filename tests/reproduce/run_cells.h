// Runs cells of a study in this process, each after the cells that it needs.
#pragma once
#include <ATen/Parallel.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/run/request.h"
#include "experiments/run/results.h"
#include "experiments/study.h"
#include "records/claims/claims.h"
#include "tests/support.h"

namespace reprise::reproduce {

/// Counts the cells of each table.
inline std::map<std::string, int> count_cells_by_table(const std::vector<PlannedCell>& cells) {
  std::map<std::string, int> count;
  for (const auto& planned : cells) ++count[planned.cell.table];
  return count;
}

class CellsInProcess {
 public:
  CellsInProcess(Study study, Settings settings, std::filesystem::path data = {})
      : study_(std::move(study)), settings_(std::move(settings)), data_(std::move(data)) {
    at::set_num_threads(
        1);  // as a worker process has; on small networks more only wait for each other
    for (const auto& planned : study_.plan(settings_, data_)) cells_[planned.cell.id()] = planned;
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
    const auto settings = settings_.for_cell(
        RunDescription{.settings = settings_.all(), .device = "cpu"}.options(planned.reads));
    CellContext context{settings, store_, store_.folder(planned.cell), data_, "cpu",
                        record,   silent};
    study_.run(context);
    record.status = records::Status::Done;
    store_.write(record);
    return record;
  }
  /// Claims with this verdict: of NotComparable the two sides have other protocols, so that no run
  /// of hours could decide them; NotRun is a claim that asks for what no cell records.
  /// `stands_for`: the sets of claims that this plan replaces by others.
  std::vector<std::string> claims_that_are(
      records::Verdict verdict, const std::map<std::string, std::string>& stands_for = {}) const {
    std::string claims(study_.claims);
    for (const auto& [set, other] : stands_for)
      for (auto at = claims.find(set); at != claims.npos; at = claims.find(set, at + other.size()))
        claims.replace(at, set.size(), other);
    std::vector<std::string> found;
    for (const auto& judged : records::judge(claims, "claims.toml", store_, own_methods(study_)))
      if (judged.verdict == verdict) found.push_back(judged.id + ": " + judged.reason);
    return found;
  }
  /// Of a cell, run or not.
  std::filesystem::path folder(const std::string& id) const {
    return store_.folder(cells_.at(id).cell);
  }
  const std::map<std::string, PlannedCell>& cells() const { return cells_; }
  records::Curves curves(const records::Record& record) const { return store_.curves(record.cell); }

 private:
  Study study_;
  TemporaryFolder folder_;
  Settings settings_;
  std::filesystem::path data_;
  records::Store store_{folder_.path()};
  std::map<std::string, PlannedCell> cells_;
};

}  // namespace reprise::reproduce
