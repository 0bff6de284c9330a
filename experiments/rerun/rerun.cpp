#include "experiments/rerun/rerun.h"

#include <fmt/format.h>
#include <poll.h>
#include <torch/version.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "experiments/arithmetic.h"
#include "experiments/rerun/scratch.h"
#include "experiments/run/device.h"
#include "experiments/run/messages.h"
#include "experiments/run/stop_signals.h"
#include "experiments/run/worker_process.h"
#include "records/environment.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;
using records::Record;
using records::Status;

/// Seconds to start a worker and to fill its scratch folder.
constexpr double start_up = 1;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the committed records of a table, which give the spread over seeds.
std::vector<Record> records_of_table(const Committed& committed, const std::string& table) {
  std::vector<Record> found;
  for (const auto& [id, record] : committed.records)
    if (record->cell.table == table) found.push_back(*record);
  return found;
}

class Rerunning {
 public:
  Rerunning(const std::vector<Committed>& committed, const std::vector<RerunTask>& tasks,
            const RerunRequest& request, const std::function<void(const RerunOutcome&)>& report)
      : committed_(committed),
        tasks_(tasks),
        request_(request),
        report_(report),
        states_(tasks.size(), State::Waiting),
        users_(tasks.size(), 0) {
    for (const auto& task : tasks)
      // The files of a cell are deleted when this count reaches 0.
      for (const auto need : task.needs) ++users_[need];
    for (const auto& one : committed) {
      devices_.push_back(choose_device(one.description.device));
      environments_.push_back(environment_here(devices_.back()));
    }
  }

  RerunResult execute();

 private:
  enum class State { Waiting, Running, Done, Lost };

  /// A worker process and its scratch folder, both for one cell.
  struct Slot {
    std::size_t task = 0;
    std::unique_ptr<TemporaryFolder> scratch;
    std::unique_ptr<WorkerProcess> worker;  ///< nullptr: free
  };

  const Committed& find_committed(std::size_t task) const { return committed_[tasks_[task].study]; }
  const Record& committed_record(std::size_t task) const {
    return *find_committed(task).records.at(tasks_[task].cell);
  }
  fs::path kept_folder(std::size_t task) const {
    return kept_.path() / find_committed(task).study.name;
  }

  bool fits(std::size_t task) const;
  bool is_ready(std::size_t task) const;
  void drop_blocked();
  std::optional<std::size_t> next_task();
  void assign_work();
  void start(Slot& slot, std::size_t task);
  void wait(const StopSignals& stop) const;
  void read_messages(Slot& slot);
  void end(Slot& slot, const std::string& error);
  RerunOutcome compare(const Slot& slot);
  void keep_or_drop(const Slot& slot);
  void release_needs(std::size_t task);

  const std::vector<Committed>& committed_;
  const std::vector<RerunTask>& tasks_;
  const RerunRequest& request_;
  const std::function<void(const RerunOutcome&)>& report_;
  std::vector<State> states_;
  std::vector<std::size_t> users_;  ///< tasks that still need a task's files
  std::vector<std::string> devices_;
  std::vector<records::Environment> environments_;
  std::vector<Slot> slots_;
  TemporaryFolder kept_;  ///< STUDY/cells/...: folders of re-run cells that others need
  RerunResult result_;
  Clock::time_point start_ = Clock::now();
  double expected_ = 0, measured_ = 0;  ///< seconds of the cells that ended, as committed and here
};

/// Whether the cell would end within the time limit, at the pace of the cells so far.
bool Rerunning::fits(std::size_t task) const {
  if (!request_.minutes) return true;
  // This machine's speed relative to the committed times, from the cells that ended.
  const double pace = expected_ > 0 ? measured_ / expected_ : 1;
  return seconds_since(start_) + start_up + pace * tasks_[task].seconds <= *request_.minutes * 60;
}

bool Rerunning::is_ready(std::size_t task) const {
  const auto& needs = tasks_[task].needs;
  return states_[task] == State::Waiting &&
         std::all_of(needs.begin(), needs.end(),
                     [&](std::size_t need) { return states_[need] == State::Done; });
}

