// A whole file as bytes, mapped into memory and read-only: pages are read when they are looked at.
#pragma once
#include <filesystem>
#include <string_view>

namespace reprise::weights {

class MappedFile {
 public:
  /// UsageError: the file cannot be opened (system's reason), or is no regular file.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const { return bytes_; }
  /// A part of bytes() that need not stay in memory: looked at again, it is read again.
  void release(std::string_view part) const;

 private:
  std::string_view bytes_;
};

}  // namespace reprise::weights
