// RMSprop of torch as an Optimizer.
#pragma once
#include <torch/optim/rmsprop.h>

#include <vector>

#include "training/optimizer.h"

namespace reprise::training {

/// RMSprop with PyTorch's defaults a = 0.99 and eps = 1e-8.
class RmsProp : public Optimizer {
 public:
  RmsProp(const std::vector<at::Tensor>& parameters, double learning_rate);
  void step(double factor) override;
  void zero_grad() override { rule_.zero_grad(); }
  /// The optimiser's own tensors, named "INDEX.v".
  weights::StateDict state() const override;

 private:
  torch::optim::RMSprop rule_;
  double learning_rate_;
};

}  // namespace reprise::training
