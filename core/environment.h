// Metadata for the record of a run: the source tree, the build, the machine and this process.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace reprise {

struct SourceState {
  std::string commit;  ///< 40 hexadecimal digits; "" outside the top of a git checkout
  bool dirty = false;  ///< there are changed files, or untracked ones that git does not ignore
};

/// State of the project in the folder `tree`. Never throws; a tree without git is valid.
SourceState source_state(const std::filesystem::path& tree);

/// Compiler of this binary: "clang 16.0.6", "gcc 12.2.0".
std::string compiler();

/// Name of the CPU as given by the kernel, else the architecture ("aarch64").
std::string cpu_model();

/// Network name of the machine, or "unknown".
std::string host_name();

/// Current time in UTC, to the second, in the format of ISO 8601: "2026-11-28T23:35:01Z".
std::string utc_now();

/// Number of cores that this process may use (its affinity), at least 1.
int cores();

/// Value of the line "KEY: N kB" in a text file of the kernel, in bytes; 0 if missing.
std::int64_t kernel_bytes(const char* file, const std::string& key);

/// Memory of the machine, or the limit of this process's control group if smaller, bytes.
std::int64_t memory_bytes();

}  // namespace reprise
