#include "experiments/run/execution.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "core/environment.h"
#include "core/error.h"
#include "experiments/run/messages.h"
#include "experiments/run/processes.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;
using records::Status;

/// Time for workers to end: after a signal, and for those that train together.
constexpr auto grace = std::chrono::seconds(2);
constexpr auto leave = std::chrono::seconds(20);

json start_message(const RunRequest& request, const RunDescription& description,
                   const records::Store& store) {
  return {{"study", description.study},
          {"settings", description.settings},
          {"data", path_json(request.data.empty() ? "" : std::filesystem::absolute(request.data))},
          {"device", description.device},
          {"results", path_json(store.results())},
          {"together", request.alone}};
}

}  // namespace

std::optional<std::filesystem::file_time_type> record_time(const records::Store& store,
                                                           const records::Cell& cell) {
  std::error_code none;
  const auto time = std::filesystem::last_write_time(store.folder(cell) / "record.json", none);
  return none ? std::nullopt : std::optional(time);
}

Execution::Execution(const RunRequest& request, const RunDescription& description, int version,
                     records::Environment environment, const records::Store& store,
                     std::vector<Step> steps)
    : request_(request),
      description_(description),
      version_(version),
      environment_(std::move(environment)),
      store_(store),
      steps_(std::move(steps)),
      start_message_(start_message(request, description, store)),
      started_(steps_.size(), false),
      retry_at_(steps_.size()),
      progress_(request.progress, description.study) {
  for (const auto& step : steps_) {
    // Its dependents must fail too, so the cell stays in the list.
    if (!step.failure.empty()) {
      cells_.push_back(
          {.cell = step.planned.cell, .outcome = Outcome::Failed, .error = step.failure});
      ++settled_;
      continue;
    }
    cells_.push_back({.cell = step.planned.cell,
                      .outcome = Outcome::Planned,
                      .error = "",
                      .seconds = step.planned.cost});
    total_cost_ += step.planned.cost;
  }
}

bool Execution::execute() {
  const StopSignals stop;
  const auto jobs = static_cast<std::size_t>(request_.jobs > 0 ? request_.jobs : cores());
  // More workers than cells would idle.
  slots_.resize(std::min(jobs, steps_.size()));
  for (;;) {
    const bool left = assign_work();
    if (!left &&
        std::none_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.step >= 0; }))
      break;
    show_progress();
    wait(stop);
    if (stop.came()) {
      end_workers();
      return false;
    }
    for (auto& slot : slots_) read_messages(slot);
    keep_leases();
  }
  for (auto& slot : slots_)
    // Processes that train together leave their group in order; others are killed when idle.
    if (request_.alone && slot.worker) slot.worker->let_end(leave);
  return true;
}

records::Record Execution::make_record(std::size_t step) const {
  records::Record record;
  record.cell = steps_[step].planned.cell;
  record.profile = description_.profile;
  record.version = version_;
  record.options = description_.options(steps_[step].planned.reads);
  if (const auto& file = steps_[step].planned.file)
    record.options.edit().update(method_options(*file));
  record.environment = environment_;
  return record;
}

bool Execution::is_ready(std::size_t step) const {
  const auto stands = [&](std::size_t need) {
    return cells_[need].outcome == Outcome::Done || cells_[need].outcome == Outcome::Skipped;
  };
  return is_waiting(step) && !steps_[step].waits_for_trials &&
         std::all_of(steps_[step].needs.begin(), steps_[step].needs.end(), stands);
}

