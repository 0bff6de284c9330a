// A recurrent network that refines the estimates of a per-frame network. Both are trained
// separately. Document dynamic_face compares it with Bayesian filters (figure 1B, eq 1, 2).
//
//     - Linear (eq 2): h_t = W_hh h_{t-1} + W_ih x_t, y_t = W_ho h_t, without bias or activation.
//     - Gated: h_t = LSTM or GRU on x_t, y_t = x_t + W_ho h_t + b_o.
//
// Before training y_t = x_t. The gated network has W_ho = 0 then. The linear network copies the K
// measurements to its first K units (W_ih), and these units to the output (W_ho). Its other units
// have random weights, and their output weights are 0.
//
// With 2 K units the linear network can represent the steady-state Kalman filter of K angles with
// constant velocity (baselines/trackers/kalman.h).
#pragma once
#include <torch/nn/modules/linear.h>

#include "core/random.h"
#include "models/recurrent/recurrent_layer.h"
#include "training/sequence_network.h"

namespace reprise::models {

class PostRnn : public training::SequenceNetwork {
 public:
  /// measures: number of measurements K. units: K or more. UsageError: fewer units; a cell other
  /// than Linear, Lstm or Gru.
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
