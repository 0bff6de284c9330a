// A results folder: what one run of a study with one set of options left.
//
//     RESULTS/preregistered.json                         which comparisons were registered, and which seeds had been seen then (records/claims/registry.h)
//     RESULTS/run.json                                   study, profile, options: report, check and compare need only the folder
//     RESULTS/cells/TABLE/DATASET/METHOD/seedN/          a cell's record, curves and files (records::Store)
//     RESULTS/records/TABLE.jsonl.gz                     cells that were packed (records/packed.h); a run adds to them, below cells/
//     RESULTS/index.html, tables/, figures/, claims.md   the report, unless it is asked for elsewhere
//     RESULTS/.lock                                      held while a run changes these
//     RESULTS/.leases/                                   which process runs which cell (lease.h)
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

/// What run.json holds.
struct RunDescription {
  std::string study, profile;
  std::string base = profile;                          ///< the study's profile beneath one's own
  nlohmann::json settings = nlohmann::json::object();  ///< all of them, flat
  std::string device;                                  ///< "cpu" or "cuda"
  /// Names of the sets in --data when it ran last; what a cell read is in its record.
  std::vector<std::string> data;

  /// What every cell's record keeps: the settings but `seeds`, `confirm.seeds` and `search.widen`
  /// (how many cells there are, not what one does; --seeds 10 continues a run of 5), with
  /// "run.device". `purpose` is there for a smoke test alone, whose base networks are not checked.
  nlohmann::json options() const;
  /// Of these, what a cell reads (PlannedCell::reads), and what every cell does: "run.device",
  /// `metrics` and `purpose`.
  nlohmann::json options(const std::vector<std::string>& reads) const;
};

/// Names of the folders in `data`, sorted; none for "". UsageError: `data` is not a folder.
std::vector<std::string> sets_in(const std::filesystem::path& data);

records::Store cells_in(const std::filesystem::path& results,
                        records::Damage damage = records::Damage::Refuse);

/// All records of a folder. What cannot be read is passed over, and the store names it. UsageError:
/// as read_description(); a cell of another study or profile than the folder's.
struct FolderRecords {
  records::Store store;
  std::vector<records::Record> records;
};
FolderRecords read_records(const std::filesystem::path& results);

/// UsageError: no run.json there (lists the results folders that are known below it or beside it),
/// or one that cannot be read.
RunDescription read_description(const std::filesystem::path& results);
void write_description(const std::filesystem::path& results, const RunDescription& description);

/// UsageError: the folder holds already a run of another study, profile or device, or a record with
/// another value of a setting; says which differ. Settings that a record does not hold are not
/// asked for: its cell does not read them, or they came later than it. Nor are those that older
/// records hold and the plan says such a cell does not read. `copied`: the folder is what --from
/// names.
void expect_same_run(const std::filesystem::path& results, const RunDescription& description,
                     const std::vector<PlannedCell>& plan = {}, bool copied = false);

/// Copies a results folder to `to`, which is new, empty, or such a copy already: then nothing is
/// done. UsageError: `to` holds something else.
void copy_results(const std::filesystem::path& from, const std::filesystem::path& to);

/// Results folders below `folder`: those that hold a run.json; sorted.
std::vector<std::filesystem::path> results_below(const std::filesystem::path& folder);

/// Held as long as it lives: who changes what all of a folder share (run.json, preregistered.json,
/// packed files) is alone. Waits for another process that holds it, at most so long. UsageError: it
/// still does (named).
class FolderLock : public FileLock {
 public:
  explicit FolderLock(const std::filesystem::path& results,
                      std::chrono::milliseconds wait = std::chrono::seconds(20));
};

/// The project's folder, when the running binary lies in it; else the current one. runs/ and
/// report/ are below it.
std::filesystem::path project_folder();

/// project_folder()/results/STUDY: those that come with the project.
std::filesystem::path committed_results(const std::string& study);

/// project_folder()/runs/STUDY/PROFILE.
std::filesystem::path default_results(const std::string& study, const std::string& profile);

}  // namespace reprise::reproduce
