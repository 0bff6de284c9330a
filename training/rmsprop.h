// RMSprop over lists of tensors, in a few calls over all of them.
//
//     v <- a v + (1 - a) g^2        a = 0.99, eps = 1e-8
//     w <- w - lr g / (sqrt(v) + eps)
// Tieleman, Hinton, lecture 6.5 of Neural Networks for Machine Learning, 2012. A parameter that got no gradient is left alone.
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "weights/state_dict.h"

namespace reprise::training {

class RmsProp {
 public:
  /// Error: no parameter; a learning rate that is negative or not finite.
  RmsProp(std::vector<at::Tensor> parameters, double learning_rate);
  /// factor: of the learning rate, in this step.
  void step(double factor = 1);
  void zero_grad();
  /// "INDEX.v": the tensors themselves, to be stored, and to be filled when training resumes.
  weights::StateDict state() const;

 private:
  std::vector<at::Tensor> parameters_, v_;
  double learning_rate_;
};

}  // namespace reprise::training
