// Device of the benchmarks, and timing loops that are correct on a CPU and on a GPU.
#pragma once
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>

namespace reprise::benchmarks {

/// Returns the device of all benchmarks: the CPU, or the value of --device.
inline at::Device& device() {
  static at::Device chosen(at::kCPU);
  return chosen;
}

/// Measures the mean time of a step, for benchmarks with UseManualTime().
/// CPU: one warm-up step, one step per iteration.
/// GPU: 20 warm-up steps, in which libraries plan and the allocator fills its cache, then at least
/// 60 steps over all iterations. The clock waits for the GPU only at the end of an iteration: as in
/// training, the CPU runs ahead of it.
template <class Step>
void time_steps(benchmark::State& state, Step step) {
  const bool gpu = device().is_cuda();
  const auto run = [&](benchmark::IterationCount steps) {
    for (benchmark::IterationCount i = 0; i < steps; ++i) step();
    if (gpu) torch::cuda::synchronize();
  };
  run(gpu ? 20 : 1);
  const auto steps = gpu ? std::max<benchmark::IterationCount>(3, 60 / state.max_iterations) : 1;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    run(steps);
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
        static_cast<double>(steps));
  }
}

/// Measures one training iteration without the set-up, for benchmarks with UseManualTime().
/// `fit(n)` trains for n iterations and returns their time in seconds. On a GPU that time is wrong,
/// because kernels run after fit() reads the clock. There the result is the difference of two whole
/// trainings, of 20 and of 5 iterations, divided by 15.
template <class Fit>
void time_iterations(benchmark::State& state, std::int64_t iterations, Fit fit) {
  if (!device().is_cuda()) {
    fit(iterations);
    for (auto _ : state) state.SetIterationTime(fit(iterations) / static_cast<double>(iterations));
    return;
  }
  const auto seconds = [&](std::int64_t count) {
    const auto start = std::chrono::steady_clock::now();
    fit(count);
    torch::cuda::synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  constexpr std::int64_t few = 5, many = 20;
  seconds(many);
  for (auto _ : state) {
    const double short_one = seconds(few);
    state.SetIterationTime(std::max(1e-9, seconds(many) - short_one) / (many - few));
  }
}

}  // namespace reprise::benchmarks
