// Leases: which process runs a cell, if several runs share a results folder on one machine or on a
// cluster.
//
//     RESULTS/.leases/HASH.N     {"cell", "host", "place", "process", "started", "since"}; HASH of the cell's id. The highest N holds.
//
// Only one process can create a file, so only one runs a cell. A process that takes over from a
// dead holder creates the next N and removes the lower ones. The holder touches its file every
// `heartbeat`.
// A holder is dead if its process is gone (visible on the same machine since its start, and in the
// same process namespace). Elsewhere it is dead if its file was last touched `lease_timeout` ago,
// or that far in the future, by the shared file system's clock. A holder that was only suspended
// finds its file gone and lets the cell go.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace reprise::reproduce {

inline constexpr std::chrono::seconds heartbeat{5}, lease_timeout{60};

class Lease {
 public:
  /// Takes a cell; nothing if a living process holds it. Error: the folder cannot be written (the
  /// system's reason), or is a symbolic link.
  static std::optional<Lease> take(const std::filesystem::path& results, const std::string& cell);
  /// Releases the cell.
  ~Lease();
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;

  /// Touches the file if the last time is `pause` ago. False: another process has taken the cell
  /// over.
  bool renew(std::chrono::seconds pause = heartbeat);

 private:
  explicit Lease(std::filesystem::path path);
  std::filesystem::path path_;  ///< "": moved away
  std::chrono::steady_clock::time_point renewed_;
};

struct Holder {
  std::string cell, host;
  long process = 0;
  std::string since = "";  ///< UTC: "2026-11-28T23:35:01Z", by the clock of its machine
};
/// Lists the living holders of leases in a results folder, by cell.
std::vector<Holder> holders(const std::filesystem::path& results);

}  // namespace reprise::reproduce
