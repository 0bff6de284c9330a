// AdamW and Adam over lists of tensors, with one fused call per group and step.
//
//     m <- b1 m + (1 - b1) g        v <- b2 v + (1 - b2) g^2
//     w <- w - lr weight_decay w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)
//
// Defaults: b1 = 0.9, b2 = 0.999; eps = 1e-8. Coupled decay (Adam) adds weight_decay w to g instead
// of the separate term, as torch.optim.Adam does. A step leaves parameters without a gradient
// unchanged, and their t too.
//
// Sources: Kingma, Ba 2015 (Adam); Loshchilov, Hutter 2019 (decoupled weight decay).
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "training/fit.h"
#include "training/optimizer.h"
#include "weights/state_dict.h"

namespace reprise::training {

enum class WeightDecay { Decoupled, Coupled };

struct AdamRule {
  double b1 = 0.9, b2 = 0.999;  ///< decay rates of m and v
  WeightDecay decay = WeightDecay::Decoupled;
};

class Adam : public Optimizer {
 public:
  /// Error: a group without parameters; a parameter given twice, or with gaps or overlaps in
  /// memory; a learning rate that is negative or not finite; b1 or b2 outside [0, 1).
  Adam(const std::vector<ParameterGroup>& groups, double weight_decay, AdamRule rule = {});

  /// Scales all gradients so that their global 2-norm is at most `norm`, without waiting for the
  /// device.
  void clip(double norm);
  /// Makes a step with each group's learning rate times `factor`.
  void step(double factor) override;
  void zero_grad() override;

  /// The optimiser's own tensors, named "GROUP.INDEX.m", ".v" and ".t". Overwrite them to resume.
  weights::StateDict state() const override;

 private:
  struct Group {
    std::vector<at::Tensor> parameters = {}, m = {}, v = {}, t = {};
    double learning_rate = 0;
  };
  std::vector<Group> groups_;
  double weight_decay_;
  AdamRule rule_;
};

/// Factor of the learning rate at step s of `total`, counted from 0: linear warm-up, then a cosine.
///     (s + 1) / warmup                                       s < warmup
///     1/2 (1 + cos(pi (s - warmup) / (total - warmup)))      otherwise
double learning_rate_factor(std::int64_t step, std::int64_t warmup, std::int64_t total);

}  // namespace reprise::training
