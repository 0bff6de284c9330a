#include "core/outputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/rename.h"
#include "core/sha256.h"

namespace reprise {
namespace fs = std::filesystem;
namespace {

/// Device, inode, and time of creation, because a new file can get the inode of a deleted one.
using Identity = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;

/// Identity of a regular file; empty for anything else.
std::optional<Identity> identify_file(const fs::path& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE | STATX_INO | STATX_BTIME, &status) != 0)
    return std::nullopt;
  if (!S_ISREG(status.stx_mode)) return std::nullopt;
  // Without a time of creation, only device and inode decide.
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  const auto birth = (status.stx_mask & STATX_BTIME) == 0
                         ? 0
                         : status.stx_btime.tv_sec * nanoseconds + status.stx_btime.tv_nsec;
  const auto device =
      (static_cast<std::uint64_t>(status.stx_dev_major) << 32) | status.stx_dev_minor;
  return Identity{device, status.stx_ino, birth};
}

/// The path without links, "." and "..". For a missing path, this holds for its existing part.
fs::path resolve_path(const fs::path& path) {
  std::error_code reason;
  auto resolved = fs::weakly_canonical(fs::absolute(path, reason), reason);
  return reason ? fs::absolute(path, reason).lexically_normal() : resolved;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

/// Value of the attribute of an output.
std::string make_mark(const std::string& command, const std::string& hash) {
  return command + " " + hash;
}

/// Value of the attribute of a file; empty if it has none.
std::string read_mark(const fs::path& path) {
  std::string mark(256, '\0');
  // A mark is a command and 64 digits; 256 bytes are enough. A longer value is an error (ERANGE),
  // and so no mark.
  const auto size = ::getxattr(path.c_str(), output_attribute, mark.data(), mark.size());
  mark.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return mark;
}

}  // namespace

struct OutputRules::State {
  std::string command;
  bool overwrite = false;
  std::mutex mutex;  ///< several threads write the pictures of a folder
  std::set<Identity> inputs;
  std::vector<fs::path> own;
  std::set<fs::path> written, rewritten;

  bool is_own(const fs::path& resolved) const {
    return std::any_of(own.begin(), own.end(),
                       [&](const fs::path& folder) { return is_below(resolved, folder); });
  }

  /// Final path of an output to `path`. A link of the user is followed. A link in a folder of the
  /// program itself can be a stranger's, and is replaced.
  fs::path resolve_output(const fs::path& path) const {
    const auto folder = resolve_path(path.has_parent_path() ? path.parent_path() : fs::path("."));
    return is_own(folder) ? folder / path.filename() : resolve_path(path);
  }

  /// UsageError: a rule forbids writing to `path`; `resolved` is the path without links.
  void check(const fs::path& path, const fs::path& resolved) {
    if (is_own(resolved)) return;
    if (written.contains(resolved) && !rewritten.contains(resolved))
      throw UsageError(fmt::format("two outputs of this command have the name {}", path.string()),
                       "give each output its own name");
    const auto identity = identify_file(resolved);
    if (!identity) return;
    if (inputs.contains(*identity))
      throw UsageError(path.string() + " is an input of this command and would be overwritten",
                       "name another file or folder for the output");
    // --overwrite lifts only the rules below.
    if (overwrite) return;
    expect_unchanged(path, resolved);
    struct stat status {};
    // Root may write everywhere, but a file without write permission is meant to stay.
    if (::stat(resolved.c_str(), &status) == 0 &&
        (status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0)
      throw UsageError(path.string() + " is read-only", "name another file, or add --overwrite");
  }

  /// UsageError: the file is not an unchanged output of this command.
  void expect_unchanged(const fs::path& path, const fs::path& resolved) const {
    const auto mark = read_mark(resolved);
    const bool by_this_command = mark.starts_with(make_mark(command, ""));
    if (by_this_command && mark == make_mark(command, sha256_file(resolved))) return;
    throw UsageError(
        fmt::format("{} exists, and {}", path.string(),
                    by_this_command
                        ? fmt::format("it was changed since 'reprise {}' wrote it", command)
                        : fmt::format("no earlier 'reprise {}' wrote it", command)),
        "name another file or folder for the output, move the file away, or add --overwrite");
  }
};

namespace {

OutputRules::State* in_force = nullptr;

/// While it lives, files that this thread reads are not inputs, because the rules read them.
class Examination {
 public:
  Examination() { ++depth; }
  ~Examination() { --depth; }
  Examination(const Examination&) = delete;
  Examination& operator=(const Examination&) = delete;
  static bool is_active() { return depth > 0; }

