// Where what is timed is computed, and how steps are timed there.
#pragma once
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>

namespace reprise::benchmarks {

/// The CPU, or what --device said.
inline at::Device& device() {
  static at::Device chosen(at::kCPU);
  return chosen;
}

/// For benchmarks with UseManualTime(): the mean time of a step, after one that does not count. On
/// a GPU 20 that do not count (libraries make their plans, the allocator fills its cache) and then
/// 60 or more over all iterations, at each of whose ends the GPU is waited for: as in training, the
/// processor runs ahead of it.
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

/// For benchmarks with UseManualTime(): an iteration of a training that does other things once.
/// `fit(n)` trains for n iterations and returns the seconds that they took. On a GPU it cannot know
/// them, for they are only asked for when it looks at the clock: there it is the difference of two
/// trainings, of 5 and of 20 iterations, each with all that it does once.
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
