// Optimisers, chosen by name in the settings.
#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "weights/state_dict.h"

namespace reprise::training {

struct OptimizerOptions {
  std::string name = "adam";  ///< one of optimizer_names()
  double learning_rate = 2e-4;
  double b1 = 0.5, b2 = 0.999;  ///< adam only
  double weight_decay = 0;      ///< adam only; coupled, as in torch.optim.Adam
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Updates the weights from their gradients, with `factor` times the learning rate.
  virtual void step(double factor) = 0;
  virtual void zero_grad() = 0;
  /// The optimiser's own tensors. Store them, and overwrite them to resume.
  virtual weights::StateDict state() const = 0;
};

/// Names of all optimisers, sorted.
std::vector<std::string> optimizer_names();
/// Makes an optimiser. UsageError: an unknown name (lists the known ones).
std::unique_ptr<Optimizer> make_optimizer(const std::vector<at::Tensor>& parameters,
                                          const OptimizerOptions& options);

}  // namespace reprise::training
