// Atomic writing of a text file piece by piece, for content that does not fit in memory. The file
// grows under a temporary name; close() syncs it and moves it to its place. Without close() it is
// deleted.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace reprise {

class GrowingFile {
 public:
  /// Opens the temporary file and creates missing folders. Error: as write_file().
  explicit GrowingFile(std::filesystem::path path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  /// Appends bytes. Error: the system's reason, with the file.
  void append(std::string_view bytes);
  void close();

 private:
  std::filesystem::path path_, temporary_;
  std::string waiting_;  ///< bytes not written yet
  int number_ = -1;
};

}  // namespace reprise
