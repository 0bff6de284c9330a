// One process alone: a lock on a file, which the system gives back when its holder ends, killed or
// not.
#pragma once
#include <chrono>
#include <filesystem>
#include <string>

namespace reprise {

/// What is locked, for the error of a process that comes second.
struct LockedThing {
  std::string name;  ///< "runs/prernn/smoke"
  std::string
      holder;  ///< "another run": the message is "NAME is in use by HOLDER: process 12 of HOST"
  std::string fix;
};

/// Holds the lock as long as it lives; the file is made for it and removed at the end. Its folder
/// must be there.
class FileLock {
 public:
  /// Waits for another process that holds the lock, at most `wait`. UsageError: it still does
  /// (named); the file cannot be made; it is a link or no regular file, which no lock is.
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
