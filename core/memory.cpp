#include "core/memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace reprise {

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
  // LibTorch reads it when it allocates for the first time.
  setenv("THP_MEM_ALLOC_ENABLE", "1", 0);
}

}  // namespace reprise
