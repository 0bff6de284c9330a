#include "training/adam.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/utils.h>

#include <cmath>
#include <numbers>
#include <unordered_set>

#include "core/error.h"

namespace reprise::training {
namespace {

constexpr double eps = 1e-8;  // default of torch.optim.Adam
// Keeps the factor of a zero norm finite; value of torch.nn.utils.clip_grad_norm_.
constexpr double clip_eps = 1e-6;

/// Returns the gradient in the memory layout of its parameter, as the fused step requires.
at::Tensor match_layout(const at::Tensor& parameter) {
  const at::Tensor& grad = parameter.grad();
  if (!grad.defined() || grad.strides() == parameter.strides()) return grad;
  return at::empty_like(parameter).copy_(grad);
}

}  // namespace

Adam::Adam(const std::vector<ParameterGroup>& groups, double weight_decay, AdamRule rule)
    : weight_decay_(weight_decay), rule_(rule) {
  if (!(rule.b1 >= 0 && rule.b1 < 1 && rule.b2 >= 0 && rule.b2 < 1))
    throw Error(
        "Adam with b1 = " + std::to_string(rule.b1) + " and b2 = " + std::to_string(rule.b2),
        "use values in [0, 1)");
  // A parameter in two groups would take two steps.
  std::unordered_set<const void*> seen;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::string where = "parameter group " + std::to_string(g);
    if (groups[g].parameters.empty())
      throw Error(where + " has no parameters",
                  "leave the group out, or give it the parameters to train");
    if (!(groups[g].learning_rate >= 0) || !std::isfinite(groups[g].learning_rate))
      throw Error(where + " has learning rate " + std::to_string(groups[g].learning_rate),
                  "give it a finite rate of at least 0");
    Group group{.learning_rate = groups[g].learning_rate};
    for (const auto& parameter : groups[g].parameters) {
      if (!seen.insert(parameter.unsafeGetTensorImpl()).second)
        throw Error(where + " has a parameter that is already in a group",
                    "put every parameter in one group, once");
      if (!parameter.is_non_overlapping_and_dense())
        throw Error(where + " has a parameter with gaps or overlaps in memory",
                    "make the parameter contiguous");
      // Each parameter counts its own steps t, since it may lack a gradient in some.
      const torch::NoGradGuard no_grad;
      group.parameters.push_back(parameter);
      group.m.push_back(at::zeros_like(parameter));
      group.v.push_back(at::zeros_like(parameter));
      group.t.push_back(at::zeros({}, parameter.options().dtype(at::kFloat)));
    }
    groups_.push_back(std::move(group));
  }
}

void Adam::clip(double norm) {
  const torch::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const auto& group : groups_)
    for (const auto& parameter : group.parameters)
      if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  if (gradients.empty()) return;
  // The norm stays a tensor: reading its value would wait for the device.
  const at::Tensor total = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)));
  at::_foreach_mul_(gradients, (norm / (total + clip_eps)).clamp_max(1.0));
}

void Adam::step(double factor) {
  const torch::NoGradGuard no_grad;
  for (const auto& group : groups_) {
    // Parameters without a gradient are left out, so that their t does not advance.
    std::vector<at::Tensor> w, gradients, m, v, t;
    for (std::size_t i = 0; i < group.parameters.size(); ++i) {
      at::Tensor grad = match_layout(group.parameters[i]);
      if (!grad.defined()) continue;
      w.push_back(group.parameters[i]);
      gradients.push_back(std::move(grad));
      m.push_back(group.m[i]);
      v.push_back(group.v[i]);
      t.push_back(group.t[i]);
    }
    if (w.empty()) continue;
    // The fused steps expect t to count the present step.
    at::_foreach_add_(t, 1);
    const double rate = group.learning_rate * factor;
    if (rule_.decay == WeightDecay::Decoupled)
      at::_fused_adamw_(w, gradients, m, v, {}, t, rate, rule_.b1, rule_.b2, weight_decay_, eps,
                        /*amsgrad=*/false, /*maximize=*/false);
    else
      at::_fused_adam_(w, gradients, m, v, {}, t, rate, rule_.b1, rule_.b2, weight_decay_, eps,
                       /*amsgrad=*/false, /*maximize=*/false);
  }
}

void Adam::zero_grad() {
  for (const auto& group : groups_)
    // Undefined gradients cost no memory, and the next backward pass writes instead of adding.
    for (const auto& parameter : group.parameters) parameter.mutable_grad().reset();
}

weights::StateDict Adam::state() const {
  weights::StateDict state;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t i = 0; i < groups_[g].parameters.size(); ++i) {
      const std::string name = std::to_string(g) + "." + std::to_string(i);
      state.emplace_back(name + ".m", groups_[g].m[i]);
      state.emplace_back(name + ".v", groups_[g].v[i]);
      state.emplace_back(name + ".t", groups_[g].t[i]);
    }
  return state;
}

double learning_rate_factor(std::int64_t step, std::int64_t warmup, std::int64_t total) {
  // A straight line up to 1, then half a cosine down to 0.
  if (step < warmup) return static_cast<double>(step + 1) / static_cast<double>(warmup);
  const double done = static_cast<double>(step - warmup) /
                      static_cast<double>(std::max<std::int64_t>(total - warmup, 1));
  return 0.5 * (1 + std::cos(std::numbers::pi * done));
}

}  // namespace reprise::training
