#include <benchmark/benchmark.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "benchmarks/device.h"
#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "experiments/run/device.h"

/// Runs the benchmarks: bench [--device=cpu|cuda] [options of Google Benchmark].
int main(int count, char** arguments) {
  reprise::pin_arithmetic();  // as in the program itself
  reprise::keep_freed_memory();
  const std::string flag = "--device=";
  auto* const end = arguments + count;
  auto* const asked = std::find_if(
      arguments + 1, end, [&](const std::string& argument) { return argument.starts_with(flag); });
  if (asked != end) {
    try {
      reprise::benchmarks::device() =
          at::Device(reprise::reproduce::choose_device(std::string(*asked).substr(flag.size())));
    } catch (const reprise::UsageError& error) {
      std::cerr << error.what() << '\n';
      return 2;
    }
    std::copy(asked + 1, end, asked);
    --count;
  }
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
