// The plan of re-runs: which committed cells, in which order, and from which files.
//
// Committed results are packed (reports/pack.h): they hold the records of all cells, but not the
// files that other cells need. Such a cell waits until the other one has been re-run, or starts
// from its checkpoint. Trials need only their record.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/data_folder.h"
#include "experiments/run/results.h"
#include "experiments/study.h"
#include "records/store.h"

namespace reprise::reproduce {

/// The committed results of one study.
struct Committed {
  const Study& study;
  std::filesystem::path results;
  RunDescription description;
  /// Settings of the committed run; newer settings have the value of its profile.
  Settings settings;
  records::Store store;
  std::map<std::string, std::shared_ptr<const records::Record>> records;  ///< finished cells, by id
  /// Cells that each planned cell needs, without trials.
  std::map<std::string, std::vector<std::string>> needs;
  /// PlannedCell::reads of each planned cell.
  std::map<std::string, std::vector<std::string>> reads;
  std::map<std::tuple<std::string, std::string, std::string>, std::string>
      shown;  ///< (table, dataset, method) -> metric that a table of the page shows

  /// Lists the cells that `cell` needs directly or indirectly, each after its own needs.
  std::vector<std::string> all_needs(const std::string& cell) const;
  std::string shown_metric(const records::Cell& cell) const;
  /// Returns the options of a re-run: those of the cell's record, and of newer settings that it
  /// reads.
  nlohmann::json options(const std::string& cell) const;
};

/// Reads committed results. UsageError: `results` are none of the study (says what to do).
Committed read_committed(const Study& study, const std::filesystem::path& results);

struct RerunTask {
  std::size_t study = 0;  ///< position in the list of committed results
  std::string cell;
  double seconds = 0;                        ///< expected, of one core
  std::vector<std::string> checkpoint = {};  ///< cells whose committed files it starts from
  std::vector<std::size_t> needs = {};       ///< tasks whose files it may read
};

/// Lists the samples of all studies: each in its own order, one cell of every study in turn.
/// UsageError: an invalid sample; a cell without a committed record, or outside the study's plan.
std::vector<RerunTask> sample_tasks(const std::vector<Committed>& committed);

/// Appends every other committed cell whose data, and that of its needs, lies in `data`: the
/// cheapest first, after what it needs. Returns the number of cells without data.
std::size_t add_further_tasks(const std::vector<Committed>& committed, const DataFolder& data,
                              std::vector<RerunTask>& tasks);

}  // namespace reprise::reproduce
