// UNIT as a method (training/translator.h): trains the networks of
// models/translation/unit_network.h on eq 1 (unit_losses.h) with the alternating loop of
// training/adversarial.h.
//
// An iteration draws `batch` unrelated pictures of each set and computes all streams once. First
// D_1 and D_2 ascend with E and G fixed, then E and G descend with D fixed (document, paragraph
// 55). D_i sees x_i and the translation into domain i. With discriminate_reconstructions (claims 6,
// 9) it also sees as many reconstructions x_ii, and L_GAN is the mean over both kinds.
//
// Settings select the document's systems:
//     fig. 1E                 network.one_way: E_1, E_2, G_2, D_2; translates from A to B only
//     fig. 2A                 weights.lambda0 = 0: D_1 and D_2 have no effect
//     fig. 2C                 the default
//     no cycle consistency    cycle = false: L_CC = 0 and no second translations
//     no weight sharing       network.shared_E = shared_G = shared_D = 0
// `paired` is an upper bound for these networks, not a translator: pictures of an index in both
// sets show the same scene. E and G then minimise lambda2 (distance of x12 from x_2 + of x21 from
// x_1) only. Domain 1 of the document is A of the contract. Translation decodes the mean of the
// code, without noise.
#pragma once
#include "models/translation/unit_losses.h"
#include "training/adversarial.h"

namespace reprise::models {

struct UnitOptions {
  UnitNetworkOptions network = {};  ///< fit() sets its channels to those of the sets
  UnitWeights weights = {};
  bool cycle = true;
  bool discriminate_reconstructions = false;
  bool paired = false;
  std::int64_t batch = 4;  ///< pictures per domain
  UnitStart start = UnitStart::Gaussian;
  bool equal_start = false;                    ///< as in draw_unit()
  training::AdversarialOptions training = {};  ///< fit() sets its seed, lambda0 its weight
  /// Called between the two steps of an iteration with the number of D's steps. An exception ends
  /// the run. May be empty.
  std::function<void(std::int64_t step)> watch = {};
  /// training::GanTask::evaluate, called after the iterations `training.evaluate_after`.
  std::function<std::map<std::string, double>()> evaluate = {};
  /// training::GanTask::describe.
  std::function<std::string(const training::AdversarialReport& report)> describe = {};
};

class Unit : public training::Translator {
 public:
  explicit Unit(UnitOptions options) : options_(std::move(options)) {}
  /// UsageError: also a set of one picture; a side that does not halve as often as the network;
  /// cycles of a one-way system; pairs in sets of different size or for a one-way system.
  void fit(const at::Tensor& a, const at::Tensor& b, std::uint64_t seed,
           training::Progress& progress) override;
  at::Tensor translate(const at::Tensor& x, training::Domain from) override;
  /// A one-way system reconstructs B only.
  at::Tensor reconstruct(const at::Tensor& x, training::Domain of) override;
  /// E_mu,i(x): [N, d, h, w], without gradient. UsageError: as translate().
  at::Tensor code(const at::Tensor& x, training::Domain of);

  /// Null before fit(). The method's state holds the weights of E and G under "G", those of the
  /// discriminators under "D".
  const UnitNetwork& network() const { return G_; }
  const UnitDiscriminators& discriminators() const { return D_; }
  /// Report of the last fit().
  const training::AdversarialReport& report() const { return report_; }

 private:
  training::GanTask make_task(const at::Tensor& a, const at::Tensor& b);
  at::Tensor decode_mean(const at::Tensor& x, training::Domain of, training::Domain into);
  UnitOptions options_;
  UnitNetwork G_{nullptr};
  UnitDiscriminators D_{nullptr};
  training::AdversarialReport report_;
};

}  // namespace reprise::models
