// Re-runs committed cells at their exact committed settings, each in its own process and scratch
// folder. Every value is compared with the committed one.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/rerun/comparison.h"
#include "experiments/rerun/plan.h"
#include "records/record.h"

namespace reprise::reproduce {

struct RerunRequest {
  /// Wall time: a cell that would end later does not start; nothing: no limit.
  std::optional<double> minutes = 3;
  int jobs = 2;                     ///< worker processes, one thread each
  std::filesystem::path data = {};  ///< folder of data sets; "" where none is given
  std::vector<std::string> worker = {"/proc/self/exe", "worker"};
};

/// A cell that was re-run, or that failed.
struct RerunOutcome {
  records::Cell cell;
  bool from_checkpoint = false;
  bool trained = false;  ///< whether its record has times of a training
  std::string error;     ///< cause of a failure; "" without one
  Comparison comparison{};
  double seconds = 0, committed_seconds = 0;
};

struct RerunResult {
  std::vector<RerunOutcome> cells;  ///< in the order in which they ended
  std::size_t not_started = 0;      ///< cells without time, or whose needs failed
  double seconds = 0;
  bool interrupted = false;  ///< by a signal
};

/// Describes build, machine and platform for a record of this program.
records::Environment environment_here(const std::string& device);

/// Runs the tasks in their order, as soon as a worker is free and their needs are done. Calls
/// `report` when one ends. UsageError: a device that this machine lacks. Error: a worker that
/// cannot be started.
RerunResult rerun(const std::vector<Committed>& committed, const std::vector<RerunTask>& tasks,
                  const RerunRequest& request,
                  const std::function<void(const RerunOutcome&)>& report = {});

std::size_t count(const RerunResult& result, Agreement agreement);
std::size_t count_failed(const RerunResult& result);

}  // namespace reprise::reproduce
