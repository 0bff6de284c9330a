// Which committed cells are re-run, in which order, and what each starts from.
//
// Committed results are packed (reports/pack.h): they hold the records of all cells, and none of
// the files that cells leave for others. A cell that needs the files of another one waits until
// that one has been re-run, or starts from its checkpoint. Of trials the record is enough.
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
  /// Those of the committed run; settings that came later have the value of its profile.
  Settings settings;
  records::Store store;
  std::map<std::string, std::shared_ptr<const records::Record>> records;  ///< finished cells, by id
  /// Of each planned cell, trials left out.
  std::map<std::string, std::vector<std::string>> needs;
  /// PlannedCell::reads of each planned cell.
  std::map<std::string, std::vector<std::string>> reads;
  std::map<std::tuple<std::string, std::string, std::string>, std::string>
      shown;  ///< (table, dataset, method) -> metric that a table of the page shows

  /// The cells that `cell` needs, what these need, and so on, each behind its own needs.
  std::vector<std::string> all_needs(const std::string& cell) const;
  std::string shown_metric(const records::Cell& cell) const;
  /// The options that `cell` runs with: those of its record, and of settings that it reads and that
  /// came later than the record.
  nlohmann::json options(const std::string& cell) const;
};

/// UsageError: `results` are no committed results of the study (what to do is said).
Committed read_committed(const Study& study, const std::filesystem::path& results);

struct RerunTask {
  std::size_t study = 0;  ///< position in the list of committed results
  std::string cell;
  double seconds = 0;                        ///< expected, of one core
  std::vector<std::string> checkpoint = {};  ///< cells whose committed files it starts from
  std::vector<std::size_t> needs = {};       ///< tasks whose files it may read
};

/// The samples of all studies: each in its own order, one cell of every study in turn. UsageError:
/// what a sample says wrong; a cell that has no committed record, or is not of the study's plan.
std::vector<RerunTask> sample_tasks(const std::vector<Committed>& committed);

/// Appends every other committed cell whose data, and that of the cells it needs, lies in `data`:
/// the cheapest first, together with what it needs. Returns how many cells are left out for lack of
/// data.
std::size_t add_further_tasks(const std::vector<Committed>& committed, const DataFolder& data,
                              std::vector<RerunTask>& tasks);

}  // namespace reprise::reproduce
