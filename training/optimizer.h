// The rules by which a step changes weights, by name: one table that a setting chooses from.
#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "weights/state_dict.h"

namespace reprise::training {

struct OptimizerOptions {
  std::string name = "adam";  ///< of optimizer_names()
  double learning_rate = 2e-4;
  double b1 = 0.5, b2 = 0.999;  ///< of adam
  double weight_decay = 0;      ///< of adam; coupled, as torch.optim.Adam has it
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Changes the weights by their gradients, at `factor` times the learning rate.
  virtual void step(double factor) = 0;
  virtual void zero_grad() = 0;
  /// The tensors themselves, to be stored, and to be filled when training resumes.
  virtual weights::StateDict state() const = 0;
};

/// Sorted.
std::vector<std::string> optimizer_names();
/// UsageError: an unknown name (lists the known ones).
std::unique_ptr<Optimizer> make_optimizer(const std::vector<at::Tensor>& parameters,
                                          const OptimizerOptions& options);

}  // namespace reprise::training
