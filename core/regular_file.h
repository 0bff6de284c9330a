// A regular file, open to be read. A pipe, which may wait for ever, and a device, which may never
// end, are refused before a byte is read.
#pragma once
#include <cstdint>
#include <filesystem>

namespace reprise {

class RegularFile {
 public:
  /// Error: names the file and the system's reason. UsageError: it is a pipe, a socket or a device.
  explicit RegularFile(const std::filesystem::path& path);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;
  /// Bytes, as it was opened; the kernel's own files (/proc) say 0.
  std::size_t size() const { return size_; }
  /// The next bytes, as many as there are up to `most`; 0 at the end. Error: names the file and the
  /// system's reason.
  std::size_t read(char* bytes, std::size_t most);
  /// The next bytes are those from here on, counted from the file's beginning. Error: as read().
  void seek(std::size_t place);

 private:
  std::filesystem::path path_;
  int number_ = -1;
  std::size_t size_ = 0;
};

}  // namespace reprise
