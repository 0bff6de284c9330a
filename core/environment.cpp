#include "core/environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <optional>
#include <thread>

#include "core/text.h"

namespace reprise {
namespace {

/// Output of a shell command; empty unless its status is 0.
std::optional<std::string> run_command(const std::string& command) {
  // "e" closes the pipe in processes that other threads start meanwhile.
  std::FILE* pipe = ::popen(command.c_str(), "re");
  if (!pipe) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece;
  while (const auto got = std::fread(piece.data(), 1, piece.size(), pipe))
    text.append(piece.data(), got);
  return ::pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

/// Value of the first line "KEY<spaces>: value" in a text file of the kernel; "" if missing.
std::string kernel_line(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    if (line.find_first_not_of(" \t", key.size()) != colon) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

}  // namespace

SourceState source_state(const std::filesystem::path& tree) {
  // GIT_DIR of a hook would select another tree.
  const std::string git =
      "env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE git --no-optional-locks -C " +
      shell_quote(tree.string());
  // Optional locks are off in `git`, so that a status query never blocks a commit of the user.
  const auto top = run_command(git + " rev-parse --show-prefix HEAD 2>/dev/null");
  // First line: the path of the tree in its checkout, empty at the top. Second line: the commit, 40
  // digits and a line feed.
  if (!top || top->size() != 42 || top->front() != '\n') return {};
  const auto changes = run_command(git + " status --porcelain 2>/dev/null");
  return {.commit = top->substr(1, 40), .dirty = !changes || !changes->empty()};
}

std::string compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#else
  return "gcc " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

std::string cpu_model() {
  const std::string model = kernel_line("/proc/cpuinfo", "model name");
  if (!model.empty()) return model;
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "unknown";
}

std::string host_name() {
  std::array<char, 256> name{};
  // A truncated name need not end with a zero byte, so the last byte stays zero.
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::int64_t kernel_bytes(const char* file, const std::string& key) {
  const std::string kilobytes = kernel_line(file, key);
  return kilobytes.empty() ? 0 : std::stoll(kilobytes) * 1024;
}

std::int64_t memory_bytes() {
  // The limits of control groups, versions 2 and 1; "max" in the file is no number.
  std::int64_t bytes = kernel_bytes("/proc/meminfo", "MemTotal");
  for (const char* limit :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::int64_t value = 0;
    if (std::ifstream(limit) >> value && value > 0 && (bytes == 0 || value < bytes)) bytes = value;
  }
  return bytes;
}

}  // namespace reprise
