// A prior that has seen nothing, off the zeros that it starts with: for tests of what wraps its
// network.
#pragma once
#include <torch/torch.h>

#include "models/diffusion/prior.h"
#include "training/torch_generator.h"

namespace reprise::models {

inline Prior small_prior() {
  Random random(3);
  auto prior = new_prior({.data = "spots", .item = {1, 8, 8}, .classes = {"few", "many"}},
                         {.channels = {8, 16}, .attention = {1}, .embedding = 16},
                         torch::full({1, 8, 8}, 0.1), random);
  const auto generator = training::torch_generator(5);
  const torch::NoGradGuard no_grad;
  for (auto& parameter : prior.D->parameters())
    parameter.add_(torch::randn(parameter.sizes(), generator), 0.05);
  return prior;
}

}  // namespace reprise::models
