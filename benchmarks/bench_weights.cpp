// Reading VGG16's weights from a .pth file of 528 MiB in the page cache: time, and additional peak
// memory as a multiple of the file size. Peer: benchmarks/peers/weights.py, which reads the same
// file, data/vgg16.pth below the working directory.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <filesystem>

#include "core/memory.h"
#include "models/backbones/known_backbones.h"
#include "training/module_state.h"
#include "weights/pytorch_file.h"
#include "weights/state_dict.h"

namespace {

using namespace reprise;

std::filesystem::path weights_file() {
  const std::filesystem::path path = "data/vgg16.pth";
  if (!std::filesystem::exists(path)) {
    const torch::NoGradGuard no_gradient;
    auto network = models::vgg16();
    for (auto& parameter : network->parameters()) parameter.fill_(0.01);
    weights::write_pytorch(path, training::module_state(*network));
  }
  return path;
}

void read_pth(benchmark::State& state) {
  const auto path = weights_file();
  const auto size = static_cast<double>(std::filesystem::file_size(path));
  const PeakMemory peak;
  weights::read_weights(path);
  state.counters["memory"] = static_cast<double>(peak.bytes()) / size;
  for (auto _ : state) benchmark::DoNotOptimize(weights::read_weights(path));
  state.counters["bytes"] = size;
}

BENCHMARK(read_pth)
    ->Name("weights/read_vgg16_pth")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);

}  // namespace
