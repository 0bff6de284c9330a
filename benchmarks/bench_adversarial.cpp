// MoCoGAN: one training iteration (batches, a step of D, a step of G, the moving average), its
// fraction of data loading, and the generation of clips of 16 frames.
//
//     64    widths of the release, 64 x 64 pixels: 3 clips, 3 frames of each for D_I (the release
//           takes 10 frames of other clips)
//     16    widths for two cores (G_I 32, D_I and D_V 16), 16 x 16 pixels: 16 clips, one frame of
//           each for D_I
//
// Precision float32, and "auto", which takes bfloat16 if that is faster. "auto" is compared with
// the peer in float32 and with the peer under torch.autocast. Peer:
// benchmarks/peers/adversarial.py, the same in plain PyTorch.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <memory>

#include "benchmarks/device.h"
#include "models/adversarial/mocogan.h"
#include "training/progress.h"

namespace {

using namespace reprise;

// Number of threads at the start. Other benchmarks change it.
const int threads = at::get_num_threads();

models::MocoganOptions make_options(std::int64_t side, std::int64_t iterations,
                                    training::Precision precision = training::Precision::Float32) {
  const bool large = side == 64;
  models::MocoganOptions options{.width_G = large ? 64 : 32, .width_D = large ? 64 : 16};
  options.batches = {.T = 16, .batch = large ? 3 : 16, .frames_per_clip = large ? 3 : 1};
  options.training.iterations = iterations;
  options.training.noise.sigma = 0.1;
  options.training.ema_decay = 0.998;
  options.training.precision = precision;
  return options;
}

training::Examples make_clips(std::int64_t side) {
  at::set_num_threads(threads);
  torch::manual_seed(1);
  return {.x = (at::rand({128, 16, 3, side, side}) * 2 - 1).to(benchmarks::device()), .labels = {}};
}

/// Times the iterations only, without the set-up of fit(), such as drawing the weights.
void iterate(benchmark::State& state, training::Precision precision) {
  const auto examples = make_clips(state.range(0));
  training::Progress silent(nullptr);
  double data = 0, all = 0;
  auto used = precision;
  benchmarks::time_iterations(state, state.range(0) == 64 ? 2 : 8, [&](std::int64_t iterations) {
    models::Mocogan method(make_options(state.range(0), iterations, precision));
    method.fit(examples, 1, silent);
    double seconds = 0;
    for (const auto& [phase, part] : method.report().seconds) seconds += part;
    data += method.report().seconds.at("data");
    all += seconds;
    used = method.report().precision;
    return seconds;
  });
  if (!benchmarks::device().is_cuda()) state.counters["data_share"] = data / all;
  state.counters["bfloat16"] = used == training::Precision::BFloat16 ? 1 : 0;
  state.SetItemsProcessed(state.iterations() * make_options(state.range(0), 1).batches.batch);
}
void add_iterations(const char* name, training::Precision precision) {
  benchmark::RegisterBenchmark(name, iterate, precision)
      ->Arg(16)
      ->Arg(64)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(4);
}
[[maybe_unused]] const bool added = [] {
  add_iterations("mocogan_iteration", training::Precision::Float32);
  add_iterations("mocogan_iteration_auto", training::Precision::Auto);
  add_iterations("mocogan_iteration_autocast", training::Precision::Auto);
  return true;
}();

void generate(benchmark::State& state) {
  models::Mocogan method(make_options(state.range(0), 0));
  training::Progress silent(nullptr);
  method.fit(make_clips(state.range(0)), 1, silent);
  constexpr std::int64_t clips = 16;
  method.sample({.count = clips, .frames = 16});
  for (auto _ : state)
    benchmark::DoNotOptimize(method.sample({.count = clips, .seed = 2, .frames = 16}));
  state.SetItemsProcessed(state.iterations() * clips);
}
BENCHMARK(generate)
    ->Name("mocogan_generate")
    ->Arg(16)
    ->Arg(64)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);

}  // namespace
