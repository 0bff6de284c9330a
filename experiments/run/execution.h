// One run's steps, given out to worker processes as they become free and as what they need gets
// done. Other runs may work on the same folder:
// a cell is leased while it runs (lease.h), one that another run holds is waited for, and what
// another finished since this one began counts.
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

/// When the cell's record was last written below cells/; nothing where none is.
std::optional<std::filesystem::file_time_type> written_at(const records::Store& store,
                                                          const records::Cell& cell);

class Execution {
 public:
  /// The references must outlive it.
  Execution(const RunRequest& request, const RunDescription& description, int version,
            records::Environment environment, const records::Store& store, std::vector<Step> steps);

  /// Returns false when a signal ended it before all cells had run.
  bool execute();

  /// One for each step.
  const std::vector<CellResult>& cells() const { return cells_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Slot {
    std::optional<Lease> lease;  ///< given back after the worker has ended
    std::unique_ptr<WorkerProcess> worker;
    int step = -1;    ///< what it runs; -1: nothing
    int percent = 0;  ///< how far it says it is
  };

  bool waits(std::size_t step) const {
    return cells_[step].outcome == Outcome::Planned && !started_[step];
  }
  bool ready(std::size_t step) const;
  std::optional<std::size_t> failed_need(std::size_t step) const;
  std::optional<Lease> claim(std::size_t step);
  int next_ready(std::optional<Lease>& lease);
  bool give_out_work();
  void keep_leases();
  void fail_the_hopeless();
  void wait(const StopSignals& stop) const;
  void hear(Slot& slot);
  void take_answers(Slot& slot);
  void fail(std::size_t step, const std::string& error);
  void settle(std::size_t step, Outcome outcome, const std::string& error, double seconds);
  void show();
  std::string waits_for();
  void end_workers();
  records::Record record_of(std::size_t step) const;

  const RunRequest& request_;
  const RunDescription& description_;
  const int version_;  ///< of the study
  const records::Environment environment_;
  const records::Store& store_;
  const std::vector<Step> steps_;
  const nlohmann::json start_message_;
  std::vector<CellResult> cells_;
  std::vector<bool> started_;
  std::vector<Clock::time_point> look_again_;  ///< for each step: another run held it; not before
  std::vector<Slot> slots_;
  std::optional<Clock::time_point> idle_since_;  ///< nothing runs here
  training::Progress progress_;
  double total_cost_ = 0, settled_cost_ = 0;
  std::size_t settled_ = 0;
};

}  // namespace reprise::reproduce
