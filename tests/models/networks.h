// Seeded values and small networks that the tests of backbones share.
#pragma once
#include <torch/torch.h>

#include "core/random.h"
#include "models/backbones/known_backbones.h"

namespace reprise::models {

inline torch::Tensor normal_values(const std::vector<std::int64_t>& shape, std::uint64_t seed,
                                   torch::Dtype type = torch::kFloat32) {
  auto values = torch::empty(shape, torch::kFloat64);
  Random random(seed);
  for (std::int64_t i = 0; i < values.numel(); ++i) values.data_ptr<double>()[i] = random.normal();
  return values.to(type);
}

/// Draws weights, biases and batch norm, statistics included, so that nothing is the identity by
/// chance.
inline void draw_all(torch::nn::Module& network, std::uint64_t seed) {
  const torch::NoGradGuard no_gradient;
  for (auto& item : network.named_parameters()) {
    auto& p = item.value();
    const double scale = p.dim() > 1 ? 1 / std::sqrt(static_cast<double>(p[0].numel())) : 0.3;
    p.copy_(normal_values(p.sizes().vec(), ++seed) * scale +
            (p.dim() == 1 && item.key().ends_with("weight") ? 1.0 : 0.0));
  }
  for (auto& item : network.named_buffers())
    if (item.value().dim() == 1)
      item.value().copy_(normal_values(item.value().sizes().vec(), ++seed).abs() +
                         (item.key().ends_with("running_var") ? 0.5 : 0.0));
}

inline double largest(const torch::Tensor& difference) {
  return difference.abs().max().item<double>();
}

/// Three convolutions on 16 x 16 images of 2 channels: with fc6 and fc7 of 12 units (width 12), or
/// global average pooling (width 0).
inline Backbone tiny_network(std::int64_t width, std::int64_t frames = 0,
                             Activation activation = Activation::Relu) {
  Random random(1);
  Backbone network = make_small_network({.channels = 2,
                                         .size = 16,
                                         .frames = frames,
                                         .trunk = "4 p 6/2 8",
                                         .width = width,
                                         .activation = activation,
                                         .outputs = 5},
                                        random);
  draw_all(*network, 2);
  network->eval();
  return network;
}

/// A chain whose end is a bottleneck block, global pooling and an output layer.
inline Backbone tiny_residual_network(std::size_t dimensions, std::int64_t inputs,
                                      std::int64_t stride) {
  using Kind = StageOptions::Kind;
  const std::vector<std::int64_t> ones(dimensions, 1), strides(dimensions, stride);
  Backbone network(std::vector<StageOptions>{
      {.kind = Kind::Convolution,
       .name = "conv1",
       .path = "conv1",
       .inputs = 2,
       .outputs = inputs,
       .window = square_window(dimensions, 3, 1, 1)},
      {.kind = Kind::Bottleneck,
       .name = "layer1.0",
       .path = "layer1.0",
       .inputs = inputs,
       .outputs = 8,
       .window = {.stride = strides}},
      {.kind = Kind::AveragePool, .name = "avgpool", .path = "avgpool", .window = {.size = ones}},
      {.kind = Kind::Linear,
       .name = "fc",
       .path = "fc",
       .inputs = 8,
       .outputs = 5,
       .activation = Activation::None}});
  draw_all(*network, 3);
  network->eval();
  return network;
}

}  // namespace reprise::models
