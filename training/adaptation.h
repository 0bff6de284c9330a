// Contract of domain adaptation. An adapter learns classes from labelled pictures of a source
// domain and unlabelled pictures of a target domain. It then classifies pictures of the target.
//
//     {(x_s, y_s)}, {x_t}  ->  p(y | x),   x: [N, C, H, W], float32, from -1 to 1
//
// Guarantees, tested for every registered adapter by tests/adaptation_contract.h:
//   - The same pictures and seed give the same probabilities on one machine.
//   - Probabilities are in [0, 1], sum to 1, and do not depend on the rest of the batch.
//   - All state is that of a torch module, as for generators (training/generator.h).
//   - It learns: on two kinds of pictures under two lights it classifies those of the target.
//
// Domain A is the source, B the target.
#pragma once
#include <functional>

#include "training/translator.h"

namespace reprise::training {

/// Training data of an adapter, all on one device.
struct AdaptationData {
  at::Tensor source;  ///< [N, C, H, W], float32, from -1 to 1
  at::Tensor labels;  ///< [N], int64, from 0
  at::Tensor target;  ///< [M, C, H, W]
};

class Adapter : public torch::nn::Module {
 public:
  /// Trains the adapter. UsageError: a set with fewer than two pictures; different sizes or
  /// channels (names both shapes); a wrong number of labels, or a negative one.
  virtual void fit(const AdaptationData& data, std::uint64_t seed, Progress& progress) = 0;
  /// Class probabilities [N, K], without gradient; K is the largest label plus 1.
  /// UsageError: not fitted; another shape than the training data.
  virtual at::Tensor probabilities(const at::Tensor& x, Domain of) = 0;

  /// Called during fit() with the number of iterations so far, at intervals of the method's choice.
  /// probabilities() can be called inside. May be empty.
  ///
  /// Accuracy on labelled target pictures is an oracle and must not select weights. The confidence
  /// and balance of the predictions need no labels (metrics/inception_score.h).
  std::function<void(std::int64_t iterations)> watch;
};

/// Entry of the registry of adapters.
struct AdapterMethod {
  MethodInfo info;
  bool uses_target = true;  ///< uses the target pictures for training
  std::function<std::unique_ptr<Adapter>()> make;
};

/// Checks the data and counts their classes. UsageError: as Adapter::fit().
std::int64_t count_classes(const AdaptationData& data);

}  // namespace reprise::training
