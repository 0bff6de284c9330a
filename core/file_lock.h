// Mutual exclusion of processes by a lock on a file. The system releases it when the process ends,
// even if it is killed.
#pragma once
#include <chrono>
#include <filesystem>
#include <string>

namespace reprise {

/// Description of the locked object, for the error of a second process.
struct LockedThing {
  std::string name;    ///< "runs/prernn/smoke"
  std::string holder;  ///< "another run" in "NAME is in use by HOLDER: process 12 of HOST"
  std::string fix;
};

/// Holds the lock while it lives. Creates the file, whose folder must exist, and removes it at the
/// end.
class FileLock {
 public:
  /// Waits at most `wait` for another process to release the lock. UsageError: it does not (names
  /// it); the file cannot be created, is a link, or is no regular file.
  FileLock(std::filesystem::path file, const LockedThing& thing,
           std::chrono::milliseconds wait = {});
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace reprise
