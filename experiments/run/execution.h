// Execution of a run's steps by worker processes, as workers become free and needs are done.
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/run/lease.h"
#include "experiments/run/plan.h"
#include "experiments/run/request.h"
#include "experiments/run/results.h"
#include "experiments/run/stop_signals.h"
#include "experiments/run/worker_process.h"
#include "records/store.h"
#include "training/progress.h"

namespace reprise::reproduce {

/// Returns when the cell's record was last written below cells/; nothing without one.
std::optional<std::filesystem::file_time_type> record_time(const records::Store& store,
                                                           const records::Cell& cell);

class Execution {
 public:
  /// The references must outlive it.
  Execution(const RunRequest& request, const RunDescription& description, int version,
            records::Environment environment, const records::Store& store, std::vector<Step> steps);

  /// Runs all cells. Returns false if a signal ended it earlier.
  bool execute();

  /// Returns the results, one for each step.
  const std::vector<CellResult>& cells() const { return cells_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Slot {
    std::optional<Lease> lease;  ///< released after the worker has ended
    std::unique_ptr<WorkerProcess> worker;
    int step = -1;    ///< position of its step; -1: idle
    int percent = 0;  ///< reported progress
  };

  bool is_waiting(std::size_t step) const {
    return cells_[step].outcome == Outcome::Planned && !started_[step];
  }
  bool is_ready(std::size_t step) const;
  std::optional<std::size_t> failed_need(std::size_t step) const;
  std::optional<Lease> claim(std::size_t step);
  int next_ready(std::optional<Lease>& lease);
  bool assign_work();
  void keep_leases();
  void fail_blocked_cells();
  void wait(const StopSignals& stop) const;
  void read_messages(Slot& slot);
  void take_answers(Slot& slot);
  void fail(std::size_t step, const std::string& error);
  void settle(std::size_t step, Outcome outcome, const std::string& error, double seconds);
  void show_progress();
  std::string waits_for();
  void end_workers();
  records::Record make_record(std::size_t step) const;

  const RunRequest& request_;
  const RunDescription& description_;
  const int version_;  ///< of the study
  const records::Environment environment_;
  const records::Store& store_;
  const std::vector<Step> steps_;
  const nlohmann::json start_message_;
  std::vector<CellResult> cells_;
  std::vector<bool> started_;
  /// Earliest next attempt for each step that another run held.
  std::vector<Clock::time_point> retry_at_;
  std::vector<Slot> slots_;
  std::optional<Clock::time_point> idle_since_;  ///< nothing runs here
  training::Progress progress_;
  double total_cost_ = 0, settled_cost_ = 0;
  std::size_t settled_ = 0;
};

}  // namespace reprise::reproduce
