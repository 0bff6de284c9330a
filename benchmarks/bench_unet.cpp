// The U-Net at the sizes of 28 x 28 digits and 32 x 32 colour pictures.
//
//     step         one training step: forward, loss, backward, fused AdamW
//     denoise      without gradients; on a GPU in bfloat16 and as a CUDA graph, as in sampling
//     invert       both inversions of 16 digits
//     synthesise   one round of Algorithm 1 on their pixels
//
// Peer: benchmarks/peers/unet.py, the same in plain PyTorch.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <memory>
#include <string>
#include <utility>

#include "benchmarks/device.h"
#include "core/memory.h"
#include "models/diffusion/diffusion_training.h"
#include "models/diffusion/prior.h"
#include "models/diffusion/synthesis.h"
#include "models/diffusion/unet.h"
#include "models/representations/canvas.h"
#include "training/adam.h"
#include "training/torch_generator.h"

namespace {

using namespace reprise;

// Number of threads at the start. Other benchmarks change it.
const int threads = at::get_num_threads();

models::UNetOptions options(std::int64_t side) {
  if (side == 28)
    return {.image_channels = 1,
            .patch = 2,
            .channels = {40, 80},
            .blocks = 1,
            .attention = {1},
            .classes = 10};
  return {.image_channels = 3, .patch = 1, .channels = {32, 64, 64}, .blocks = 2, .attention = {1}};
}

struct Work {
  explicit Work(std::int64_t side, std::int64_t batch) {
    at::set_num_threads(threads);
    Random random(1);
    auto network = std::make_shared<models::UNet>(options(side), random);
    const auto generator = training::torch_generator(2);
    {
      // Move the weights away from their initial zeros, as some training steps would.
      const torch::NoGradGuard no_gradient;
      for (auto& parameter : network->parameters())
        parameter.add_(0.02 * torch::randn(parameter.sizes(), generator));
    }
    D = std::make_shared<models::PreconditionedDenoiser>(network);
    D->to(benchmarks::device());
    x_0 = torch::randn({batch, options(side).image_channels, side, side}, generator) / 2;
    epsilon = models::draw_unit_noise(x_0, generator).to(benchmarks::device());
    x_0 = x_0.to(benchmarks::device());
    sigma = torch::logspace(-1, 1, batch).to(benchmarks::device());
    if (options(side).classes > 0)
      labels = torch::arange(batch, benchmarks::device()).remainder(options(side).classes);
  }

  std::shared_ptr<models::PreconditionedDenoiser> D;
  at::Tensor x_0, epsilon, sigma, labels;
};

std::int64_t batch_size(std::int64_t side) { return side == 28 ? 64 : 16; }

void train(benchmark::State& state) {
  const Work work(state.range(0), batch_size(state.range(0)));
  training::Adam adam({{work.D->parameters(), 1e-4}}, 0.01);
  const auto step = [&] {
    adam.zero_grad();
    models::training_loss(*work.D, work.x_0, work.sigma, work.epsilon, work.D->sigma_data(),
                          work.labels)
        .backward();
    adam.step(1);
  };
  benchmarks::time_steps(state, step);
  state.SetItemsProcessed(state.iterations() * work.x_0.size(0));
}
BENCHMARK(train)
    ->Name("unet_step")
    ->Arg(28)
    ->Arg(32)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);

void denoise(benchmark::State& state) {
  const Work work(state.range(0), batch_size(state.range(0)));
  const torch::NoGradGuard no_gradient;
  const auto x = work.x_0 + models::broadcast_sigma(work.sigma, work.x_0) * work.epsilon;
  std::shared_ptr<models::Denoiser> D = work.D;
  if (benchmarks::device().is_cuda()) {
    models::prepare_for_inference(*work.D, benchmarks::device());
    D = models::make_guided_denoiser({.metadata = {}, .options = {}, .D = work.D}, 1);
  }
  benchmarks::time_steps(state,
                         [&] { benchmark::DoNotOptimize((*D)(x, work.sigma, work.labels)); });
  state.SetItemsProcessed(state.iterations() * work.x_0.size(0));
}
BENCHMARK(denoise)
    ->Name("unet_denoise")
    ->Arg(28)
    ->Arg(32)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);

void invert(benchmark::State& state, models::Inversion method) {
  const Work work(28, 16);
  work.D->eval();
  const auto run = [&] {
    return models::invert(*work.D, work.x_0, 1, {.method = method}, work.epsilon);
  };
  const PeakMemory peak;
  run();
  state.counters["memory_bytes"] = static_cast<double>(peak.bytes());
  for (auto _ : state) benchmark::DoNotOptimize(run());
}

void synthesise(benchmark::State& state, models::Inversion method) {
  const Work work(28, 16);
  work.D->eval();
  models::Canvas canvas(work.x_0);
  const auto round = [&] {
    models::synthesise(
        canvas, *work.D, *work.D,
        {.rounds = 1, .sigma_first = 1, .sigma_last = 1, .inversion = {.method = method}});
  };
  round();
  for (auto _ : state) round();
}

int register_all() {
  for (const auto& [name, method] : {std::pair{"backprop", models::Inversion::Backprop},
                                     std::pair{"ode", models::Inversion::Ode}})
    for (const auto& [what, run] :
         {std::pair{"invert", &invert}, std::pair{"synthesise", &synthesise}})
      benchmark::RegisterBenchmark(
          (std::string(what) + "_" + name + "/28").c_str(),
          [run = run, method = method](benchmark::State& state) { run(state, method); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond)
          ->Iterations(2);
  return 0;
}

const int registered = register_all();

}  // namespace
