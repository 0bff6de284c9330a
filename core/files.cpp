#include "core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/growing_file.h"
#include "core/outputs.h"
#include "core/regular_file.h"

namespace reprise {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const std::string& what, const fs::path& path, int reason) {
  const char* fix = "check the path and your rights to it";
  if (reason == ENOSPC || reason == EDQUOT)
    fix = "free some space or choose another folder";
  else if (reason == EFBIG)
    fix =
        "free some space, raise the limit on the size of files (ulimit -f), or choose another "
        "folder";
  throw Error(what + " " + path.string() + ": " + std::strerror(reason), fix);
}

/// Owns an open file and closes it.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

void sync_folder(const fs::path& folder) {
  // A rename survives a crash only after its folder is synced too.
  const Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (open.number() < 0) fail("cannot open the folder", folder, errno);
  // File systems that cannot sync a folder report EINVAL; the rename is atomic there too.
  if (::fsync(open.number()) != 0 && errno != EINVAL) fail("cannot sync the folder", folder, errno);
}

void make_folder(const fs::path& folder) {
  // The folders that get a new entry, which must be synced too.
  std::vector<fs::path> touched;
  std::error_code ignored;
  for (fs::path missing = folder; !fs::exists(missing, ignored); missing = missing.parent_path()) {
    if (missing.parent_path() == missing) break;
    touched.push_back(missing.parent_path().empty() ? fs::path(".") : missing.parent_path());
    if (missing.parent_path().empty()) break;
  }
  std::error_code reason;
  fs::create_directories(folder, reason);
  if (reason) fail("cannot make the folder", folder, reason.value());
  for (const auto& parent : touched) sync_folder(parent);
}

/// Writes all bytes; a write can be partial or interrupted.
void write_all(int number, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(number, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Name that no other process or thread uses. is_unfinished() recognises it.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> count{0};
  return path.parent_path() / ("." + path.filename().string() + "." + std::to_string(::getpid()) +
                               "." + std::to_string(count++) + ".tmp");
}

}  // namespace

bool is_unfinished(const fs::path& path) {
  static const std::regex form(R"(\..+\.\d+\.\d+\.tmp)");
  return std::regex_match(path.filename().string(), form);
}

void remove_leftovers(const fs::path& folder) {
  std::error_code reason;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, reason))
    if (is_unfinished(entry.path())) found.push_back(entry.path());
  // Removed after the listing, because removing entries during an iteration is unspecified.
  for (const auto& path : found) fs::remove(path, reason);
}

// Without O_NONBLOCK, opening a named pipe would wait for a writer forever.
RegularFile::RegularFile(const fs::path& path)
    : path_(path), number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (number_ < 0) fail("cannot open", path, errno);
  struct stat status {};
  int reason = 0;
  if (::fstat(number_, &status) != 0)
    reason = errno;
  else if (S_ISDIR(status.st_mode))
    reason = EISDIR;
  if (reason == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::size_t>(status.st_size);
    note_input(path);
    return;
  }
  ::close(number_);
  if (reason != 0) fail("cannot read", path, reason);
  throw UsageError(
      "cannot read " + path.string() + ": it is a pipe, a socket or a device, not a regular file",
      "name a regular file; save the output of a pipe to one first");
}

RegularFile::~RegularFile() { ::close(number_); }

std::size_t RegularFile::read(char* bytes, std::size_t most) {
  ssize_t got = 0;
  do got = ::read(number_, bytes, most);
  while (got < 0 && errno == EINTR);
  if (got < 0) fail("cannot read", path_, errno);
  return static_cast<std::size_t>(got);
}

void RegularFile::seek(std::size_t place) {
  if (::lseek(number_, static_cast<off_t>(place), SEEK_SET) < 0) fail("cannot read", path_, errno);
}

std::string read_file(const fs::path& path) {
  RegularFile file(path);
  constexpr std::size_t never_too_large = 1 << 30;  // bytes; saves the query of the memory
  if (file.size() > never_too_large && file.size() > static_cast<std::size_t>(memory_bytes()))
    throw UsageError("cannot read " + path.string() + ": it is larger than this machine's memory",
                     "check the name of the file");
  std::string bytes;
  // One byte more than expected, so that one read also finds the end. The buffer grows for files
  // that grow, and for files of the kernel, whose size is 0.
  bytes.resize(file.size() + 1);
  std::size_t size = 0;
  while (const auto got = file.read(bytes.data() + size, bytes.size() - size)) {
    size += got;
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

GrowingFile::GrowingFile(fs::path path) : path_(std::move(path)) {
  // The rename at the end would replace a device or a pipe, such as /dev/null, by a plain file.
  std::error_code ignored;
  if (const auto status = fs::status(path_, ignored);
      fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
    throw Error("cannot write " + path_.string() +
                    ": it is a device or a pipe, which would be replaced by a file",
                "name a file to create or replace");
  expect_output(path_);  // before the first byte, which may come hours before the last
  make_folder(path_.has_parent_path() ? path_.parent_path() : fs::path("."));
  do {
    // In the folder of the target, so that the rename stays on one file system.
    temporary_ = temporary_name(find_target(path_));
    number_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (number_ < 0 && errno == EEXIST);
  if (number_ < 0) fail("cannot write", path_, errno);
}

GrowingFile::~GrowingFile() {
  if (number_ < 0) return;
  ::close(number_);
  ::unlink(temporary_.c_str());
}

void GrowingFile::append(std::string_view bytes) {
  constexpr std::size_t enough = 1 << 16;  // bytes per write
  // Small pieces are collected, so that a text written line by line does not cost a system call per
  // line.
  if (waiting_.size() + bytes.size() < enough) {
    waiting_ += bytes;
    return;
  }
  write_all(number_, waiting_, path_);
  waiting_.clear();
  write_all(number_, bytes, path_);
}

void GrowingFile::close() {
  write_all(number_, waiting_, path_);
  // The content must be on disk before the name refers to it; otherwise a crash could leave an
  // empty file.
  if (::fsync(number_) != 0) fail("cannot sync", path_, errno);
  put_in_place(temporary_, path_);
  ::close(number_);
  number_ = -1;
  sync_folder(path_.has_parent_path() ? path_.parent_path() : fs::path("."));
}

void write_file(const fs::path& path, std::string_view bytes) {
  GrowingFile file(path);
  file.append(bytes);
  file.close();
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "reprise-XXXXXX").string();
  if (!::mkdtemp(name.data())) fail("cannot make a temporary folder like", name, errno);
  path_ = name;
  // Files in it are the program's own: no rule on outputs applies.
  note_own(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace reprise
