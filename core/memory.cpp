#include "core/memory.h"

#include <cstdlib>
#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace reprise {
namespace {

/// A line "NAME: 1234 kB" of what the kernel says of this process, in bytes; 0 where it says nothing.
std::int64_t status_line(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1)) * 1024;
  return 0;
}

}  // namespace

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
  // LibTorch reads it when it allocates for the first time.
  setenv("THP_MEM_ALLOC_ENABLE", "1", 0);
}

PeakMemory::PeakMemory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
  // The kernel's peak counts from here on.
  std::ofstream("/proc/self/clear_refs") << "5";
  before_ = status_line("VmRSS");
}

std::int64_t PeakMemory::bytes() const { return status_line("VmHWM") - before_; }

}  // namespace reprise
