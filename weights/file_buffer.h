// A complete file in memory. The file is copied, not mapped: a file that is truncated meanwhile
// then causes an error instead of a crash of the process.
#pragma once
#include <filesystem>
#include <string_view>

namespace reprise::weights {

class FileBuffer {
 public:
  /// Reads the file. UsageError: it cannot be opened or read (gives the system's reason), is no
  /// regular file, or was truncated during reading.
  explicit FileBuffer(const std::filesystem::path& path);
  ~FileBuffer();
  FileBuffer(const FileBuffer&) = delete;
  FileBuffer& operator=(const FileBuffer&) = delete;
  std::string_view bytes() const { return bytes_; }
  /// Frees the memory of a part of bytes(), in whole pages. The part must not be read afterwards.
  void release(std::string_view part) const;

 private:
  std::string_view bytes_;
};

}  // namespace reprise::weights
