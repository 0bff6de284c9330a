// A whole file as bytes, read into memory of its own: a file that is cut short meanwhile is an
// error, and not a fault of the process, as it would be in a mapping of the file.
#pragma once
#include <filesystem>
#include <string_view>

namespace reprise::weights {

class FileBuffer {
 public:
  /// UsageError: the file cannot be opened or read (system's reason), is no regular file, or became
  /// shorter while it was read.
  explicit FileBuffer(const std::filesystem::path& path);
  ~FileBuffer();
  FileBuffer(const FileBuffer&) = delete;
  FileBuffer& operator=(const FileBuffer&) = delete;
  std::string_view bytes() const { return bytes_; }
  /// Gives back the memory of a part of bytes(), which must not be looked at again. Whole pages;
  /// the rest stays.
  void release(std::string_view part) const;

 private:
  std::string_view bytes_;
};

}  // namespace reprise::weights
