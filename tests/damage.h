// Damaged files: what a failing disk, a broken transfer or a stranger makes of a good one, and what reading one may do.
#pragma once
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"

#if defined(__SANITIZE_ADDRESS__)
#define REPRISE_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REPRISE_ADDRESS_SANITIZER
#endif
#endif

namespace reprise {

/// The same bytes, cut short somewhere (three in ten), or with one to eight bits flipped.
inline std::string damaged(std::string bytes, Random random) {
  if (random.chance(0.3)) {
    bytes.resize(static_cast<std::size_t>(random.below(static_cast<std::int64_t>(bytes.size()))));
    return bytes;
  }
  for (auto flips = 1 + random.below(8); flips > 0; --flips)
    bytes[random.below(static_cast<std::int64_t>(bytes.size()))] ^=
        static_cast<char>(1 << random.below(8));
  return bytes;
}

/// While it lives, this process can take only so much more address space; beyond that, allocations fail. Under the address sanitizer, whose
/// shadow takes terabytes of it, nothing is limited.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t more) {
    ::getrlimit(RLIMIT_AS, &before_);
#ifndef REPRISE_ADDRESS_SANITIZER
    std::ifstream pages("/proc/self/statm");
    std::int64_t taken = 0;
    pages >> taken;
    rlimit limit = before_;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max,
                                      static_cast<rlim_t>(taken * ::sysconf(_SC_PAGESIZE) + more));
    ::setrlimit(RLIMIT_AS, &limit);
#endif
    (void)more;
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

/// Reads 300 damaged copies of the file `whole`, each put in its place in turn; the file is whole again at the end. Each read gives a
/// value, or throws our Error whose problem() holds `name` (""
/// is the whole path); together they take less than 2 GiB. Returns how many were refused.
template <typename Read>
int read_damaged_copies(const std::filesystem::path& path, const std::string& whole,
                        const Read& read, const std::string& name = "") {
  constexpr std::int64_t most = std::int64_t{2} << 30;
  constexpr int copies = 300;
  const auto put = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  };
  const Random random(seed_of({"damaged", path.filename().string()}));
  const PeakMemory peak;
  const MemoryLimit limit(most);
  int refused = 0;
  for (int copy = 0; copy < copies; ++copy) {
    put(damaged(whole, random.split("copy", copy)));
    try {
      read(path);
    } catch (const Error& error) {
      EXPECT_NE(error.problem().find(name.empty() ? path.string() : name), std::string::npos)
          << "copy " << copy << " is refused without its name: " << error.what();
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "copy " << copy << ": no error of ours: " << error.what();
    }
  }
  EXPECT_LT(peak.bytes(), most);
  put(whole);
  return refused;
}

}  // namespace reprise
