// How this process keeps memory.
#pragma once

namespace reprise {

/// Makes malloc keep what is freed, and torch ask for huge pages: call it first thing in main. A training step frees and takes the same
/// gradients again and again; by default glibc hands blocks of many megabytes back to the kernel, and the page faults of getting them
/// anew can take several times as long as the arithmetic that fills them. The price: resident memory stays at its peak until the process
/// ends. A user's own THP_MEM_ALLOC_ENABLE wins. Without glibc, only the huge pages are asked for.
void keep_freed_memory();

}  // namespace reprise
