// Contract of a generator, which learns a distribution of pictures or clips and draws samples.
//
//     x ~ p(x | label),   x: [C, H, W], or [T, C, H, W] for clips; values from -1 to 1
//
// Guarantees, tested for every registered generator by tests/generator_contract.h:
//   - The same examples and seeds give the same samples on one machine.
//   - Samples are finite, from -1 to 1, have the shape of the examples, and depend on the seed.
//   - All state is that of a torch module. Loaded (training/module_state.h) into a generator that
//     was fitted to examples of the same shapes, it gives the same samples.
//   - It learns: on two kinds of pictures, samples are nearer the examples than their mean is.
#pragma once
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "training/method_info.h"

namespace reprise::training {

class Progress;

/// Training data of a generator.
struct Examples {
  at::Tensor x;       ///< [N, C, H, W] or [N, T, C, H, W], float32, from -1 to 1
  at::Tensor labels;  ///< [N], int64, from 0; undefined: no labels
  /// Number of valid frames of each clip, counted from its first: [N], int64; the rest is padding.
  /// Undefined: all. A generator with one fixed length learns from windows of that many frames.
  at::Tensor lengths = {};
};

struct SampleRequest {
  std::int64_t count = 1;
  std::uint64_t seed = 0;
  at::Tensor labels = {};  ///< [count], int64, requested classes; undefined: any
  /// Frames per clip, T. 0: the length of the longest example, or the generator's fixed length.
  std::int64_t frames = 0;
};

class Generator : public torch::nn::Module {
 public:
  /// Learns the distribution of the examples.
  /// UsageError: no example; a shape that it cannot learn (names it).
  virtual void fit(const Examples& examples, std::uint64_t seed, Progress& progress) = 0;
  /// Draws samples [count, C, H, W] or [count, T, C, H, W] on the CPU, without gradient.
  /// UsageError: not fitted; a label without examples; an impossible number of frames.
  virtual at::Tensor sample(const SampleRequest& request) = 0;
};

/// Entry of the registry of generators.
struct GeneratorMethod {
  MethodInfo info;
  bool conditional = false;  ///< uses SampleRequest::labels
  bool any_length = false;   ///< can generate clips of any length
  bool clips_only = false;   ///< cannot learn from pictures
  bool seeded = true;        ///< samples depend on the seed
  bool faithful = true;      ///< samples are close to single examples
  bool wrong_class = false;  ///< never generates the requested class
  std::function<std::unique_ptr<Generator>()> make;
};

}  // namespace reprise::training