/// Marks cells that need a lost cell as lost. A need may come after its user in the list, so this
/// repeats until nothing changes.
void Rerunning::drop_blocked() {
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const auto& needs = tasks_[i].needs;
      if (states_[i] != State::Waiting ||
          std::none_of(needs.begin(), needs.end(),
                       [&](std::size_t need) { return states_[need] == State::Lost; }))
        continue;
      states_[i] = State::Lost;
      ++result_.not_started;
      release_needs(i);
      more = true;
    }
  }
}

/// Finds the next ready cell. Ready cells that no longer fit into the time are lost.
std::optional<std::size_t> Rerunning::next_task() {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (!is_ready(i)) continue;
    if (fits(i)) return i;
    states_[i] = State::Lost;
    ++result_.not_started;
    release_needs(i);
  }
  return std::nullopt;
}

void Rerunning::assign_work() {
  for (auto& slot : slots_)
    while (!slot.worker) {
      drop_blocked();
      const auto task = next_task();
      if (!task) break;
      start(slot, *task);  // a cell whose checkpoint is missing ends at once
    }
  drop_blocked();
}

void Rerunning::start(Slot& slot, std::size_t task) {
  slot.task = task;
  slot.scratch = std::make_unique<TemporaryFolder>();
  states_[task] = State::Running;
  const auto& committed = find_committed(task);
  try {
    std::vector<std::string> before;
    // A cell may also read the files from which its needs started, such as the network of a table's
    // features.
    std::set<std::string> checkpoint(tasks_[task].checkpoint.begin(),
                                     tasks_[task].checkpoint.end());
    for (const auto need : tasks_[task].needs) {
      before.push_back(tasks_[need].cell);
      checkpoint.insert(tasks_[need].checkpoint.begin(), tasks_[need].checkpoint.end());
    }
    fill_scratch(committed, tasks_[task].cell, {checkpoint.begin(), checkpoint.end()}, before,
                 kept_folder(task), slot.scratch->path());
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    return end(slot, error.what());
  }
  Record record;
  record.cell = committed_record(task).cell;
  record.profile = committed_record(task).profile;
  record.options = committed.options(tasks_[task].cell);
  record.environment = environments_[tasks_[task].study];
  slot.worker = std::make_unique<WorkerProcess>(request_.worker);
  slot.worker->send(
      {{"study", committed.study.name},
       {"settings", committed.settings.all()},
       {"data", path_json(request_.data.empty() ? fs::path() : fs::absolute(request_.data))},
       {"device", devices_[tasks_[task].study]},
       {"results", path_json(slot.scratch->path())},
       {"together", false}});
  slot.worker->send({{"record", records::to_json(record)}, {"file", path_json("")}});
}

void Rerunning::wait(const StopSignals& stop) const {
  std::vector<pollfd> files{{stop.file(), POLLIN, 0}};
  for (const auto& slot : slots_)
    if (slot.worker) {
      files.push_back({slot.worker->messages(), POLLIN, 0});
      files.push_back({slot.worker->output(), POLLIN, 0});
    }
  constexpr int most_milliseconds = 1000;
  if (::poll(files.data(), files.size(), most_milliseconds) < 0 && errno != EINTR)
    throw Error(std::string("cannot wait for the workers: ") + std::strerror(errno),
                "run the same command again");
}

void Rerunning::read_messages(Slot& slot) {
  if (!slot.worker) return;
  for (const auto& line : slot.worker->receive()) {
    if (!line.starts_with('{')) continue;  // progress
    const json answer = read_message(line);
    return end(slot, answer.at("status") == "done" ? "" : answer.at("error").get<std::string>());
  }
  if (slot.worker->has_ended()) end(slot, "its process was " + slot.worker->how_it_ended());
}

