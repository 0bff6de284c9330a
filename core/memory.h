// How this process keeps memory, and how much of it a piece of work takes.
#pragma once
#include <cstdint>
#include <exception>

namespace reprise {

/// Makes malloc keep what is freed, and torch ask for huge pages: call it first thing in main. A
/// training step frees and takes the same gradients again and again; by default glibc hands blocks
/// of many megabytes back to the kernel, and the page faults of getting them anew can take several
/// times as long as the arithmetic that fills them. The price: resident memory stays at its peak
/// until the process ends. A user's own THP_MEM_ALLOC_ENABLE wins. Without glibc, only the huge
/// pages are asked for.
void keep_freed_memory();

/// Whether an exception says that memory ran out: std::bad_alloc, and what LibTorch and OpenCV
/// throw in its place.
bool is_out_of_memory(const std::exception& error);

/// The memory that work takes by itself: the most that was resident since this object was made,
/// less what was resident then. What earlier work freed is given back to the kernel first, since it
/// would be taken again unseen. One at a time in a process.
class PeakMemory {
 public:
  PeakMemory();
  std::int64_t bytes() const;

 private:
  std::int64_t before_;
};

}  // namespace reprise
