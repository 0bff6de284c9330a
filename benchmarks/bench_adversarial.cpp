// MoCoGAN at two sizes: an iteration of its training (batches, a step of D, a step of G, the moving
// average), what of it is data, and the generation of clips of 16 frames.
//
//     64    the released widths: 64 x 64 pixels, 3 clips, of each of which D_I sees 3 frames (the release has 10 of other clips)
//     16    those of two cores: 16 x 16 pixels, width 32 of G_I and 16 of D_I and D_V, 16 clips, a frame of each
//
// In float32 as the peer, and with precision "auto", which takes bfloat16 where that is faster:
// once beside the peer as it is, once beside the peer under torch.autocast.
// benchmarks/peers/adversarial.py is the same in plain PyTorch.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <memory>

#include "benchmarks/device.h"
#include "models/adversarial/mocogan.h"
#include "training/progress.h"

namespace {

using namespace reprise;

// As many as before another benchmark set them.
const int threads = at::get_num_threads();

models::MocoganOptions options_of(std::int64_t side, std::int64_t iterations,
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

training::Examples clips_of(std::int64_t side) {
  at::set_num_threads(threads);
  torch::manual_seed(1);
  return {.x = (at::rand({128, 16, 3, side, side}) * 2 - 1).to(benchmarks::device()), .labels = {}};
}

/// Of the iterations alone: drawing the weights and what else fit() does once is not timed.
void iterate(benchmark::State& state, training::Precision precision) {
  const auto examples = clips_of(state.range(0));
  training::Progress silent(nullptr);
  double data = 0, all = 0;
  auto used = precision;
  benchmarks::time_iterations(state, state.range(0) == 64 ? 2 : 8, [&](std::int64_t iterations) {
    models::Mocogan method(options_of(state.range(0), iterations, precision));
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
  state.SetItemsProcessed(state.iterations() * options_of(state.range(0), 1).batches.batch);
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
  models::Mocogan method(options_of(state.range(0), 0));
  training::Progress silent(nullptr);
  method.fit(clips_of(state.range(0)), 1, silent);
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
