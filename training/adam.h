// AdamW and Adam over lists of tensors: one fused call a group and step, no loop over parameters in
// between.
//
//     m <- b1 m + (1 - b1) g        v <- b2 v + (1 - b2) g^2        b1 = 0.9, b2 = 0.999 unless said otherwise, eps = 1e-8
//     w <- w - lr weight_decay w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)
// The older Adam adds weight_decay w to g instead (coupled decay), as torch.optim.Adam does.
//
// Adam: A Method for Stochastic Optimization (Kingma, Ba, 2015); Decoupled Weight Decay
// Regularization (Loshchilov, Hutter, 2019). A parameter that got no gradient in a step is left
// alone, and its t does not advance.
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "training/fit.h"
#include "training/optimizer.h"
#include "weights/state_dict.h"

namespace reprise::training {

enum class WeightDecay { Decoupled, Coupled };

struct AdamRule {
  double b1 = 0.9, b2 = 0.999;  ///< adversarial training has b1 = 0.5 as a rule
  WeightDecay decay = WeightDecay::Decoupled;
};

class Adam : public Optimizer {
 public:
  /// Error: a group without parameters, a parameter twice, a learning rate that is negative or not
  /// finite, a parameter with gaps or overlaps in memory, b1 or b2 outside [0, 1).
  Adam(const std::vector<ParameterGroup>& groups, double weight_decay, AdamRule rule = {});

  /// Scales all gradients so that their global 2-norm is at most `norm`. No value leaves the
  /// device.
  void clip(double norm);
  /// One step, each group at its own learning rate times `factor`.
  void step(double factor) override;
  void zero_grad() override;

  /// "GROUP.INDEX.m", ".v", ".t": the tensors themselves, to be stored, and to be filled when
  /// training goes on.
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

/// The share of its learning rate that a group has at step `step`, counted from 0, of `total`:
///     (s + 1) / warmup                                      s < warmup
///     1/2 (1 + cos(pi (s - warmup) / (total - warmup)))     then: 1 at s = warmup, towards 0 at s = total
double learning_rate_factor(std::int64_t step, std::int64_t warmup, std::int64_t total);

}  // namespace reprise::training
