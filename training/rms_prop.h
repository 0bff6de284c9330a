// torch's RMSprop with the interface of Adam (training/adam.h): a step by a factor of the rate, and a state that is stored and resumed.
#pragma once
#include <torch/optim/rmsprop.h>

#include <vector>

#include "weights/state_dict.h"

namespace reprise::training {

/// With PyTorch's a = 0.99 and eps = 1e-8.
class RmsProp {
 public:
  RmsProp(const std::vector<at::Tensor>& parameters, double learning_rate);
  /// By the gradients, at `factor` times the learning rate.
  void step(double factor);
  void zero_grad() { rule_.zero_grad(); }
  /// "INDEX.v": the tensors themselves, to be stored, and to be filled when training resumes.
  weights::StateDict state() const;

 private:
  torch::optim::RMSprop rule_;
  double learning_rate_;
};

}  // namespace reprise::training
