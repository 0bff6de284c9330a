#include "training/rmsprop.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/zeros_like.h>
#include <torch/utils.h>

#include <cmath>
#include <string>

#include "core/error.h"

namespace reprise::training {

RmsProp::RmsProp(std::vector<at::Tensor> parameters, double learning_rate)
    : parameters_(std::move(parameters)), learning_rate_(learning_rate) {
  if (parameters_.empty()) throw Error("RMSprop has no parameters", "give it the parameters to train");
  if (!(learning_rate >= 0) || !std::isfinite(learning_rate))
    throw Error("RMSprop has learning rate " + std::to_string(learning_rate), "give it a finite rate of at least 0");
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : parameters_) v_.push_back(at::zeros_like(parameter));
}

void RmsProp::step(double factor) {
  constexpr double a = 0.99, epsilon = 1e-8;
  const torch::NoGradGuard no_grad;
  std::vector<at::Tensor> w, g, v;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) continue;
    w.push_back(parameters_[i]);
    g.push_back(parameters_[i].grad());
    v.push_back(v_[i]);
  }
  if (w.empty()) return;
  at::_foreach_mul_(v, a);
  at::_foreach_addcmul_(v, g, g, 1 - a);
  auto root = at::_foreach_sqrt(v);
  at::_foreach_add_(root, epsilon);
  at::_foreach_addcdiv_(w, g, root, -learning_rate_ * factor);
}

void RmsProp::zero_grad() {
  for (const auto& parameter : parameters_) parameter.mutable_grad().reset();
}

weights::StateDict RmsProp::state() const {
  weights::StateDict state;
  for (std::size_t i = 0; i < v_.size(); ++i) state.emplace_back(std::to_string(i) + ".v", v_[i]);
  return state;
}

}  // namespace reprise::training
