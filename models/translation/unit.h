// UNIT as a method (training/translator.h): how the networks of models/translation/unit_network.h
// learn eq 1 (unit_losses.h) with the alternating loop (training/adversarial.h).
//
// An iteration draws `batch` pictures of each set, without regard to each other, and makes all
// streams once; D_1 and D_2 ascend with E and G fixed, then E and G descend with D fixed (document,
// paragraph 55). D_i sees x_i and the translation into domain i, and with judge_reconstructions
// (claims 6, 9) the reconstruction x_ii too, as many; L_GAN is then the mean over both kinds.
//
// What is a system of its own in the document is a setting here:
//     fig. 1E                 network.one_way: E_1, E_2, G_2, D_2; from A to B alone
//     fig. 2A                 weights.lambda0 = 0: nobody learns from D_1 and D_2
//     fig. 2C                 what is left
//     no cycle consistency    cycle = false: L_CC = 0, and the second translations are not made
//     no weight sharing       network.shared_E = shared_G = shared_D = 0
// and, as the ceiling of what these networks could learn and no translator, paired: the pictures of
// a place in both sets show one scene, and E and G minimise lambda2 (distance of x12 from x_2 + of
// x21 from x_1) alone. Domain 1 of the document is A of the contract. A translation is that of the
// code's mean: no noise is drawn.
#pragma once
#include "models/translation/unit_losses.h"
#include "training/adversarial.h"

namespace reprise::models {

struct UnitOptions {
  UnitNetworkOptions network = {};  ///< its channels are the sets'
  UnitWeights weights = {};
  bool cycle = true;
  bool judge_reconstructions = false;
  bool paired = false;
  std::int64_t batch = 4;  ///< pictures of each domain
  UnitStart start = UnitStart::Gaussian;
  bool equal_start = false;                    ///< draw_unit()
  training::AdversarialOptions training = {};  ///< its seed is fit()'s, its weight is lambda0
  /// Called between the two steps of an iteration, with the steps that D has made; what it throws
  /// ends the run. May be empty.
  std::function<void(std::int64_t step)> watch = {};
  std::function<std::map<std::string, double>()> look =
      {};  ///< training::Game's, at the looks of `training`
};

class Unit : public training::Translator {
 public:
  explicit Unit(UnitOptions options) : options_(std::move(options)) {}
  /// UsageError: also a set of one picture; a side that does not halve as often as the network;
  /// cycles of a one-way system; pairs of sets that are not as large, or of a one-way system.
  void fit(const at::Tensor& a, const at::Tensor& b, std::uint64_t seed,
           training::Progress& progress) override;
  at::Tensor translate(const at::Tensor& x, training::Domain from) override;
  /// Of a one-way system: of B alone.
  at::Tensor reconstruct(const at::Tensor& x, training::Domain of) override;
  /// E_mu,i(x): [N, d, h, w], without gradient. UsageError: as translate().
  at::Tensor code(const at::Tensor& x, training::Domain of);

  /// Null before fit(). The weights of E and G are the method's state, below "G", those of the
  /// judges below "D".
  const UnitNetwork& network() const { return G_; }
  const UnitJudges& judges() const { return D_; }
  /// Of the last fit().
  const training::AdversarialReport& report() const { return report_; }

 private:
  training::Game game(const at::Tensor& a, const at::Tensor& b);
  at::Tensor decoded(const at::Tensor& x, training::Domain of, training::Domain into);
  UnitOptions options_;
  UnitNetwork G_{nullptr};
  UnitJudges D_{nullptr};
  training::AdversarialReport report_;
};

}  // namespace reprise::models
