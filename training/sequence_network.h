// The contract of a sequence estimator: what every method of a per-frame regression or classification study fulfils.
//
// A network maps a clip to one output a frame. `fresh()` names the parameters that start untrained, so that they can have
// a learning rate of their own; `gates()` gives the gate activations of the last forward pass when recording is on.
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
  /// x: [B, T, ...], the features of T frames -> [B, T, K]. The state starts at zero for every clip.
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
  /// The same for frames that follow those of the call before, for a stream of any length: its state goes on. restart() sets it to zero.
  /// No gradient. Error: the network keeps no state between calls.
  virtual torch::Tensor follow(const torch::Tensor& /*x*/) {
    throw Error("this network keeps no state between calls", "give it whole clips: forward()");
  }
  virtual void restart() {}
  /// Parameters that did not come from a pre-trained layer.
  virtual std::vector<torch::Tensor> fresh() const = 0;
  /// Number of weights (without biases) that recurrence would add to a feedforward network of these widths. Also used for networks too
  /// large to build.
  virtual std::int64_t recurrent_parameters(std::int64_t /*features*/, std::int64_t /*width*/) const { return 0; }
  /// "LAYER.GATE" -> [B, T, units] in [0, 1]; empty for a network without gates.
  virtual std::map<std::string, torch::Tensor> gates(const torch::Tensor& /*x*/) { return {}; }
};

}  // namespace reprise::training
