#include "weights/file_buffer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/error.h"
#include "core/outputs.h"

namespace reprise::weights {
namespace {

/// Reads `size` bytes; returns how many there were, or -1 with errno.
ssize_t read_all(int file, char* to, std::size_t size) {
  std::size_t at = 0;
  while (at < size) {
    const auto count = ::read(file, to + at, size - at);
    // A signal interrupted the call before any byte arrived.
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    at += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(at);
}

}  // namespace

FileBuffer::FileBuffer(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& reason) {
    throw UsageError(path.string() + ": " + reason,
                     "name a weights file that exists and can be read (.safetensors, .pth or .pt)");
  };
  // Without O_NONBLOCK, opening a named pipe would wait for a writer forever.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail(std::strerror(errno));
  note_input(path);
  struct stat status {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = regular ? static_cast<std::size_t>(status.st_size) : 0;
  // An anonymous mapping, so that release() can return parts of it to the system.
  void* memory =
      size > 0 ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
               : nullptr;
  const auto count = memory != nullptr && memory != MAP_FAILED
                         ? read_all(file, static_cast<char*>(memory), size)
                         : 0;
  // close() may change errno.
  const int reason = errno;
  ::close(file);
  if (!regular) fail("is not a regular file");
  if (memory == MAP_FAILED) fail(std::strerror(reason));
  bytes_ = {static_cast<const char*>(memory), size};
  if (count == static_cast<ssize_t>(size)) return;
  // A constructor that throws runs no destructor.
  ::munmap(memory, size);
  fail(count < 0 ? std::strerror(reason) : "was truncated while it was read");
}

FileBuffer::~FileBuffer() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void FileBuffer::release(std::string_view part) const {
  // Only pages that lie completely in the part.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto offset = static_cast<std::size_t>(part.data() - bytes_.data());
  const auto begin = (offset + page - 1) / page * page, end = (offset + part.size()) / page * page;
  if (end > begin) ::madvise(const_cast<char*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace reprise::weights
