// The renderer of heads: the mesh of a person, frames per second of one head on one thread, and a
// set of stills with backgrounds on all threads.
#include <benchmark/benchmark.h>

#include <numeric>

#include "datasets/scene/background.h"
#include "datasets/scene/synthetic_head.h"

namespace reprise::datasets {
namespace {

void BuildHead(benchmark::State& state) {
  for (std::int64_t number = 100; auto _ : state)
    benchmark::DoNotOptimize(head_mesh(identity(number++), 1));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BuildHead)->Name("build_head")->Unit(benchmark::kMicrosecond);

void RenderHead(benchmark::State& state) {
  const auto size = static_cast<int>(state.range(0));
  HeadRenderer renderer(size);
  Random random(1);
  const auto behind = background(size, size, random);
  const auto who = identity(0);
  renderer.meet(who);
  std::vector<std::uint8_t> image(static_cast<std::size_t>(size) * size * 3);
  std::array<float, 136> landmarks{};
  double yaw = -40;
  for (auto _ : state) {
    yaw = yaw > 40 ? -40 : yaw + 1;
    renderer.render_into(who, {.yaw = yaw}, {}, Light{}, behind.const_data_ptr<std::uint8_t>(),
                         image.data(), landmarks.data());
    benchmark::DoNotOptimize(image.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(RenderHead)->Name("render_head")->Arg(64)->Arg(400)->Unit(benchmark::kMicrosecond);

void SyntheticStills(benchmark::State& state) {
  constexpr std::int64_t n = 1000;
  std::vector<std::int64_t> people(10);
  std::iota(people.begin(), people.end(), 0);
  for (auto _ : state)
    benchmark::DoNotOptimize(render_head_stills(n, static_cast<int>(state.range(0)), people, 1));
  state.SetItemsProcessed(state.iterations() * n);
}
BENCHMARK(SyntheticStills)
    ->Name("synthetic_stills")
    ->Arg(64)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace reprise::datasets