/// Takes the cell's lease. Nothing if another run holds it, or held it a moment ago. Nothing either
/// if another run has settled the cell since this one began; then it is settled here too.
std::optional<Lease> Execution::claim(std::size_t step) {
  // Time between two attempts at a cell that another run holds.
  constexpr auto pause = std::chrono::seconds(1);
  // The pause after the last attempt has not passed yet.
  if (Clock::now() < retry_at_[step]) return std::nullopt;
  std::optional<Lease> lease;
  try {
    lease = Lease::take(store_.results(), cells_[step].cell.id());
  } catch (const UsageError&) {
    throw;
  } catch (const Error& reason) {
    // A lease that cannot be written fails only this cell.
    settle(step, Outcome::Failed, reason.what(), 0);
    return std::nullopt;
  }
  if (!lease) {
    retry_at_[step] = Clock::now() + pause;
    return std::nullopt;
  }
  // The cell may have been finished by another run since this one began.
  const auto written = record_time(store_, cells_[step].cell);
  if (!written || written == steps_[step].written) return lease;
  const auto record = store_.find(cells_[step].cell);
  if (!record || record->status == Status::Running) return lease;  // of a run that was killed
  settle(step, record->status == Status::Done ? Outcome::Skipped : Outcome::Failed, record->error,
         0);
  return std::nullopt;
}

/// Position of the next cell that can start, and its lease; -1 if there is none.
int Execution::next_ready(std::optional<Lease>& lease) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (is_ready(i)) lease = claim(i);
    if (lease) return static_cast<int>(i);
  }
  return -1;
}

/// Returns whether cells that could be settled are left: all workers are busy, or other runs hold
/// them.
bool Execution::assign_work() {
  fail_blocked_cells();
  if (request_.until && Clock::now() >= *request_.until) return false;
  for (auto& slot : slots_) {
    if (slot.step >= 0) continue;
    const int next = next_ready(slot.lease);
    // No other slot could find a cell either.
    if (next < 0) break;
    if (!slot.worker) {
      slot.worker = std::make_unique<WorkerProcess>(request_.worker);
      slot.worker->send(start_message_);
    }
    slot.step = next;
    slot.percent = 0;
    started_[static_cast<std::size_t>(next)] = true;
    const auto& file = steps_[static_cast<std::size_t>(next)].planned.file;
    slot.worker->send({{"record", records::to_json(make_record(static_cast<std::size_t>(next)))},
                       {"file", path_json(file ? std::filesystem::absolute(file->path) : "")}});
  }
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (is_ready(i) || (is_waiting(i) && failed_need(i))) return true;
  return false;
}

/// Renews the leases. Gives up cells that another run took over after this one's lease timed out.
void Execution::keep_leases() {
  for (auto& slot : slots_) {
    if (!slot.lease || slot.lease->renew()) continue;
    const auto step = static_cast<std::size_t>(slot.step);
    // The destructor kills the worker, so that it writes no more into the cell of the other run.
    slot.worker.reset();
    slot.lease.reset();
    slot.step = -1;
    started_[step] = false;
  }
}

/// Returns a need that failed; nothing if all may still finish.
std::optional<std::size_t> Execution::failed_need(std::size_t step) const {
  const auto& needs = steps_[step].needs;
  const auto found = std::find_if(needs.begin(), needs.end(), [&](std::size_t need) {
    return cells_[need].outcome == Outcome::Failed;
  });
  return found == needs.end() ? std::nullopt : std::optional(*found);
}

/// Fails the cells whose needs failed. Steps come after their needs, so one pass settles a chain.
void Execution::fail_blocked_cells() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto need = is_waiting(i) ? failed_need(i) : std::nullopt;
    if (!need) continue;
    // Under the lease, because another run may settle the same cell.
    if (const auto lease = claim(i))
      fail(i, "needs " + cells_[*need].cell.id() +
                  ", which failed\n  fix: read the error in that cell's record, then run again");
  }
}

void Execution::wait(const StopSignals& stop) const {
  std::vector<pollfd> files{{stop.file(), POLLIN, 0}};
  for (const auto& slot : slots_)
    if (slot.worker) {
      files.push_back({slot.worker->messages(), POLLIN, 0});
      files.push_back({slot.worker->output(), POLLIN, 0});
    }
  if (::poll(files.data(), files.size(), 1000) < 0 && errno != EINTR)
    throw Error(std::string("cannot wait for the workers: ") + std::strerror(errno),
                "run the study again; what is done is kept");
}

