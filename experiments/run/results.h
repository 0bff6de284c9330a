// A results folder: the output of one run of a study with one set of options.
//
//   - run.json: study, profile and settings. Other commands need only the folder.
//   - preregistered.json: registered comparisons, and the seeds seen by then
//     (records/claims/registry.h).
//   - cells/TABLE/DATASET/METHOD/seedN/: record, curves and files of a cell (records/store.h).
//   - records/TABLE.jsonl.gz: packed cells (records/packed.h). A run adds new ones below cells/.
//   - index.html, tables/, figures/, claims.md: the report, unless --out names another folder.
//   - .lock: held while a run changes the shared files.
//   - .leases/: which process runs which cell (lease.h).
#pragma once
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/file_lock.h"
#include "experiments/study.h"
#include "records/store.h"

namespace reprise::reproduce {

/// Content of run.json.
struct RunDescription {
  std::string study, profile;
  std::string base = profile;                          ///< the study's profile beneath one's own
  nlohmann::json settings = nlohmann::json::object();  ///< all of them, flat
  std::string device;                                  ///< "cpu" or "cuda"
  /// Names of the sets in --data in the last run; a cell's record names what it read.
  std::vector<std::string> data;

  /// Returns the options in every cell's record: "run.device", and the settings except `seeds`,
  /// `confirm.seeds` and `search.widen`. These only count cells, so that more seeds continue a run.
  /// `purpose` is included only for a smoke test, whose base networks are not checked.
  nlohmann::json options() const;
  /// Returns the options of a cell: what it reads (PlannedCell::reads), and "run.device", `metrics`
  /// and `purpose`.
  nlohmann::json options(const std::vector<std::string>& reads) const;
};

/// Lists the folders in `data`, sorted; none for "". UsageError: `data` is not a folder.
std::vector<std::string> sets_in(const std::filesystem::path& data);

records::Store cells_in(const std::filesystem::path& results,
                        records::Damage damage = records::Damage::Refuse);

/// All records of a folder; unreadable ones are skipped, and the store names them. UsageError: as
/// read_description(); a cell of another study or profile than the folder's.
struct FolderRecords {
  records::Store store;
  std::vector<records::Record> records;
};
FolderRecords read_records(const std::filesystem::path& results);

/// Reads run.json. UsageError: no such file (lists known results folders), or one that cannot be
/// read.
RunDescription read_description(const std::filesystem::path& results);
void write_description(const std::filesystem::path& results, const RunDescription& description);

/// Checks that a run fits to the folder. UsageError: the folder has another study, profile or
/// device, or a record with another value of a setting; says which differ.
/// Settings that a record lacks are not compared, nor are those of older records that such a cell
/// no longer reads. `copied`: the folder is what --from names.
void expect_same_run(const std::filesystem::path& results, const RunDescription& description,
                     const std::vector<PlannedCell>& plan = {}, bool copied = false);

/// Copies a results folder to `to`, which is new or empty. If it is such a copy already, nothing is
/// done. UsageError: `to` holds something else.
void copy_results(const std::filesystem::path& from, const std::filesystem::path& to);

/// Lists the results folders below `folder`, which hold a run.json; sorted.
std::vector<std::filesystem::path> results_below(const std::filesystem::path& folder);

/// Lock for changes of a folder's shared files (run.json, preregistered.json, packed files), held
/// as long as it lives. Waits for another holder at most `wait`. UsageError: the other process
/// still holds it (named).
class FolderLock : public FileLock {
 public:
  explicit FolderLock(const std::filesystem::path& results,
                      std::chrono::milliseconds wait = std::chrono::seconds(20));
};

/// Returns the project's folder, if the running binary lies in it; else the current one. runs/ and
/// report/ are below it.
std::filesystem::path project_folder();

/// Returns project_folder()/results/STUDY: the committed results.
std::filesystem::path committed_results(const std::string& study);

/// Returns project_folder()/runs/STUDY/PROFILE.
std::filesystem::path default_results(const std::string& study, const std::string& profile);

}  // namespace reprise::reproduce
