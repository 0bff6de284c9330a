// A recurrent network on per-frame estimates: what document dynamic_face puts beside the Bayesian
// filters (figure 1B, eq 1, 2), trained apart from the network that makes the estimates.
//
//     Linear   h_t = W_hh h_{t-1} + W_ih x_t,   y_t = W_ho h_t           (eq 2: no bias, no activation)
//     gated    h_t = LSTM or GRU on x_t,        y_t = x_t + W_ho h_t + b_o
//
// Both start at y_t = x_t. Linear: W_ih and W_ho copy the K measurements to the first K units and
// back, which see no other unit yet; the units beyond them run on random weights, and W_ho does not
// use them yet. Gated: W_ho = 0. With 2 K units the linear one can be the constant-velocity Kalman
// filter of K angles in its steady state (baselines/trackers/kalman.h). The document's W_hh and
// W_ih are those of eq 3 in time: figures show both.
#pragma once
#include <torch/nn/modules/linear.h>

#include "core/random.h"
#include "models/recurrent/recurrent_layer.h"
#include "training/sequence_network.h"

namespace reprise::models {

class PostRnn : public training::SequenceNetwork {
 public:
  /// measures: K. units: at least K. UsageError: fewer units, or a cell that is neither Linear,
  /// Lstm nor Gru.
  PostRnn(Cell cell, std::int64_t measures, std::int64_t units, Random& random);

  /// x: [B, T, K] -> y: [B, T, K].
  torch::Tensor forward(const torch::Tensor& x) override;
  std::vector<torch::Tensor> fresh() const override { return parameters(); }
  std::map<std::string, torch::Tensor> gates(const torch::Tensor& x) override;

 private:
  RecurrentLayer layer_{nullptr};
  torch::nn::Linear out_{nullptr};
};

}  // namespace reprise::models
