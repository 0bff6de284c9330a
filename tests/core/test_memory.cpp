#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <new>
#include <stdexcept>

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

void touch(std::size_t bytes) {
  volatile char* const block = static_cast<volatile char*>(std::malloc(bytes));
  for (std::size_t i = 0; i < bytes; i += 4096) block[i] = 1;
  std::free(const_cast<char*>(block));
}

// Protects: a cell's peak is its own, whatever cells its process ran before.
TEST(PeakMemory, IsWhatTheWorkTookAndNotWhatEarlierWorkFreed) {
#if !defined(__GLIBC__) || defined(REPRISE_OTHER_MALLOC)
  GTEST_SKIP() << "another malloc than glibc's";
#endif
  const auto measured = [] {
    reprise::keep_freed_memory();  // what was freed stays resident: the hard case
    touch(200 << 20);
    const reprise::PeakMemory small;
    touch(20 << 20);
    const auto its = small.bytes();
    const reprise::PeakMemory large;
    touch(100 << 20);
    const auto about = [](std::int64_t bytes, std::int64_t mib) {
      return std::abs(bytes - (mib << 20)) < (4 << 20);
    };  // the kernel counts roughly
    const bool right = about(its, 20) && about(large.bytes(), 100);
    std::exit(right ? 0 : 1);
  };
  EXPECT_EXIT(measured(), testing::ExitedWithCode(0), "");
}

TEST(OutOfMemory, IsKnownByWhatTheLibrariesSay) {
  EXPECT_TRUE(reprise::is_out_of_memory(std::bad_alloc()));
  EXPECT_TRUE(reprise::is_out_of_memory(std::bad_array_new_length()));
  EXPECT_TRUE(reprise::is_out_of_memory(std::runtime_error(
      "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 5408000000 bytes.")));
  EXPECT_FALSE(reprise::is_out_of_memory(std::runtime_error("sizes differ")));
}

}  // namespace
