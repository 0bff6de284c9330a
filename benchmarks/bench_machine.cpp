// Peak rates of this machine, by which the rates of the other benchmarks are divided.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "benchmarks/device.h"
#include "models/layers/product.h"

namespace {

using namespace reprise;

/// Multiplies two 4096 x 4096 float32 matrices with the fastest library available: 2 n^3
/// operations.
void matrix_product(benchmark::State& state) {
  const torch::InferenceMode inference;
  const std::int64_t n = 4096;
  const auto a = torch::ones({n, n}, benchmarks::device()),
             b = torch::ones({n, n}, benchmarks::device());
  benchmarks::time_steps(state, [&] { models::multiply_transposed(a, b); });
  state.counters["flops"] = 2.0 * n * n * n;
}

/// Copies 1 GiB with all threads, or in GPU memory: each byte is read once and written once.
void memory_copy(benchmark::State& state) {
  const torch::InferenceMode inference;
  const auto from = torch::ones({std::int64_t{1} << 28}, benchmarks::device());
  auto to = torch::zeros_like(from);
  benchmarks::time_steps(state, [&] { to.copy_(from); });
  state.counters["bytes"] = 2.0 * from.nbytes();
}

BENCHMARK(matrix_product)
    ->Name("machine/matrix_product")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);
BENCHMARK(memory_copy)
    ->Name("machine/memory_copy")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);

}  // namespace
