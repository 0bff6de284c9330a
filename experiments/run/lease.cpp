#include "experiments/run/lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/environment.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/links.h"
#include "core/printable.h"
#include "core/sha256.h"
#include "core/text.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

fs::path lease_folder(const fs::path& results) {
  auto folder = results / ".leases";
  refuse_links_below(results, folder);
  return folder;
}

std::string first_line(const fs::path& file) {
  std::string line;
  std::ifstream lines(file);
  std::getline(lines >> std::ws, line);
  return line;
}

/// Identifies the range of unique process numbers: this machine since its start, and this process
/// namespace (a container has its own).
const std::string& here() {
  static const std::string place = [] {
    std::error_code none;
    return first_line("/proc/sys/kernel/random/boot_id") + " " +
           fs::read_symlink("/proc/self/ns/pid", none).string();
  }();
  return place;
}

/// Start time of a process in the kernel's ticks; "" if it does not exist or has ended. The number
/// of a process can be reused, so both identify it.
std::string process_start(long process) {
  const auto stat = first_line(fmt::format("/proc/{}/stat", process));
  // The program's name, in brackets, may itself contain spaces and brackets.
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field, state;
  fields >> state;
  // Start time is field 22 of /proc/PID/stat, the state is field 3 (man 5 proc).
  constexpr int from_state_to_start = 19;
  for (int i = 0; i < from_state_to_start; ++i) fields >> field;
  return state == "Z" || state == "X" ? "" : field;
}

/// Seconds since the file was last touched, both times by the clock of the file system it lies on.
/// Nothing where it is gone.
std::optional<double> file_age(const fs::path& file) {
  const auto touched = [](const fs::path& path, int flags) -> std::optional<double> {
    // Opening makes NFS ask its server instead of using cached attributes.
    const int opened = ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (opened < 0) return std::nullopt;
    struct stat status {};
    if ((flags & O_CREAT) != 0) ::futimens(opened, nullptr);
    const bool known = ::fstat(opened, &status) == 0;
    ::close(opened);
    if (!known) return std::nullopt;
    return static_cast<double>(status.st_mtim.tv_sec) +
           1e-9 * static_cast<double>(status.st_mtim.tv_nsec);
  };
  // Both times come from the file system's clock: machines' clocks differ.
  const auto then = touched(file, O_RDONLY);
  if (!then) return std::nullopt;
  const auto probe = file.parent_path() / fmt::format(".now.{}.{}", host_name(), ::getpid());
  const auto now = touched(probe, O_WRONLY | O_CREAT);
  ::unlink(probe.c_str());
  return now ? std::optional(*now - *then) : std::nullopt;
}

/// Content of a lease; empty for a file that is being written, is gone, or is no lease.
struct LeaseText {
  std::string cell{}, host{}, place{}, started{}, since{};
  long process = 0;
};

LeaseText read_lease(const fs::path& file) {
  try {
    const auto lease = parse_json(read_file(file), file.string(), "");
    return {.cell = lease.at("cell"),
            .host = lease.at("host"),
            .place = lease.at("place"),
            .started = lease.at("started"),
            .since = lease.value("since", "unknown"),
            .process = lease.at("process")};
  } catch (const Error&) {
    return {};
  } catch (const json::exception&) {
    return {};
  }
}

bool lives(const fs::path& file) {
  const auto lease = read_lease(file);
  // On this machine the process itself tells; no timeout is needed.
  if (lease.place == here()) return process_start(lease.process) == lease.started;
  // A time in the future stems from a clock that was corrected since. It counts like one in the
  // past: a living holder touches the lease again.
  const auto age = file_age(file);
  return age && std::abs(*age) < std::chrono::duration<double>(lease_timeout).count();
}

/// "HASH.N"; N is -1 for another name.
std::pair<std::string, std::int64_t> split_name(const fs::path& file) {
  const auto name = file.filename().string();
  const auto dot = name.rfind('.');
  const auto number = dot == std::string::npos || dot == 0
                          ? std::nullopt
                          : whole_number(std::string_view(name).substr(dot + 1));
  return number ? std::pair(name.substr(0, dot), *number)
                : std::pair(std::string(), std::int64_t{-1});
}

