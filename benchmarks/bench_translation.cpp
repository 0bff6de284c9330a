// UNIT: one training iteration (both generators' streams, a step of D_1 and D_2, a step of E and G)
// and the translation of a frame.
//
//     32       maps of profile small: 4 pictures of each domain
//     64       photographs of profile small: 8 pictures of each domain
//     256      the networks of 64, 1 picture of each domain
//     digits   adaptation of a classifier in profile small: 16 x 16 pixels, 32 digits of each set
//     frame    640 x 480 pixels, with the networks of photographs
//
// Peer: benchmarks/peers/translation.py, the same in plain PyTorch.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "benchmarks/device.h"
#include "core/memory.h"
#include "models/translation/digit_unit.h"
#include "models/translation/trained_unit.h"
#include "models/translation/unit.h"
#include "training/progress.h"

namespace {

using namespace reprise;

// Number of threads at the start. Other benchmarks change it.
const int threads = at::get_num_threads();

models::UnitNetworkOptions make_network(std::int64_t side) {
  const bool map = side == 32;
  return {.width = 16,
          .halvings = map ? 1 : 2,
          .blocks_E = map ? 2 : 3,
          .shared_E = 1,
          .blocks_G = map ? 2 : 3,
          .shared_G = 1,
          .norm_in_halves = true,
          .width_D = 16,
          .layers_D = map ? 3 : 4,
          .shared_D = 1,
          .kernel_D = 3};
}

/// Returns the pictures per domain of a batch. Larger pictures are trained one at a time.
std::int64_t choose_batch(std::int64_t side) {
  if (side == 32) return 4;
  return side == 64 ? 8 : 1;
}

models::UnitOptions make_options(std::int64_t side, std::int64_t iterations) {
  models::UnitOptions options{.network = make_network(side),
                              .batch = choose_batch(side),
                              .start = models::UnitStart::He};
  options.training.iterations = iterations;
  options.training.ema_decay = 0.99;
  return options;
}

at::Tensor make_pictures(std::int64_t n, std::int64_t channels, std::int64_t side) {
  at::set_num_threads(threads);
  return (at::rand({n, channels, side, side}) * 2 - 1).to(benchmarks::device());
}

/// Returns the time of the iterations only, without the set-up of fit(), such as drawing the
/// weights.
double total_seconds(const training::AdversarialReport& report) {
  double all = 0;
  for (const auto& [phase, part] : report.seconds) all += part;
  return all;
}

void iterate(benchmark::State& state) {
  const auto side = state.range(0);
  const auto a = make_pictures(16, 3, side), b = make_pictures(16, 3, side);
  training::Progress silent(nullptr);
  const PeakMemory peak;
  benchmarks::time_iterations(state, side == 32 ? 16 : 4, [&](std::int64_t iterations) {
    models::Unit method(make_options(side, iterations));
    method.fit(a, b, 1, silent);
    return total_seconds(method.report());
  });
  state.counters["memory_bytes"] = static_cast<double>(peak.bytes());
  state.SetItemsProcessed(state.iterations() * 2 * make_options(side, 1).batch);
}
BENCHMARK(iterate)
    ->Name("unit_iteration")
    ->Arg(32)
    ->Arg(64)
    ->Arg(256)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(4);

void iterate_digits(benchmark::State& state) {
  constexpr std::int64_t side = 16, batch = 32;
  const training::AdaptationData data{
      .source = make_pictures(64, 1, side),
      .labels = torch::arange(64, benchmarks::device()).remainder(10),
      .target = make_pictures(64, 1, side)};
  models::DigitUnitOptions options;
  options.common.width_G = options.common.width_D = 16;
  options.common.batch = batch;
  training::Progress silent(nullptr);
  benchmarks::time_iterations(state, 16, [&](std::int64_t iterations) {
    options.common.training.iterations = iterations;
    models::DigitUnit method(options);
    method.fit(data, 1, silent);
    return total_seconds(method.report());
  });
  state.SetItemsProcessed(state.iterations() * 2 * batch);
}
BENCHMARK(iterate_digits)
    ->Name("unit_digit_iteration")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(4);

void translate(benchmark::State& state) {
  at::set_num_threads(threads);
  models::UnitNetwork G(make_network(64));
  auto random = Random(1);
  models::draw_unit(*G, models::UnitStart::He, false, random);
  G->eval();
  for (auto& parameter : G->parameters()) parameter.set_requires_grad(false);
  const auto frame = at::rand({3, 480, 640}) * 2 - 1;
  const PeakMemory peak;
  models::translate_picture(G, frame, training::Domain::A);
  state.counters["memory_bytes"] = static_cast<double>(peak.bytes());
  for (auto _ : state)
    benchmark::DoNotOptimize(models::translate_picture(G, frame, training::Domain::A));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(translate)
    ->Name("unit_frame")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);

}  // namespace