void Execution::take_answers(Slot& slot) {
  for (const auto& line : slot.worker->receive()) {
    // A worker without a cell has nothing to report.
    if (slot.step < 0) continue;
    if (!line.starts_with('{')) {
      if (line.find('%') != std::string::npos)
        slot.percent = std::clamp(std::atoi(line.c_str()), 0, 100);
      continue;
    }
    const json answer = read_message(line);
    const auto outcome = answer.at("status") == "done" ? Outcome::Done : Outcome::Failed;
    settle(static_cast<std::size_t>(slot.step), outcome, answer.at("error"), answer.at("seconds"));
    slot.step = -1;
    slot.lease.reset();
  }
}

void Execution::read_messages(Slot& slot) {
  if (!slot.worker) return;
  take_answers(slot);
  if (!slot.worker->has_ended()) return;
  // It ended without an answer: a crash, a signal, or a failure before the first cell.
  const std::string how = slot.worker->how_it_ended();
  slot.worker.reset();
  if (slot.step >= 0)
    fail(static_cast<std::size_t>(slot.step),
         "its process was " + how + "\n  fix: run again; fewer --jobs need less memory");
  slot.step = -1;
  slot.lease.reset();
}

void Execution::fail(std::size_t step, const std::string& error) {
  // A record marked as running holds what the cell had recorded before its process ended.
  auto record = store_.find(cells_[step].cell).value_or(make_record(step));
  if (record.status == Status::Running)
    close_killed_process(store_, record);
  else
    record = make_record(step);
  record.status = Status::Failed;
  record.error = error;
  auto reported = error;
  try {
    store_.write(record);
  } catch (const Error& reason) {
    reported += std::string("; its record cannot be written: ") + reason.what();
  }
  settle(step, Outcome::Failed, reported, 0);
}

void Execution::settle(std::size_t step, Outcome outcome, const std::string& error,
                       double seconds) {
  cells_[step].outcome = outcome;
  cells_[step].error = error;
  cells_[step].seconds = seconds;
  settled_cost_ += steps_[step].planned.cost;
  ++settled_;
  if (outcome == Outcome::Failed)
    progress_.done("cell " + cells_[step].cell.id() + " failed: " + error);
}

void Execution::show_progress() {
  double cost = settled_cost_;
  std::string now;
  for (const auto& slot : slots_) {
    if (slot.step < 0) continue;
    const auto& planned = steps_[static_cast<std::size_t>(slot.step)].planned;
    cost += planned.cost * slot.percent / 100;
    if (slots_.size() <= 2) now += fmt::format(" | {} {}%", planned.cell.id(), slot.percent);
  }
  progress_.update(total_cost_ > 0 ? cost / total_cost_ : 0,
                   fmt::format("{}/{} cells{}{}", settled_, steps_.size(), now, waits_for()));
}

/// Names the holder of a remaining cell, and since when, if nothing runs here.
std::string Execution::waits_for() {
  // Short waits are not worth a message.
  constexpr auto patience = std::chrono::seconds(5);
  if (std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.step >= 0; })) {
    idle_since_.reset();
    return "";
  }
  if (!idle_since_) idle_since_ = Clock::now();
  if (!request_.progress || Clock::now() - *idle_since_ < patience) return "";
  for (const auto& holder : holders(store_.results()))
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (is_waiting(i) && cells_[i].cell.id() == holder.cell)
        return fmt::format(" | waits for {}, which process {} of {} holds since {}", holder.cell,
                           holder.process, holder.host, holder.since);
  return "";
}

void Execution::end_workers() {
  const auto runs = [](const Slot& slot) { return slot.worker && !slot.worker->has_ended(); };
  for (const auto& slot : slots_)
    if (runs(slot)) slot.worker->signal(SIGTERM);
  const auto start = std::chrono::steady_clock::now();
  while (std::any_of(slots_.begin(), slots_.end(), runs) &&
         std::chrono::steady_clock::now() - start < grace) {
    std::vector<pollfd> files;
    for (const auto& slot : slots_)
      if (runs(slot)) files.push_back({slot.worker->messages(), POLLIN, 0});
    ::poll(files.data(), files.size(), 100);
    // A cell that finishes now counts. An unfinished one has not failed: it runs again next time.
    for (auto& slot : slots_)
      if (runs(slot)) take_answers(slot);
  }
  slots_.clear();  // what still runs is killed
}

}  // namespace reprise::reproduce
