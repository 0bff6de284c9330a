// Optical flow in frames per second, on gray pictures of 320 x 240 pixels (the size of UCF101 and
// HMDB51): DIS, and TV-L1 if the build has it. The input is a textured pattern that moves by a few
// pixels. Peer: benchmarks/peers/flow.py, OpenCV's Python module, if it is installed.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "datasets/transforms/optical_flow.h"

namespace {

using namespace reprise;

constexpr std::int64_t height = 240, width = 320;

/// Draws frame t of the pattern: [1, H, W], uint8.
torch::Tensor frame(std::int64_t t) {
  const auto y = torch::arange(height).unsqueeze(1), x = torch::arange(width).unsqueeze(0);
  const auto moved = x - 2 * t;
  const auto picture = 128 + 50 * torch::sin(0.11 * moved + 0.05 * y) +
                       40 * torch::cos(0.23 * y - 0.07 * moved) +
                       20 * torch::sin(0.9 * moved) * torch::sin(0.8 * y);
  return picture.to(torch::kByte);
}

void flow(benchmark::State& state, datasets::FlowMethod method, std::int64_t frames) {
  std::vector<torch::Tensor> pictures;
  for (std::int64_t t = 0; t <= frames; ++t) pictures.push_back(frame(t));
  const auto all = torch::stack(pictures);
  const auto first = all.slice(0, 0, frames).contiguous(),
             second = all.slice(0, 1, frames + 1).contiguous();
  datasets::compute_optical_flow(first, second, method);
  for (auto _ : state)
    benchmark::DoNotOptimize(datasets::compute_optical_flow(first, second, method));
  state.SetItemsProcessed(state.iterations() * frames);
}

int register_all() {
  const auto add = [](datasets::FlowMethod method, std::int64_t frames) {
    benchmark::RegisterBenchmark(
        ("flow/" + datasets::flow_method_name(method)).c_str(),
        [method, frames](benchmark::State& state) { flow(state, method, frames); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(3);
  };
  add(datasets::FlowMethod::Dis, 64);
  if (datasets::has_flow_method(datasets::FlowMethod::TvL1)) add(datasets::FlowMethod::TvL1, 8);
  return 0;
}

const int registered = register_all();

}  // namespace
