// A radiance field: one step of fitting it (rays, forward, backward, Adam), and one view, on one
// thread. Every ray meets the sphere, so that the PyTorch side, which knows of no sphere, has as
// many samples to compute.
#include <benchmark/benchmark.h>

#include "models/representations/radiance_field.h"

namespace reprise::models {
namespace {

RadianceFieldOptions options() { return {.size = 64, .focal = 200, .fit = {.steps = 1}}; }

void NerfStep(benchmark::State& state) {
  at::set_num_threads(1);
  auto with = options();
  with.rays = state.range(0);
  RadianceField field(with);
  Random random(1);
  const auto psi = field.views(random);
  const auto target = torch::rand({psi.size(0), 3, 64, 64});
  for (auto _ : state) field.fit(psi, target);
  state.SetItemsProcessed(state.iterations() * with.rays);
}
BENCHMARK(NerfStep)->Name("nerf_step")->Arg(1024)->UseRealTime()->Unit(benchmark::kMillisecond);

void NerfView(benchmark::State& state) {
  at::set_num_threads(1);
  RadianceField field(options());
  Random random(1);
  const auto psi = field.views(random).slice(0, 0, 1);
  const torch::NoGradGuard no_gradient;
  for (auto _ : state) benchmark::DoNotOptimize(field.render(psi));
  state.SetItemsProcessed(state.iterations() * 64 * 64);
}
BENCHMARK(NerfView)->Name("nerf_view")->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace reprise::models
