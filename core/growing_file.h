// A text file of any length, written piece by piece, that is there and right at the end, or not
// there: write_file() for what does not fit in memory. It grows under a temporary name beside its
// own; close() syncs it and puts it in its place. Without close() nothing stays.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace reprise {

class GrowingFile {
 public:
  /// The folder is made when missing. Error: as write_file().
  explicit GrowingFile(std::filesystem::path path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  /// Error: names the file and the system's reason.
  void append(std::string_view bytes);
  void close();

 private:
  std::filesystem::path path_, temporary_;
  std::string waiting_;  ///< not yet handed to the system
  int number_ = -1;
};

}  // namespace reprise
