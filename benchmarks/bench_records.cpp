// Aggregation in records per second: 10,000 record.json files on disk -> mean, interval and n of
// every table entry. Peer: benchmarks/peers/records.py, which reads the same files, data/records
// below the working directory.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/random.h"
#include "records/aggregate.h"
#include "records/store.h"

namespace {

using namespace reprise;

constexpr int methods = 500, seeds = 20;

/// Writes records of 500 methods with 20 seeds each and four metrics per record. Bypasses the
/// store, which syncs every file to disk.
records::Store many_records() {
  const records::Store store("data/records");
  Random random(1);
  for (int method = 0; method < methods; ++method)
    for (int seed = 0; seed < seeds; ++seed) {
      records::Record record;
      record.cell = {"bench", "table1", "data", "method_" + std::to_string(method), seed};
      record.status = records::Status::Done;
      record.profile = "smoke";
      for (const auto* name : {"auc", "mean_error", "failure_rate", "accuracy"})
        record.metrics.push_back(
            {name, random.uniform(), "", records::Direction::HigherIsBetter, "bench v1"});
      for (int option = 0; option < 30; ++option)
        record.options.edit()["group.option_" + std::to_string(option)] = random.uniform();
      std::filesystem::create_directories(store.folder(record.cell));
      std::ofstream(store.folder(record.cell) / "record.json") << records::to_json(record).dump(1);
    }
  return store;
}

void read_and_aggregate(benchmark::State& state) {
  const auto store = many_records();
  for (auto _ : state) {
    const auto samples = records::aggregate(store.all());
    if (samples.size() != std::size_t{methods} * 4)
      state.SkipWithError("not every record was aggregated");
  }
  state.SetItemsProcessed(state.iterations() * methods * seeds);
}

BENCHMARK(read_and_aggregate)
    ->Name("records/read_and_aggregate")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);

}  // namespace
