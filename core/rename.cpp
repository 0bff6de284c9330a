#include "core/rename.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace reprise {
namespace {

/// Whether an error of a network file system can be temporary.
bool is_temporary(int reason) {
  return reason == ESTALE || reason == EIO || reason == EINTR || reason == EBUSY;
}

}  // namespace

std::error_code rename_with_retries(const std::filesystem::path& from,
                                    const std::filesystem::path& to,
                                    int (*rename)(const char*, const char*)) {
  constexpr int tries = 3;
  constexpr auto pause = std::chrono::milliseconds(100);  // longer after each try
  struct stat before {
  }, after{};
  const bool known = ::stat(from.c_str(), &before) == 0;
  for (int number = 1;; ++number) {
    if (rename(from.c_str(), to.c_str()) == 0) return {};
    const int reason = errno;
    // The rename may have happened on the server although a failure was reported. Then `to` is the
    // file that `from` was.
    const bool done = known && ::stat(to.c_str(), &after) == 0 && before.st_ino == after.st_ino &&
                      before.st_dev == after.st_dev;
    if (done) return {};
    if (number == tries || !is_temporary(reason)) return {reason, std::generic_category()};
    std::this_thread::sleep_for(number * pause);
  }
}

}  // namespace reprise
