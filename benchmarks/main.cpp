#include <benchmark/benchmark.h>

#include "core/memory.h"

int main(int count, char** arguments) {
  reprise::keep_freed_memory();
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
