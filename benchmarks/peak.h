// How much memory a piece of work takes beside what was there.
#pragma once
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "core/environment.h"

namespace reprise {

/// The most memory resident while `work` runs, less what was before, in bytes. What earlier work freed is given back first: it would be
/// taken again unseen.
template <typename Work>
std::int64_t peak_of(const Work& work) {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  std::ifstream pages("/proc/self/statm");
  std::int64_t taken = 0, resident = 0;
  pages >> taken >> resident;
  work();
  return peak_memory_bytes() - resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace reprise
