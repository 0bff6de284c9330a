// One run's steps, given out to worker processes as they become free and as what they need gets done.
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "records/store.h"
#include "reproduce/run/plan.h"
#include "reproduce/run/results.h"
#include "reproduce/run/runner.h"
#include "reproduce/run/stop_signals.h"
#include "reproduce/run/worker_process.h"
#include "training/progress.h"

namespace reprise::reproduce {

class Execution {
 public:
  /// The references must outlive it.
  Execution(const RunRequest& request, const RunDescription& description, records::Environment environment, const records::Store& store,
            std::vector<Step> steps);

  /// Returns false when a signal ended it before all cells had run.
  bool execute();

  /// One for each step.
  const std::vector<CellResult>& cells() const { return cells_; }

 private:
  struct Slot {
    std::unique_ptr<WorkerProcess> worker;
    int step = -1;    ///< what it runs; -1: nothing
    int percent = 0;  ///< how far it says it is
  };

  bool waits(std::size_t step) const { return cells_[step].outcome == Outcome::Planned && !started_[step]; }
  int next_ready() const;
  void give_out_work();
  void fail_the_hopeless();
  void wait(const StopSignals& stop) const;
  void hear(Slot& slot);
  void take_answers(Slot& slot);
  void fail(std::size_t step, const std::string& error);
  void settle(std::size_t step, Outcome outcome, const std::string& error, double seconds);
  void show();
  void end_workers();
  records::Record record_of(std::size_t step) const;

  const RunRequest& request_;
  const RunDescription& description_;
  const records::Environment environment_;
  const records::Store& store_;
  const std::vector<Step> steps_;
  const nlohmann::json start_message_;
  std::vector<CellResult> cells_;
  std::vector<bool> started_;
  std::vector<Slot> slots_;
  training::Progress progress_;
  double total_cost_ = 0, settled_cost_ = 0;
  std::size_t settled_ = 0;
};

}  // namespace reprise::reproduce
