#include "models/recurrent/post_rnn.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"

namespace reprise::models {

PostRnn::PostRnn(RecurrentCell cell, std::int64_t measures, std::int64_t units, Random& random) {
  if (cell != RecurrentCell::Linear && cell != RecurrentCell::Lstm && cell != RecurrentCell::Gru)
    throw UsageError("a network on estimates has a linear, LSTM or GRU layer",
                     "take one of these cells");
  if (measures < 1 || units < measures)
    throw UsageError(fmt::format("{} units on {} measurements", units, measures),
                     "give at least as many units as measurements");
  const bool linear = cell == RecurrentCell::Linear;
  // At scale 0.5 W_hh makes a linear state decay. Gated cells have gates for that.
  layer_ = register_module(
      "rnn", RecurrentLayer(
                 RecurrentLayerOptions(measures, units).cell(cell).hidden_scale(linear ? 0.5 : 1.0),
                 random));
  out_ = register_module(
      "out", torch::nn::Linear(torch::nn::LinearOptions(units, measures).bias(!linear)));
  // The output layer starts at zero: y = x for gated cells.
  const torch::NoGradGuard no_gradient;
  for (auto& parameter : out_->parameters()) parameter.zero_();
  if (!linear) return;
  // Linear: the first K units hold the measurements, without memory, and W_ho reads them.
  layer_->weight_x.narrow(0, 0, measures).copy_(torch::eye(measures));
  layer_->weight_h.narrow(0, 0, measures).zero_();
  out_->weight.narrow(1, 0, measures).copy_(torch::eye(measures));
  layer_->bias.set_requires_grad(false);  // eq 2 has no bias
}

torch::Tensor PostRnn::forward(const torch::Tensor& x) {
  const auto y = out_->forward(layer_->forward(x));
  return layer_->options().cell() == RecurrentCell::Linear ? y : x + y;
}

std::map<std::string, torch::Tensor> PostRnn::gates(const torch::Tensor& x) {
  std::map<std::string, torch::Tensor> found;
  const auto activations = layer_->gates(x);
  for (std::size_t g = 0; g < activations.size(); ++g)
    found["rnn." + gate_names(layer_->options().cell())[g]] = activations[g];
  return found;
}

}  // namespace reprise::models
