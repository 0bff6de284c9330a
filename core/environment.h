// What the source tree, the build, the machine and this process are: facts that a run record keeps.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace reprise {

struct SourceState {
  std::string
      commit;  ///< 40 hexadecimal digits; "" where `tree` is not the top of a git checkout, or git is not there
  bool dirty =
      false;  ///< tracked files differ from the commit, or untracked ones that git does not ignore are there
};

/// `tree`: the folder with the project's root CMakeLists.txt. Never throws: a tree without git is a
/// fact, too.
SourceState source_state(const std::filesystem::path& tree);

/// "clang 16.0.6", "gcc 12.2.0": what compiled this binary.
std::string compiler();

/// "Intel(R) Xeon(R) ...", as the kernel names it; the architecture ("aarch64") where it gives no
/// name.
std::string cpu_model();

/// What the machine calls itself on its network; "unknown" where it says nothing.
std::string host_name();

/// The time, in UTC: "2026-11-28T23:35:01Z".
std::string utc_now();

/// Cores this process may use (its affinity), at least 1.
int cores();

/// The line "KEY: N kB" of one of the kernel's text files, in bytes; 0 where there is none.
std::int64_t kernel_bytes(const char* file, const std::string& key);

/// The machine's memory, or the limit of this process's control group when that is less.
std::int64_t memory_bytes();

}  // namespace reprise
