// Which process runs a cell, where several runs share a results folder: on one machine, or on the
// nodes of a cluster.
//
//     RESULTS/.leases/HASH.N     {"cell", "host", "place", "process", "started", "since"}; HASH of the cell's id. The highest N holds.
//
// A file is made where none of its name is, which one process alone can do; so one alone runs a
// cell. Who takes over from a holder that is dead makes the next N, which again one alone can do,
// and removes what is below it. The holder touches its file every `beat`. It is dead when its
// process is gone, as far as that can be seen (the same machine since it was started, the same
// space of process numbers), and elsewhere when its file was last touched `silence` ago or more, by
// the clock of the file system, which all have in common, or as far in the future. One that was
// only asleep finds its file gone and lets the cell go.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace reprise::reproduce {

inline constexpr std::chrono::seconds beat{5}, silence{60};

class Lease {
 public:
  /// Nothing where another process that lives holds it. Error: the folder cannot be written (the
  /// system's reason), or is a symbolic link.
  static std::optional<Lease> take(const std::filesystem::path& results, const std::string& cell);
  /// Gives the cell back.
  ~Lease();
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;

  /// Says that the holder lives, when the last time is `pause` ago. False: another process has
  /// taken the cell over.
  bool renew(std::chrono::seconds pause = beat);

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
/// The living holders of leases in a results folder, by cell.
std::vector<Holder> holders(const std::filesystem::path& results);

}  // namespace reprise::reproduce
