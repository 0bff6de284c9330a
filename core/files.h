// Reading complete files, and atomic writing: after a crash a file is complete or absent.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace reprise {

/// Reads a file. Error: the system's reason, with the file. UsageError: a pipe, a socket or a
/// device; a file larger than memory.
std::string read_file(const std::filesystem::path& path);

/// Writes a file under a temporary name in the same folder, syncs it and renames it. Creates
/// missing folders. Readers always see the complete old or the complete new file, even after a
/// crash. Error: the system's reason (a full disk, ...), with the file; `path` is a device or a
/// pipe.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Whether this is a temporary file of an interrupted write_file(): ".NAME.PROCESS.NUMBER.tmp".
bool is_unfinished(const std::filesystem::path& path);
/// Deletes such files in the folder, but not in subfolders. Only for a folder without other
/// writers. Does nothing if there is no folder.
void remove_leftovers(const std::filesystem::path& folder);

/// A new folder that is removed with its content at the end of the object's life.
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
