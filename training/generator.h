// The contract of a generator: a method that learns a distribution of pictures or clips, and draws
// from it.
//
//     x ~ p(x | label),   x: [C, H, W], or [T, C, H, W] for clips; values from -1 to 1
//
// What it promises, and tests/generator_contract.h asks of every registered one:
//   - the same examples and the same seeds give the same samples, on one machine;
//   - samples are finite, from -1 to 1, in the shape of the examples, and another seed gives others;
//   - its state is that of a torch module: saved and loaded (training/module_state.h) into one that was fitted on examples of the same
//     shapes, it draws the same;
//   - on a problem of two kinds of pictures it learns: samples lie closer to the examples than the mean picture does.
#pragma once
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "training/method_info.h"

namespace reprise::training {

class Progress;

/// What a generator learns from.
struct Examples {
  at::Tensor x;       ///< [N, C, H, W] or [N, T, C, H, W], float32, from -1 to 1
  at::Tensor labels;  ///< [N], int64, from 0; not defined: none
  /// [N], int64: how many frames of each clip count, from its first; the others are there to fill
  /// x. Not defined: all. A generator that has one length alone learns from windows of that many
  /// frames.
  at::Tensor lengths = {};
};

struct SampleRequest {
  std::int64_t count = 1;
  std::uint64_t seed = 0;
  at::Tensor labels =
      {};  ///< [count], int64, the class that each sample is to have; not defined: any
  std::int64_t frames =
      0;  ///< of clips: T; 0: as many as the longest of the examples has, or the one length
};

class Generator : public torch::nn::Module {
 public:
  /// Learns the distribution of the examples. UsageError: no example; a shape that it cannot learn
  /// (named).
  virtual void fit(const Examples& examples, std::uint64_t seed, Progress& progress) = 0;
  /// [count, C, H, W] or [count, T, C, H, W], on the CPU. No gradient. UsageError: not fitted;
  /// labels that were not in the examples; a number of frames that it cannot have.
  virtual at::Tensor sample(const SampleRequest& request) = 0;
};

/// A row of a registry of generators.
struct GeneratorMethod {
  MethodInfo info;
  bool conditional = false;  ///< heeds SampleRequest::labels; others ignore them
  bool any_length = false;   ///< clips of any number of frames
  bool clips_only = false;   ///< does not learn from pictures
  bool seeded = true;        ///< another seed gives other samples
  bool faithful = true;      ///< a sample as a whole lies near an example
  bool wrong_class = false;  ///< where labels are heeded: never gives the class that was asked for
  std::function<std::unique_ptr<Generator>()> make;
};

}  // namespace reprise::training
