// Items made side by side: each item must depend on its number alone, so that the result does not depend on the number of threads.
#pragma once
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace reprise::datasets {

/// Calls work(worker, item) for every item in [0, count); worker < workers(count) says whose buffers to use.
/// As many threads as torch has (at::set_num_threads). The first error is passed on once all threads have ended.
inline std::int64_t workers(std::int64_t count) { return std::clamp<std::int64_t>(count, 1, at::get_num_threads()); }

template <typename Work>
void parallel_items(std::int64_t count, const Work& work) {
  const auto threads = workers(count);
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

}  // namespace reprise::datasets
