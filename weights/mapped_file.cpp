#include "weights/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/error.h"

namespace reprise::weights {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& reason) {
    throw UsageError(path.string() + ": " + reason, "name a weights file that exists and can be read (.safetensors, .pth or .pt)");
  };
  // Without O_NONBLOCK, opening a named pipe would wait for a writer for ever.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail(std::strerror(errno));
  struct stat status {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<std::size_t>(status.st_size);
  void* memory = regular && size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  const int reason = errno;
  ::close(file);
  if (!regular) fail("is not a regular file");
  if (memory == MAP_FAILED) fail(std::strerror(reason));
  if (memory != nullptr) bytes_ = {static_cast<const char*>(memory), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void MappedFile::release(std::string_view part) const {
  // Whole pages; the first may hold bytes before the part, which does no harm.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto offset = static_cast<std::size_t>(part.data() - bytes_.data());
  const auto begin = offset / page * page, end = (offset + part.size()) / page * page;
  if (end > begin) ::madvise(const_cast<char*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace reprise::weights
