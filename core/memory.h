// Memory of this process.
#pragma once
#include <cstdint>
#include <exception>

namespace reprise {

/// Makes malloc keep freed memory, and torch request huge pages. Call it first in main.
///
/// A training step frees and allocates the same gradients again and again. By default glibc returns
/// large blocks to the kernel, and the page faults of new ones can take several times as long as
/// the arithmetic. The cost: resident memory stays at its peak until the process ends.
///
/// THP_MEM_ALLOC_ENABLE in the user's environment takes precedence. Without glibc, this only
/// requests huge pages.
void keep_freed_memory();

/// Whether an exception means out of memory: std::bad_alloc, or those of LibTorch and OpenCV.
bool is_out_of_memory(const std::exception& error);

/// Measures the memory of a piece of work: the increase of resident memory since construction, at
/// its peak. Memory that earlier work has freed is returned to the kernel first, so that its reuse
/// counts. Only one object at a time per process.
class PeakMemory {
 public:
  PeakMemory();
  std::int64_t bytes() const;

 private:
  std::int64_t before_;
};

}  // namespace reprise
