// Items made side by side: each item must depend on its number alone, so that the result does not
// depend on the number of threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace reprise {

/// Calls work(worker, item) for every item in [0, count), on `most` threads or fewer; worker <
/// count_workers(count, most) says whose buffers to use. Give at::get_num_threads(), as many as torch
/// has. The first error is passed on once all threads have ended.
inline std::int64_t count_workers(std::int64_t count, std::int64_t most) {
  return std::clamp<std::int64_t>(count, 1, most);
}

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
