// Training steps of transformed networks.
//
//     vgg16_pre_gru_fc6            VGG16 with fc6 as a PreGRU, trunk frozen or trained; one clip of
//                                  8 frames of 224 x 224 pixels
//     resnet50_pre_lstm_layer4.2   ResNet-50 with its last block as a convolutional PreLSTM; the
//                                  same clip
//     fc_gru_end_to_end            study dynamic_face in profile small: FC-GRU at fc6 and fc7 of a
//                                  small network, 8 clips of 32 frames of 48 x 48 pixels,
//                                  variational dropout 0.25
//
// Peer: benchmarks/peers/backbones.py.
//
// A step is the forward pass, the mean square of the outputs, the backward pass into every trained
// weight, and w <- w - rate * gradient.
//
// Operations of VGG16, multiplications and additions counted separately: 30.7 GFLOP per frame for
// the forward pass of the trunk, and twice that for its backward pass if it is trained. fc6, fc7
// and fc8 take 2 T operations per weight forward, and twice that backward.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "models/backbones/known_backbones.h"
#include "models/recurrent/recurrent_backbone.h"
#include "training/precision.h"

namespace {

using namespace reprise;

constexpr std::int64_t steps = 8, pixels = 224;
constexpr double trunk_operations = 30.7e9, rate = 1e-6;

/// Makes the transformed network. Its weights come from torch's fast generator; their values do not
/// affect the time.
std::unique_ptr<training::SequenceNetwork> make_network(const std::string& name,
                                                        const models::TransformOptions& options) {
  const torch::NoGradGuard no_gradient;
  auto trained = models::known_backbone(name).make(1000);
  auto generator = at::make_generator<at::CPUGeneratorImpl>(1);
  for (auto& parameter : trained->parameters())
    if (parameter.dim() > 1)
      parameter.normal_(0,
                        std::sqrt(2.0 / static_cast<double>(parameter.numel() / parameter.size(0))),
                        generator);
    else
      parameter.zero_();
  for (const auto& item : trained->named_parameters())
    if (item.value().dim() == 1 && item.key().ends_with("weight"))
      item.value().fill_(0.5);  // of batch norm
  Random random(1);
  return models::transform(trained, options, random);
}

void train(benchmark::State& state, const std::string& name,
           const models::TransformOptions& options, bool frozen,
           training::Precision precision = training::Precision::Float32) {
  auto network = make_network(name, options);
  double head = 0;
  std::vector<torch::Tensor> trained;
  for (const auto& item : network->named_parameters()) {
    const bool in_trunk = item.key().starts_with("features.");
    if (in_trunk && frozen) item.value().requires_grad_(false);
    if (!in_trunk) head += static_cast<double>(item.value().numel());
    if (item.value().requires_grad()) trained.push_back(item.value());
  }
  const auto x = torch::arange(steps * 3 * pixels * pixels)
                     .remainder(251)
                     .div(125)
                     .sub(1)
                     .view({1, steps, 3, pixels, pixels});
  const auto predict = [&] {
    const training::PrecisionGuard passes(precision, torch::kCPU);
    return network->forward(x);
  };
  const auto step = [&] {
    predict().to(torch::kFloat).square().mean().backward();
    const torch::NoGradGuard no_gradient;
    for (auto& parameter : trained) {
      parameter.add_(parameter.grad(), -rate);
      parameter.mutable_grad().reset();
    }
  };
  step();
  for (auto _ : state) step();
  state.SetItemsProcessed(state.iterations() * steps);
  if (name == "vgg16")
    state.counters["flops"] = steps * ((frozen ? 1 : 3) * trunk_operations + 6 * head);
}

/// Times a step of the network of study dynamic_face in profile small.
void train_fc_gru(benchmark::State& state) {
  constexpr std::int64_t clips = 8, frames = 32, side = 48;
  Random random(1);
  const auto trained = models::make_small_network({.channels = 3,
                                                   .size = side,
                                                   .trunk = "16/2 32 p 48 p 32",
                                                   .width = 128,
                                                   .activation = models::Activation::Tanh,
                                                   .outputs = 3},
                                                  random);
  const auto network = models::transform(trained,
                                         {.layers = {"fc6", "fc7"},
                                          .cell = models::RecurrentCell::Gru,
                                          .hidden_scale = 0,
                                          .open_gates = true,
                                          .dropout = 0.25},
                                         random);
  const auto x = torch::arange(clips * frames * 3 * side * side)
                     .remainder(251)
                     .div(125)
                     .sub(1)
                     .view({clips, frames, 3, side, side});
  const auto parameters = network->parameters();
  const auto step = [&] {
    network->forward(x).square().mean().backward();
    const torch::NoGradGuard no_gradient;
    for (auto parameter : parameters) {
      parameter.add_(parameter.grad(), -rate);
      parameter.mutable_grad().reset();
    }
  };
  step();
  for (auto _ : state) step();
  state.SetItemsProcessed(state.iterations() * clips * frames);
}

int register_all() {
  const models::TransformOptions gru{.layers = {"fc6"}, .cell = models::RecurrentCell::Gru};
  const models::TransformOptions lstm{.layers = {"layer4.2"}, .cell = models::RecurrentCell::Lstm};
  const auto add = [](const std::string& name, auto run) {
    benchmark::RegisterBenchmark(("backbones/" + name).c_str(), run)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(3);
  };
  for (const auto& [trunk, frozen] :
       {std::pair{"frozen_trunk", true}, std::pair{"trained_trunk", false}})
    for (const auto& [suffix, precision] : {std::pair{"", training::Precision::Float32},
                                            std::pair{"/bfloat16", training::Precision::BFloat16}})
      add(std::string("vgg16_pre_gru_fc6/") + trunk + suffix,
          [gru, frozen = frozen, precision = precision](benchmark::State& state) {
            train(state, "vgg16", gru, frozen, precision);
          });
  add("resnet50_pre_lstm_layer4.2",
      [lstm](benchmark::State& state) { train(state, "resnet50", lstm, false); });
  benchmark::RegisterBenchmark("backbones/fc_gru_end_to_end", train_fc_gru)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(20);
  return 0;
}

const int registered = register_all();

}  // namespace
