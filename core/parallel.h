// Parallel work on independent items. The result of an item must depend only on its index, so that
// it does not depend on the number of threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace reprise {

/// Number of threads for `count` items, at most `most`. Pass at::get_num_threads().
inline std::int64_t count_workers(std::int64_t count, std::int64_t most) {
  return std::clamp<std::int64_t>(count, 1, most);
}

/// Calls work(worker, item) for every item in [0, count). The index `worker` is below
/// count_workers(count, most), to select a buffer. Rethrows the first error when all threads have
/// ended.
template <typename Work>
void parallel_items(std::int64_t count, std::int64_t most, const Work& work) {
  const auto threads = count_workers(count, most);
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto run = [&](std::int64_t worker) {
    try {
      for (std::int64_t item = next++; item < count; item = next++) work(worker, item);
    } catch (...) {
      const std::lock_guard lock(failure_lock);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  for (std::int64_t worker = 1; worker < threads; ++worker) others.emplace_back(run, worker);
  run(0);
  for (auto& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace reprise
