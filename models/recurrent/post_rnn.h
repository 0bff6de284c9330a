// A recurrent network on per-frame estimates, trained separately from the network that makes them.
// Document dynamic_face compares it with Bayesian filters (figure 1B, eq 1, 2).
//
//     - Linear (eq 2): h_t = W_hh h_{t-1} + W_ih x_t, y_t = W_ho h_t, without bias or activation.
//     - Gated: h_t = LSTM or GRU on x_t, y_t = x_t + W_ho h_t + b_o.
//
// Both start at y_t = x_t. A gated network has W_ho = 0. In a linear one W_ih and W_ho copy the K
// measurements to the first K units and back. Further units have random recurrent weights, which
// W_ho does not use at first.
//
// With 2 K units the linear network can represent a Kalman filter of K angles: the steady-state
// filter of constant velocity (baselines/trackers/kalman.h). Figures show the weights of both.
#pragma once
#include <torch/nn/modules/linear.h>

#include "core/random.h"
#include "models/recurrent/recurrent_layer.h"
#include "training/sequence_network.h"

namespace reprise::models {

class PostRnn : public training::SequenceNetwork {
 public:
  /// measures: K. units: at least K. UsageError: fewer units; a cell other than Linear, Lstm or
  /// Gru.
  PostRnn(RecurrentCell cell, std::int64_t measures, std::int64_t units, Random& random);

  /// x: [B, T, K] -> y: [B, T, K].
  torch::Tensor forward(const torch::Tensor& x) override;
  std::vector<torch::Tensor> untrained_parameters() const override { return parameters(); }
  std::map<std::string, torch::Tensor> gates(const torch::Tensor& x) override;

 private:
  RecurrentLayer layer_{nullptr};
  torch::nn::Linear out_{nullptr};
};

}  // namespace reprise::models
