// The contract of a translator: a method that learns from two sets of pictures, A and B, without
// pairs, and gives to a picture of one its counterpart in the other.
//
//     A -> B and B -> A;   pictures: [N, C, H, W], float32, from -1 to 1
//
// What it promises, and tests/translator_contract.h asks of every registered one:
//   - the same sets and the same seed give the same translations, on one machine;
//   - a translation is finite, from -1 to 1, and has the shape of its picture, whatever other pictures are in the batch;
//   - its state is that of a torch module, as a generator's (training/generator.h);
//   - it uses no pair: the order of either set does not matter to what can be learnt from it. Only a row that says `paired` does: a bound.
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
  /// a: [N, C, H, W], b: [M, C, H, W]. UsageError: an empty set; sets of other sizes or channels
  /// (both shapes are named).
  virtual void fit(const at::Tensor& a, const at::Tensor& b, std::uint64_t seed,
                   Progress& progress) = 0;
  /// Pictures of the domain `from` as ones of the other, where x is: on the CPU also when a and b
  /// were on a GPU. No gradient. UsageError: not fitted; another shape than the sets'; a translator
  /// that goes from A to B alone is asked for B.
  virtual at::Tensor translate(const at::Tensor& x, Domain from) = 0;
  /// Pictures of a domain through the method's own code of that domain and back; a method without a
  /// code gives x.
  virtual at::Tensor reconstruct(const at::Tensor& x, Domain /*of*/) { return x; }
  /// There and back again: what cycle consistency is measured on.
  at::Tensor cycle(const at::Tensor& x, Domain from) {
    return translate(translate(x, from), other(from));
  }
};

/// A row of a registry of translators.
struct TranslatorMethod {
  MethodInfo info;
  bool invertible =
      false;  ///< there and back again gives the picture, but for what is cut off at -1 and 1
  bool one_way = false;  ///< from A to B alone
  bool seeded =
      false;  ///< what it learns depends on the seed, and with it on which pictures are drawn when
  bool paired =
      false;  ///< a[i] and b[i] of fit() are one scene, and it learns from that: no translator, but what one could reach
  std::function<std::unique_ptr<Translator>()> make;
};

}  // namespace reprise::training
