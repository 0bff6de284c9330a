// Contract of a translator, which learns from two unpaired sets of pictures, A and B, to map a
// picture of one domain to its counterpart in the other.
//
//     A -> B and B -> A;   pictures: [N, C, H, W], float32, from -1 to 1
//
// Guarantees, tested for every registered translator by tests/translator_contract.h:
//   - The same sets and seed give the same translations on one machine.
//   - A translation is finite, from -1 to 1, has the shape of its picture, and does not depend on
//     the rest of the batch.
//   - All state is that of a torch module, as for generators (training/generator.h).
//   - It uses no pairs: the order of a set has no information. Entries with `paired`, which are
//     upper bounds, are the exception.
#pragma once
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "training/method_info.h"

namespace reprise::training {

class Progress;

enum class Domain { A, B };
inline Domain other(Domain domain) { return domain == Domain::A ? Domain::B : Domain::A; }

class Translator : public torch::nn::Module {
 public:
  /// Trains on a [N, C, H, W] and b [M, C, H, W].
  /// UsageError: an empty set; different sizes or channels (names both shapes).
  virtual void fit(const at::Tensor& a, const at::Tensor& b, std::uint64_t seed,
                   Progress& progress) = 0;
  /// Translates pictures of the domain `from` to the other, without gradient, on the device of x.
  /// x can be on the CPU even if a and b were on a GPU.
  /// UsageError: not fitted; another shape than the sets; the other direction of a one-way
  /// translator.
  virtual at::Tensor translate(const at::Tensor& x, Domain from) = 0;
  /// Encodes and decodes pictures within their domain; a method without a code returns x.
  virtual at::Tensor reconstruct(const at::Tensor& x, Domain /*of*/) { return x; }
  /// Translates to the other domain and back, to measure cycle consistency.
  at::Tensor cycle(const at::Tensor& x, Domain from) {
    return translate(translate(x, from), other(from));
  }
};

/// Entry of the registry of translators.
struct TranslatorMethod {
  MethodInfo info;
  bool invertible = false;  ///< cycle() returns x, except for values clipped at -1 and 1
  bool one_way = false;     ///< translates only from A to B
  bool seeded = false;      ///< the result depends on the seed
  /// Learns from the pairs a[i], b[i] of fit(), which show one scene: an upper bound.
  bool paired = false;
  std::function<std::unique_ptr<Translator>()> make;
};

}  // namespace reprise::training
