// Reads whole files; writes atomically: after a crash a file is either complete or absent.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace reprise {

/// Error: names the file and the system's reason. UsageError: it is a pipe, a socket or a device,
/// or larger than memory.
std::string read_file(const std::filesystem::path& path);

/// Written under a temporary name in the same folder, synced, renamed; the folder is made when
/// missing and synced too. A reader, or a process killed at any moment, sees the old file or the
/// new one. Error: names the file and the system's reason (a full disk, ...); a device or a pipe,
/// which stays what it is.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Whether write_file made this name for what it had not written whole yet, and was killed:
/// ".NAME.PROCESS.NUMBER.tmp".
bool is_unfinished(const std::filesystem::path& path);
/// Deletes such files of the folder itself, not of those below it; nothing where there is no
/// folder. For whoever alone writes there.
void remove_leftovers(const std::filesystem::path& folder);

/// A fresh folder, removed with all that is in it at the end of its life.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace reprise
