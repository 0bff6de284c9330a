// Contract of a sequence network: the interface of all methods for per-frame regression and
// classification.
//
// A network maps a clip to one output per frame. Guarantees, tested for every registered network by
// tests/sequence_contract.h:
//   - Causality: y_t depends only on x_0, ..., x_t, unless the registry says otherwise
//     (models/methods.h).
//   - The state is zero at the start of every clip, and clips of a batch are independent.
//   - All randomness comes from the Random of its construction, so a seed determines the network.
//   - Parameters and buffers are its only state: equal ones give equal outputs.
//   - forward() is differentiable in the parameters that require gradients.
#pragma once
#include <torch/nn/module.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"

namespace reprise::training {

class SequenceNetwork : public torch::nn::Module {
 public:
  /// Maps clips x [B, T, ...] of T >= 1 frames to outputs [B, T, K]. The state starts at zero.
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
  /// Continues a stream: maps the frames after those of the last call, without gradient. Pieces of
  /// a clip give the same outputs as forward() of the whole clip. restart() resets the state.
  /// Error: the network keeps no state between calls.
  virtual torch::Tensor follow(const torch::Tensor& /*x*/) {
    throw Error("this network keeps no state between calls", "pass complete clips to forward()");
  }
  virtual void restart() {}
  /// Parameters that start untrained, and can have a different learning rate.
  virtual std::vector<torch::Tensor> untrained_parameters() const = 0;
  /// Number of weights (without biases) that recurrence adds to a feedforward network of these
  /// widths, also for networks that are too large to build. 0 for methods without recurrence.
  virtual std::int64_t recurrent_parameters(std::int64_t /*features*/,
                                            std::int64_t /*width*/) const {
    return 0;
  }
  /// Gates of forward(x) by "LAYER.GATE", each [B, T, units] in [0, 1]; empty without gates.
  virtual std::map<std::string, torch::Tensor> gates(const torch::Tensor& /*x*/) { return {}; }
};

}  // namespace reprise::training