RerunOutcome Rerunning::compare(const Slot& slot) {
  const auto& committed = find_committed(slot.task);
  const auto& before = committed_record(slot.task);
  const auto store = cells_in(slot.scratch->path());
  const auto now = store.find(before.cell);
  if (!now)
    throw Error(before.cell.id() + " ended and left no record", "run the same command again");
  const CellValues measured{.record = *now, .curves = store.curves(before.cell)};
  return {.cell = before.cell,
          .from_checkpoint = !tasks_[slot.task].checkpoint.empty(),
          // Only a training has one of these phases.
          .trained = now->seconds.contains("backward") || now->seconds.contains("generator"),
          .error = "",
          .comparison = compare_cells(
              {.record = before, .curves = committed.store.curves(before.cell)}, measured,
              committed.shown_metric(before.cell),
              // Bands are needed only if equal bits are not expected.
              bits_are_expected(before, *now) ? std::vector<Record>()
                                              : records_of_table(committed, before.cell.table)),
          .seconds = records::total_seconds(*now),
          .committed_seconds = records::total_seconds(before)};
}

/// Keeps the files of a cell as long as an unfinished cell needs them.
void Rerunning::keep_or_drop(const Slot& slot) {
  if (users_[slot.task] == 0) return;
  const auto& cell = tasks_[slot.task].cell;
  const auto to = kept_folder(slot.task) / "cells" / cell;
  fs::create_directories(to.parent_path());
  // Both folders are temporary ones of this process, on one file system.
  fs::rename(slot.scratch->path() / "cells" / cell, to);
}

void Rerunning::release_needs(std::size_t task) {
  for (const auto need : tasks_[task].needs)
    if (--users_[need] == 0 && states_[need] == State::Done)
      fs::remove_all(kept_folder(need) / "cells" / tasks_[need].cell);
}

void Rerunning::end(Slot& slot, const std::string& error) {
  RerunOutcome outcome{.cell = committed_record(slot.task).cell,
                       .from_checkpoint = !tasks_[slot.task].checkpoint.empty(),
                       .error = error};
  if (error.empty()) try {
      outcome = compare(slot);
    } catch (const Error& reason) {
      outcome.error = reason.what();
    }
  states_[slot.task] = outcome.error.empty() ? State::Done : State::Lost;
  if (outcome.error.empty()) {
    keep_or_drop(slot);
    expected_ += tasks_[slot.task].seconds;
    measured_ += outcome.seconds;
  }
  release_needs(slot.task);
  slot.worker.reset();
  slot.scratch.reset();
  result_.cells.push_back(outcome);
  if (report_) report_(outcome);
}

RerunResult Rerunning::execute() {
  const StopSignals stop;
  slots_.resize(static_cast<std::size_t>(std::max(request_.jobs, 1)));
  for (;;) {
    assign_work();
    // Nothing runs, and nothing more can start.
    if (std::none_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.worker != nullptr; }))
      break;
    wait(stop);
    if (stop.came()) {
      result_.interrupted = true;
      break;
    }
    for (auto& slot : slots_) read_messages(slot);
  }
  slots_.clear();  // what still runs is killed
  result_.seconds = seconds_since(start_);
  return std::move(result_);
}

}  // namespace

records::Environment environment_here(const std::string& device) {
  const auto gpu = gpu_model(device);
  return records::describe_environment(project_folder(), TORCH_VERSION, gpu,
                                       arithmetic_fingerprint(gpu, 1), 1);
}

RerunResult rerun(const std::vector<Committed>& committed, const std::vector<RerunTask>& tasks,
                  const RerunRequest& request,
                  const std::function<void(const RerunOutcome&)>& report) {
  return Rerunning(committed, tasks, request, report).execute();
}

std::size_t count(const RerunResult& result, Agreement agreement) {
  return static_cast<std::size_t>(
      std::count_if(result.cells.begin(), result.cells.end(), [&](const RerunOutcome& outcome) {
        return outcome.error.empty() && outcome.comparison.agreement == agreement;
      }));
}

std::size_t count_failed(const RerunResult& result) {
  return static_cast<std::size_t>(
      std::count_if(result.cells.begin(), result.cells.end(),
                    [](const RerunOutcome& outcome) { return !outcome.error.empty(); }));
}

}  // namespace reprise::reproduce