 private:
  static thread_local int depth;
};
thread_local int Examination::depth = 0;

/// Gives the temporary file the mode and owner of the file that it will replace.
void keep_mode_and_owner(const fs::path& replaced, const fs::path& temporary) {
  struct stat before {
  }, now{};
  if (::stat(replaced.c_str(), &before) != 0 || ::stat(temporary.c_str(), &now) != 0 ||
      !S_ISREG(before.st_mode))
    return;
  // Only root may change the owner. The owner comes first, because changing it clears mode bits.
  const bool other_owner = before.st_uid != now.st_uid || before.st_gid != now.st_gid;
  if (other_owner && ::chown(temporary.c_str(), before.st_uid, before.st_gid) != 0) return;
  constexpr mode_t permissions = 07777;
  if ((before.st_mode & permissions) != (now.st_mode & permissions))
    ::chmod(temporary.c_str(), before.st_mode & permissions);
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (const auto reason = rename_with_retries(from, to))
    throw Error(fmt::format("cannot put {} in place: {}", to.string(), reason.message()),
                "check the path and your rights to it");
}

}  // namespace

OutputRules::OutputRules(std::string command)
    : state_(std::make_unique<State>()), before_(std::exchange(in_force, state_.get())) {
  state_->command = std::move(command);
}

OutputRules::~OutputRules() { in_force = before_; }

void OutputRules::allow_overwriting() { state_->overwrite = true; }

bool overwriting_allowed() { return in_force && in_force->overwrite; }

void note_input(const fs::path& path) {
  if (!in_force || Examination::is_active()) return;
  const auto identity = identify_file(path);
  const std::lock_guard lock(in_force->mutex);
  if (identity) in_force->inputs.insert(*identity);
}

void note_own(const fs::path& path) {
  if (!in_force || path.empty()) return;
  // A trailing slash gives an empty last part, which would match no file below the folder.
  auto resolved = resolve_path(path);
  if (!resolved.has_filename()) resolved = resolved.parent_path();
  const std::lock_guard lock(in_force->mutex);
  in_force->own.push_back(std::move(resolved));
}

void note_rewritten(const fs::path& path) {
  if (!in_force) return;
  const std::lock_guard lock(in_force->mutex);
  in_force->rewritten.insert(resolve_path(path));
}

fs::path find_target(const fs::path& path) {
  std::error_code ignored;
  if (!in_force || !fs::is_symlink(fs::symlink_status(path, ignored))) return path;
  const std::lock_guard lock(in_force->mutex);
  return in_force->resolve_output(path);
}

void expect_output(const fs::path& path) {
  if (!in_force) return;
  const std::lock_guard lock(in_force->mutex);
  const Examination examination;
  in_force->check(path, in_force->resolve_output(path));
}

void put_in_place(const fs::path& temporary, const fs::path& path) {
  const auto target = find_target(path);
  const auto rename_now = [&] {
    keep_mode_and_owner(target, temporary);
    rename_file(temporary, target);
  };
  if (!in_force) return rename_now();
  const std::lock_guard lock(in_force->mutex);
  const Examination examination;
  const auto resolved = in_force->resolve_output(path);
  // Records and checkpoints need no mark: the program replaces them as often as it likes.
  if (in_force->is_own(resolved)) return rename_now();
  in_force->check(path, resolved);
  const auto mark = make_mark(in_force->command, sha256_file(temporary));
  // If the attribute cannot be set, the next call requires --overwrite.
  ::setxattr(temporary.c_str(), output_attribute, mark.data(), mark.size(), 0);
  rename_now();
  in_force->written.insert(resolved);
}

}  // namespace reprise