/// All files that are leases, of whatever cell.
std::vector<fs::path> leases_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (split_name(entry.path()).second >= 0) found.push_back(entry.path());
  return found;
}

/// Makes the file, if none of its name is there.
bool make(const fs::path& file, const std::string& cell) {
  const int opened =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  // The name is taken, or the last holder has just removed the folder.
  if (opened < 0 && (errno == EEXIST || errno == ENOENT)) return false;
  const auto text = json_text({{"cell", cell},
                               {"host", host_name()},
                               {"place", here()},
                               {"process", static_cast<long>(::getpid())},
                               {"started", process_start(::getpid())},
                               {"since", utc_now()}});
  const bool written =
      opened >= 0 && ::write(opened, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int reason = errno;
  if (opened >= 0) ::close(opened);
  if (written) return true;
  if (opened >= 0) ::unlink(file.c_str());
  throw Error("cannot write " + file.string() + ": " + std::strerror(reason),
              "free some space, or choose a folder you may write in; what is done is kept");
}

}  // namespace

std::optional<Lease> Lease::take(const fs::path& results, const std::string& cell) {
  const auto folder = lease_folder(results);
  // 96 bits of the id: short file names without a slash.
  const auto hash = sha256(cell).substr(0, 24);
  for (;;) {
    std::error_code reason;
    fs::create_directories(folder, reason);
    if (reason)
      throw Error("cannot make " + folder.string() + ": " + reason.message(),
                  "choose a folder you may write in");
    std::int64_t highest = -1;
    std::vector<fs::path> former;
    for (const auto& file : leases_in(folder))
      if (const auto [of, number] = split_name(file); of == hash) {
        former.push_back(file);
        highest = std::max(highest, number);
      }
    const auto lease_file = [&](std::int64_t number) {
      return folder / fmt::format("{}.{}", hash, number);
    };
    // A dead holder is succeeded by the next number. O_EXCL in make() lets only one successor win.
    if (highest >= 0 && lives(lease_file(highest))) return std::nullopt;
    if (!make(lease_file(highest + 1), cell)) continue;  // another run was quicker
    for (const auto& file : former) fs::remove(file, reason);
    return Lease(lease_file(highest + 1));
  }
}

Lease::Lease(fs::path path) : path_(std::move(path)), renewed_(std::chrono::steady_clock::now()) {}

Lease::~Lease() {
  if (path_.empty()) return;
  ::unlink(path_.c_str());
  ::rmdir(path_.parent_path().c_str());  // fails unless this was the last lease
}

Lease::Lease(Lease&& other) noexcept
    : path_(std::exchange(other.path_, {})), renewed_(other.renewed_) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(renewed_, other.renewed_);
  return *this;
}

bool Lease::renew(std::chrono::seconds pause) {
  const auto now = std::chrono::steady_clock::now();
  if (now - renewed_ < pause) return true;
  renewed_ = now;
  // A missing file means that another run took the cell over. Other errors may be temporary.
  return ::utimensat(AT_FDCWD, path_.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

std::vector<Holder> holders(const fs::path& results) {
  std::vector<Holder> found;
  const auto folder = results / ".leases";
  // No run holds a lease there: take() refuses it.
  if (!find_link_below(results, folder).empty()) return found;
  for (const auto& file : leases_in(folder)) {
    if (!lives(file)) continue;
    const auto lease = read_lease(file);
    if (lease.cell.empty()) continue;
    found.push_back({.cell = printable(lease.cell),
                     .host = printable(lease.host),
                     .process = lease.process,
                     .since = printable(lease.since)});
  }
  std::sort(found.begin(), found.end(),
            [](const Holder& a, const Holder& b) { return a.cell < b.cell; });
  return found;
}

}  // namespace reprise::reproduce
