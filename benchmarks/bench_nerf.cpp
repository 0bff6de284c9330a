// A radiance field on one thread: one fitting step (rays, forward, backward, Adam) and one view.
// Every ray meets the bounding sphere, so that the PyTorch peer, which has no such sphere, computes
// the same number of samples.
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
