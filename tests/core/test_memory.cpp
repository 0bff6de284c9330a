#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>

#include "core/memory.h"

#ifdef __SANITIZE_ADDRESS__
#define REPRISE_OTHER_MALLOC
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REPRISE_OTHER_MALLOC
#endif
#endif

namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// Page faults of taking 64 MB, touching each page, and giving them back.
long faults_of_a_block() {
  constexpr std::size_t size = 64 << 20, page = 4096;
  const auto before = page_faults();
  // volatile: a compiler may leave out an allocation that nobody looks at
  volatile char* const block = static_cast<volatile char*>(std::malloc(size));
  for (std::size_t i = 0; i < size; i += page) block[i] = 1;
  std::free(const_cast<char*>(block));
  return page_faults() - before;
}

// Protects: a training step's gradients come from memory that is already there.
TEST(KeepFreedMemory, ABlockTakenAgainIsNotFaultedInAgain) {
#if !defined(__GLIBC__) || defined(REPRISE_OTHER_MALLOC)
  GTEST_SKIP() << "another malloc than glibc's";
#endif
  // in a process of its own: the other tests here measure memory, too
  const auto kept = [] {
    reprise::keep_freed_memory();
    const auto first = faults_of_a_block(), second = faults_of_a_block();
    std::exit(first > 0 && second < 16 ? 0 : 1);
  };
  EXPECT_EXIT(kept(), testing::ExitedWithCode(0), "");
}

}  // namespace
