#include "experiments/run/processes.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "core/error.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

/// Files named checkpoint*, from which training resumes (training/checkpoint.h).
std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().filename().string().starts_with("checkpoint")) found.push_back(entry.path());
  return found;
}

/// The cell's record below cells/; nothing where it is missing or cannot be read.
std::optional<records::Record> earlier_record(const records::Store& store,
                                              const records::Cell& cell) {
  try {
    return store.find(cell);
  } catch (const Error&) {  // the cell runs again and replaces it
    return std::nullopt;
  }
}

}  // namespace

void close_killed_process(const records::Store& store, records::Record& record) {
  if (record.status != records::Status::Running || record.processes.empty()) return;
  // The record itself was written as the process started. Both times are of the file system's
  // clock.
  const auto folder = store.folder(record.cell);
  std::error_code none;
  const auto start = fs::last_write_time(folder / "record.json", none);
  if (none) return;
  // The last file that the killed process wrote bounds its time from below.
  auto last = start;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const auto written = fs::last_write_time(entry.path(), none);
    if (!none) last = std::max(last, written);
  }
  record.processes.back().seconds = std::chrono::duration<double>(last - start).count();
}

std::vector<records::Process> resume_processes(const records::Store& store,
                                               const records::Record& record) {
  const auto checkpoints = checkpoints_in(store.folder(record.cell));
  if (checkpoints.empty()) return {};
  auto earlier = earlier_record(store, record.cell);
  if (!earlier || earlier->status == records::Status::Done) return {};
  // A checkpoint of another version is no start for this one.
  if (earlier->version != record.version) {
    for (const auto& file : checkpoints) fs::remove(file);
    return {};
  }
  close_killed_process(store, *earlier);
  return earlier->processes;
}

}  // namespace reprise::reproduce
