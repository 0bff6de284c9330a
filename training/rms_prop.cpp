#include "training/rms_prop.h"

#include <torch/torch.h>

#include <memory>
#include <string>

namespace reprise::training {

RmsProp::RmsProp(const std::vector<at::Tensor>& parameters, double learning_rate)
    : rule_(parameters, torch::optim::RMSpropOptions(learning_rate)),
      learning_rate_(learning_rate) {
  // Torch makes these tensors in the first step; a run that is resumed has to fill them before.
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : parameters) {
    auto state = std::make_unique<torch::optim::RMSpropParamState>();
    state->square_avg(at::zeros_like(parameter));
    rule_.state()[parameter.unsafeGetTensorImpl()] = std::move(state);
  }
}

void RmsProp::step(double factor) {
  rule_.param_groups().front().options().set_lr(learning_rate_ * factor);
  rule_.step();
}

weights::StateDict RmsProp::state() const {
  weights::StateDict state;
  for (const auto& parameter : rule_.param_groups().front().params()) {
    const auto& of_parameter = static_cast<const torch::optim::RMSpropParamState&>(
        *rule_.state().at(parameter.unsafeGetTensorImpl()));
    // "v" as in Adam: the average of squared gradients.
    state.emplace_back(std::to_string(state.size()) + ".v", of_parameter.square_avg());
  }
  return state;
}

}  // namespace reprise::training
