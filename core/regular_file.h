// A regular file, open for reading. Refuses pipes, which can block forever, and devices, which can
// be endless.
#pragma once
#include <cstdint>
#include <filesystem>

namespace reprise {

class RegularFile {
 public:
  /// Opens the file. Error: the system's reason, with the file. UsageError: a pipe, a socket or a
  /// device.
  explicit RegularFile(const std::filesystem::path& path);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;
  /// Size when it was opened, bytes; 0 for files of the kernel (/proc).
  std::size_t size() const { return size_; }
  /// Reads the next bytes, at most `most`, and returns their number; 0 at the end. Error: the
  /// system's reason, with the file.
  std::size_t read(char* bytes, std::size_t most);
  /// Sets the position of the next read, counted from the beginning. Error: as read().
  void seek(std::size_t place);

 private:
  std::filesystem::path path_;
  int number_ = -1;
  std::size_t size_ = 0;
};

}  // namespace reprise
