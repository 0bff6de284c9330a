// Runs the cells of a study side by side in worker processes.
//
// A cell that is done is skipped; one that failed, was killed or has not run yet is run. What goes wrong in a cell (an exception, a crash,
// the kernel's out-of-memory killer) costs that cell: its record says what happened, cells that need it get a record that says so, the
// others go on. Every worker computes on one thread, so records do not depend on how many there are.
#pragma once
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reproduce/study.h"

namespace reprise::reproduce {

struct RunRequest {
  std::string profile = "quick";
  std::vector<std::string> set;                                    ///< "key=value"
  std::optional<std::int64_t> seeds;                               ///< short for the setting `seeds`
  std::string only = "*";                                          ///< glob over cell ids
  std::filesystem::path data, results;                             ///< `results`: "" is the default folder
  std::string device = "auto";                                     ///< auto, cpu, cuda
  int jobs = 0;                                                    ///< workers; 0: one a core
  std::vector<OutsideMethod> outside = {};                         ///< beside the study's own methods
  bool dry_run = false;                                            ///< plan only; nothing is written
  std::FILE* progress = stderr;                                    ///< nullptr: silent
  std::vector<std::string> worker = {"/proc/self/exe", "worker"};  ///< a program that calls serve_as_worker
};

enum class Outcome { Skipped, Done, Failed, Planned };

struct CellResult {
  records::Cell cell;
  Outcome outcome = Outcome::Planned;
  std::string error;
  double seconds = 0;  ///< what it took; of a planned cell what it is expected to take
};

struct RunResult {
  std::filesystem::path results;
  std::vector<CellResult> cells;  ///< sorted by cell: the chosen ones, and those they need
  double seconds = 0;
  bool interrupted = false;             ///< by SIGINT or SIGTERM: what is done is kept, the rest is Planned
  std::vector<std::string> notes = {};  ///< about methods from outside: seeds without a file, records that went
};

/// The profile's settings with --set and --seeds laid over them. UsageError: unknown profile or key.
Settings settings_of(const Study& study, const RunRequest& request);

/// UsageError: settings or data that do not do; a folder that holds other options; `only` without a match; a folder in use; a method from
/// outside that does not do, or has the name of another.
RunResult run(const Study& study, const RunRequest& request);

}  // namespace reprise::reproduce
