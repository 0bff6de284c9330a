// The contract of domain adaptation: a method that learns classes from labelled pictures of a
// source and pictures of a target without labels, and names what is on pictures of the target.
//
//     {(x_s, y_s)}, {x_t}  ->  p(y | x),   x: [N, C, H, W], float32, from -1 to 1
//
// What it promises, and tests/adaptation_contract.h asks of every registered one:
//   - the same pictures and the same seed give the same probabilities, on one machine;
//   - probabilities are from 0 to 1, sum to 1, and do not depend on the other pictures of the batch;
//   - its state is that of a torch module, as a generator's (training/generator.h);
//   - on a problem of two kinds of pictures in two lights it names those of the target.
// Domain A is the source, B the target.
#pragma once
#include <functional>

#include "training/translator.h"

namespace reprise::training {

/// What an adapter learns from, all on one device.
struct AdaptationData {
  at::Tensor source;  ///< [N, C, H, W], float32, from -1 to 1
  at::Tensor labels;  ///< [N], int64, from 0
  at::Tensor target;  ///< [M, C, H, W]
};

class Adapter : public torch::nn::Module {
 public:
  /// UsageError: a set that is empty or of one picture; sets of other sizes or channels (both
  /// shapes are named); labels that are more or fewer than the pictures, or below 0.
  virtual void fit(const AdaptationData& data, std::uint64_t seed, Progress& progress) = 0;
  /// [N, K] with K one more than the largest label. No gradient. UsageError: not fitted; another
  /// shape than the sets'.
  virtual at::Tensor probabilities(const at::Tensor& x, Domain of) = 0;

  /// Called now and then while fit() learns, with the iterations done; probabilities() may be asked
  /// then. How often is the method's affair. What is judged there on labelled pictures of the
  /// target is an oracle's, and no way to choose weights; how sure it is of each picture of the
  /// target, and how even over all classes (metrics/inception_score.h of its probabilities), needs
  /// no label. May be empty.
  std::function<void(std::int64_t iterations)> watch;
};

/// A row of a registry of adapters.
struct AdapterMethod {
  MethodInfo info;
  bool uses_target = true;  ///< learns from pictures of the target
  std::function<std::unique_ptr<Adapter>()> make;
};

/// The number of classes of data that an adapter can learn from. UsageError: as Adapter::fit().
std::int64_t classes_of(const AdaptationData& data);

}  // namespace reprise::training
