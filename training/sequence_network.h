// The contract of a sequence estimator: what every method of a per-frame regression or
// classification study fulfils.
//
// A network maps a clip to one output per frame. What it promises, and tests/sequence_contract.h
// asks of every registered one:
//   - causality: y_t depends on x_0, ..., x_t alone, unless the registry says that the method is not causal (models/methods.h);
//   - the state starts at zero for every clip, and a clip's outputs do not depend on the others of its batch;
//   - all that is random comes from the Random that it is made with: the same seed gives the same network;
//   - its parameters and buffers are all that it is: a network with those of another gives the same outputs;
//   - forward() is differentiable in the parameters that ask for gradients, so that it learns by gradient descent.
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
  /// x: [B, T, ...], the features of T >= 1 frames -> [B, T, K]. The state starts at zero for every
  /// clip.
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
  /// The same for frames that follow those of the call before, for a stream of any length: its
  /// state goes on, so that a clip followed in pieces has the outputs of forward() on the whole.
  /// restart() sets the state to zero. No gradient. Error: the network keeps no state between
  /// calls.
  virtual torch::Tensor follow(const torch::Tensor& /*x*/) {
    throw Error("this network keeps no state between calls", "give it whole clips: forward()");
  }
  virtual void restart() {}
  /// Those of its parameters that start untrained, so that they can have a learning rate of their
  /// own.
  virtual std::vector<torch::Tensor> fresh() const = 0;
  /// Number of weights (without biases) that recurrence would add to a feedforward network of these
  /// widths; 0 for a method that the registry says does not recur. Also used for networks too large
  /// to build.
  virtual std::int64_t recurrent_parameters(std::int64_t /*features*/,
                                            std::int64_t /*width*/) const {
    return 0;
  }
  /// "LAYER.GATE" -> [B, T, units] in [0, 1], the gates of forward(x); empty for a network without
  /// gates.
  virtual std::map<std::string, torch::Tensor> gates(const torch::Tensor& /*x*/) { return {}; }
};

}  // namespace reprise::training
