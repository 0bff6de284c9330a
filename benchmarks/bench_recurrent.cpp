// Training step and inference of every recurrent cell, at the sizes of a small fc layer and of
// VGG16's fc6. Peer: benchmarks/peers/recurrent.py.
//
// A training step is the forward pass over T steps from a zero state, and the backward pass of the
// sum of the outputs into every weight. Gradients are dropped before the next step. There is no
// optimiser and no gradient of the input, which would come from a frozen trunk.
//
// Operations, multiplications and additions counted separately: 2 B T per weight of W_x and W_h in
// the forward pass, the same again for the weight gradients, and once more for the product with W_h
// that carries the gradient back in time. Memory traffic, for weights too large for a cache: W_x is
// read once per pass, W_h at every step of both passes; each gradient is written once.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/device.h"
#include "models/recurrent/recurrent_layer.h"

namespace {

using namespace reprise;
using models::InputToHidden;
using models::RecurrentCell;

struct Size {
  std::int64_t inputs, units, batch, steps;
};

struct Case {
  std::string cell_name;
  Cell cell;
  InputToHidden input_to_hidden;
};

/// Makes the layer of a case. Caches only the last one: a large one takes 4 GB with its gradients.
models::RecurrentLayer make_layer(const Case& c, const Size& size) {
  static std::string kept_name;
  static models::RecurrentLayer kept{nullptr};
  const auto name = c.cell_name + std::to_string(size.inputs);
  if (name == kept_name) return kept;
  kept = nullptr;
  Random random(1);
  const auto options = models::RecurrentLayerOptions(size.inputs, size.units)
                           .cell(c.cell)
                           .input_to_hidden(c.input_to_hidden);
  kept = models::RecurrentLayer(options, random);
  kept->to(benchmarks::device());
  kept_name = name;
  return kept;
}

torch::Tensor make_clips(const Size& size) {
  return torch::arange(size.batch * size.steps * size.inputs, benchmarks::device())
      .remainder(17)
      .div(17)
      .view({size.batch, size.steps, size.inputs});
}

/// Returns the memory traffic of the weights in bytes; 0 if a cache holds them.
double traffic(const models::RecurrentLayer& layer, double times_x, double times_h) {
  const auto x = static_cast<double>(layer->weight_x.nbytes()),
             h = static_cast<double>(layer->weight_h.nbytes());
  return x + h > 256e6 ? times_x * x + times_h * h : 0;
}

double forward_operations(const models::RecurrentLayer& layer, const Size& size) {
  return 2.0 * static_cast<double>(size.batch * size.steps *
                                   (layer->weight_x.numel() + layer->weight_h.numel()));
}

void train(benchmark::State& state, const Case& c, const Size& size) {
  auto layer = make_layer(c, size);
  const auto x = make_clips(size);
  const auto step = [&] {
    layer->zero_grad();
    layer->forward(x).sum().backward();
  };
  benchmarks::time_steps(state, step);
  const auto rows = static_cast<double>(size.batch * size.steps);
  state.counters["flops"] =
      2 * forward_operations(layer, size) + 2 * rows * static_cast<double>(layer->weight_h.numel());
  state.counters["bytes"] = traffic(layer, 2, static_cast<double>(2 * size.steps));
  layer->zero_grad();
}

void infer(benchmark::State& state, const Case& c, const Size& size) {
  auto layer = make_layer(c, size);
  const torch::InferenceMode inference;
  const auto x = make_clips(size);
  benchmarks::time_steps(state, [&] { layer->forward(x); });
  state.counters["flops"] = forward_operations(layer, size);
  state.counters["bytes"] = traffic(layer, 1, static_cast<double>(size.steps));
}

int register_all() {
  const std::vector<Case> cases{{"vrnn", RecurrentCell::Vrnn, InputToHidden::PerGate},
                                {"lstm", RecurrentCell::Lstm, InputToHidden::PerGate},
                                {"gru", RecurrentCell::Gru, InputToHidden::PerGate},
                                {"sih_lstm", RecurrentCell::Lstm, InputToHidden::Shared},
                                {"sih_gru", RecurrentCell::Gru, InputToHidden::Shared}};
  for (const auto& [size_name, size] :
       {std::pair{"512", Size{512, 512, 32, 16}}, std::pair{"25088", Size{25088, 4096, 2, 8}}})
    for (const auto& c : cases)
      for (const auto& [phase, run] : {std::pair{"train", &train}, std::pair{"infer", &infer}})
        benchmark::RegisterBenchmark(
            ("recurrent/" + c.cell_name + "/" + size_name + "/" + phase).c_str(),
            [run = run, c, size = size](benchmark::State& state) { run(state, c, size); })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond)
            ->Iterations(size.inputs > 10000 ? 3 : 20);
  return 0;
}

const int registered = register_all();

}  // namespace
