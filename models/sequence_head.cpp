#include "models/sequence_head.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "models/product.h"

namespace reprise::models {
namespace {

torch::nn::Linear copy(const torch::nn::Linear& layer) {
  torch::nn::Linear same(layer->options);
  const torch::NoGradGuard no_gradient;
  same->weight.copy_(layer->weight);
  same->bias.copy_(layer->bias);
  return same;
}

}  // namespace

SequenceHead::SequenceHead(const TrainedLayers& trained) {
  layers_.push_back({.name = "fc6", .feedforward = register_module("fc6", copy(trained.fc6))});
  layers_.push_back({.name = "fc7", .feedforward = register_module("fc7", copy(trained.fc7))});
  out_ = register_module("out", copy(trained.out));
}

void SequenceHead::make_recurrent(const std::string& name, Cell cell, InputToHidden input_to_hidden, double hidden_scale, Random& random) {
  const auto layer = std::find_if(layers_.begin(), layers_.end(), [&](const Layer& l) { return l.name == name && l.feedforward; });
  if (layer == layers_.end()) {
    std::vector<std::string> known;
    for (const auto& l : layers_)
      if (l.feedforward) known.push_back(l.name);
    throw UsageError(fmt::format("there is no feedforward layer \"{}\" to make recurrent", name), "name one of: " + join(known, ", "));
  }
  layer->recurrent = replace_module(name, transform(layer->feedforward, cell, input_to_hidden, hidden_scale, random));
  layer->feedforward = nullptr;
}

void SequenceHead::append_recurrent(const std::string& name, Cell cell, double hidden_scale, Random& random) {
  const auto width = out_->options.in_features();
  RecurrentLayer layer(RecurrentLayerOptions(width, width).cell(cell).hidden_scale(hidden_scale), random);
  layers_.push_back({.name = name, .recurrent = register_module(name, layer), .appended = true});
}

torch::Tensor SequenceHead::apply(Layer& layer, const torch::Tensor& x) {
  return layer.recurrent ? layer.recurrent(x) : torch::relu(linear(x, layer.feedforward->weight, layer.feedforward->bias));
}

torch::Tensor SequenceHead::forward(const torch::Tensor& x) {
  auto y = x;
  for (auto& layer : layers_) y = apply(layer, y);
  return linear(y, out_->weight, out_->bias);
}

std::vector<torch::Tensor> SequenceHead::fresh() const {
  std::vector<torch::Tensor> parameters;
  for (const auto& layer : layers_) {
    if (!layer.recurrent) continue;
    if (layer.appended) {
      parameters.push_back(layer.recurrent->weight_x);
      parameters.push_back(layer.recurrent->bias);
    }
    parameters.push_back(layer.recurrent->weight_h);
  }
  return parameters;
}

std::int64_t SequenceHead::recurrent_parameters(std::int64_t features, std::int64_t width) const {
  std::int64_t count = 0;
  for (const auto& layer : layers_) {
    if (!layer.recurrent) continue;
    const auto& o = layer.recurrent->options();
    const auto inputs = layer.name == "fc6" ? features : width;
    count +=
        layer.appended ? traditional_parameters(o.cell(), inputs, width) : added_parameters(o.cell(), o.input_to_hidden(), inputs, width);
  }
  return count;
}

std::map<std::string, torch::Tensor> SequenceHead::gates(const torch::Tensor& x) {
  const torch::NoGradGuard no_gradient;
  std::map<std::string, torch::Tensor> found;
  auto y = x;
  for (auto& layer : layers_) {
    if (layer.recurrent) {
      const auto activations = layer.recurrent->gates(y);
      const auto& names = gate_names(layer.recurrent->options().cell());
      for (std::size_t g = 0; g < activations.size(); ++g) found[layer.name + "." + names[g]] = activations[g];
    }
    y = apply(layer, y);
  }
  return found;
}

}  // namespace reprise::models
