#include "core/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "core/environment.h"
#include "core/error.h"
#include "core/files.h"

namespace reprise {
namespace fs = std::filesystem;
namespace {

/// Opens or creates the file of a lock. UsageError: a link, or the system's reason.
int open_lock(const fs::path& path) {
  // O_NOFOLLOW protects the target of a stranger's link. O_NONBLOCK keeps a named pipe from
  // blocking.
  const int file =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (file >= 0) return file;
  if (errno == ELOOP)
    throw UsageError(path.string() + " is a symbolic link, which cannot be a lock",
                     "remove it, or choose another folder or file for the output");
  throw UsageError("cannot write " + path.string() + ": " + std::strerror(errno),
                   "choose a folder you may write in");
}

/// Text of the holder, ": process 12 of HOST"; "" if it has just ended.
std::string read_holder(const fs::path& path) {
  try {
    const auto holder = read_file(path);
    return holder.empty() ? "" : ": " + holder;
  } catch (const Error&) {
    return "";
  }
}

/// Reason why a file cannot be a lock of this class; "" if there is none.
std::string foreign_reason(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return "no regular file";
  if (status.st_nlink > 1) return "the same file as another one (a hard link)";
  return "";
}

}  // namespace

FileLock::FileLock(fs::path file, const LockedThing& thing, std::chrono::milliseconds wait)
    : path_(std::move(file)) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  for (;;) {
    file_ = open_lock(path_);
    // Without waiting, so that the deadline holds and the error can name the holder.
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      ::close(file_);
      if (std::chrono::steady_clock::now() < deadline) {
        constexpr auto pause = std::chrono::milliseconds(50);
        std::this_thread::sleep_for(pause);
        continue;
      }
      throw UsageError(thing.name + " is in use by " + thing.holder + read_holder(path_),
                       thing.fix);
    }
    // The previous holder removes the file when it ends. A lock on a removed file protects nothing:
    // try again.
    struct stat held {
    }, named{};
    const bool known = ::fstat(file_, &held) == 0;
    if (const auto foreign = known ? foreign_reason(held) : ""; !foreign.empty()) {
      ::close(file_);
      throw UsageError(path_.string() + " is " + foreign + ", so it is no lock",
                       "remove it, or choose another folder or file for the output");
    }
    if (known && ::stat(path_.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
        held.st_dev == named.st_dev)
      break;
    ::close(file_);
  }
  // The text is for the error of a second process only; the lock itself is the system's.
  const std::string holder = "process " + std::to_string(::getpid()) + " of " + host_name();
  if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, holder.data(), holder.size(), 0) < 0) {
    const int reason = errno;
    ::unlink(path_.c_str());
    ::close(file_);
    throw Error("cannot write " + path_.string() + ": " + std::strerror(reason),
                "free some space or choose another folder");
  }
}

FileLock::~FileLock() {
  // Removed before it is closed: after closing, the file may already be the lock of another
  // process.
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace reprise
