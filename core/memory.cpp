#include "core/memory.h"

#include <cstdlib>
#include <fstream>
#include <new>
#include <string_view>

#include "core/environment.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace reprise {

void keep_freed_memory() {
#ifdef __GLIBC__
  // Large blocks come from the heap too, and the heap is never trimmed.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
  // LibTorch reads the variable at its first allocation.
  setenv("THP_MEM_ALLOC_ENABLE", "1", 0);
}

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  const std::string_view text(error.what());
  // LibTorch and OpenCV have no common type for this error, so their texts decide.
  for (const std::string_view sign :
       {"DefaultCPUAllocator: ", "CUDA out of memory", "OutOfMemoryError"})
    if (text.find(sign) != text.npos) return true;
  return false;
}

PeakMemory::PeakMemory() {
#ifdef __GLIBC__
  // Freed memory that stays resident would hide the memory of the measured work.
  ::malloc_trim(0);
#endif
  // "5" resets the peak that the kernel records (VmHWM; man 5 proc).
  std::ofstream("/proc/self/clear_refs") << "5";
  before_ = kernel_bytes("/proc/self/status", "VmRSS");
}

std::int64_t PeakMemory::bytes() const {
  return kernel_bytes("/proc/self/status", "VmHWM") - before_;
}

}  // namespace reprise
