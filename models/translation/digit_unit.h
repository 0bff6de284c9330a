// UNIT's digit adaptation as a method (training/adaptation.h), as released; and what any coupled
// adversarial method of digits has in common.
//
// D_1 and D_2 with a classifier on their shared layers learn beside the generators of a game. With
// a pair of generated pictures (u_1, u_2) that should show one thing in both domains, and f(.) D's
// top features without dropout:
//     D minimises   lambda0 L_GAN + lambda_c CE(class of x_1) + lambda_f sum over pairs |f_2(u_2) - f_1(u_1)|^2
//     G minimises   lambda0 L_GAN + what the method adds
// The gradient of the pairs' term goes into D alone. A real x_1 is told from a generated one and
// classified under one drawing of dropout, of which the release has two. L_GAN is a mean over both
// domains, and where D sees reconstructions over both streams; squares are summed over an image's
// values and averaged over images. What is on a picture of the target says the classifier by D_2.
//
// UNIT's pairs are (x11, x12) and (x21, x22). Its G adds
//     lambda1 (|mu_1|^2 + |mu_2|^2) + lambda2 (|x_1 - x11|^2 + |x_2 - x22|^2)
// that is twice the KL at unit variance, and squares in place of eq 2's absolute distances, as the
// release has it; there is no cycle. The release learns the code's deviation too, and its G
// minimises the sum of both streams' L_GAN, twice the mean here.
#pragma once
#include "models/translation/digit_networks.h"
#include "training/adversarial.h"

namespace reprise::models {

struct DigitAdversaryOptions {
  std::int64_t width_G = 96, width_D = 64;
  bool own_front_D = true;
  bool equal_start = false;  ///< of layers of the second domain as those of the first
  double lambda0 = 1, lambda_c = 10, lambda_f = 1e-4;
  std::int64_t batch = 64;         ///< pictures of each domain
  std::int64_t watch_every = 100;  ///< iterations
  training::AdversarialOptions training = {
      .iterations = 200000, .G = {.weight_decay = 5e-4}, .D = {.weight_decay = 5e-4}};
};

/// A game of D_1 and D_2 that learns classes: what is generated is the affair of who derives from
/// it.
class DigitAdversary : public training::Adapter {
 public:
  at::Tensor probabilities(const at::Tensor& x, training::Domain of) override;
  const training::AdversarialReport& report() const { return report_; }

 protected:
  explicit DigitAdversary(DigitAdversaryOptions options) : options_(std::move(options)) {}
  /// Real pictures come as {x_2, x_1, labels}, generated ones as {u_2, u_1, of another pair u_2,
  /// u_1, ..., what else}.
  static constexpr std::size_t real_2 = 0, real_1 = 1, labels_at = 2;
  static constexpr std::size_t
      fronts_at = 0,
      top_at = 1;  ///< of Verdict::more: D's first layers of all pairs, its top of what it judged
  struct DigitGame {
    std::shared_ptr<torch::nn::Module> G;
    std::size_t pairs = 1;
    std::vector<std::size_t> judged = {
        0, 1};  ///< places of what D sees, those of domain 2 at even ones
    decltype(training::Game::generated) generated;
    decltype(training::Game::more_of_G) more_of_G = {};
  };
  /// Networks for these pictures. UsageError: as training::classes_of(); pictures that are not
  /// square.
  DigitNetworkOptions networks_for(const training::AdaptationData& data) const;
  /// Draws D, registers G and D, and plays.
  void play(const training::AdaptationData& data, const DigitNetworkOptions& networks,
            const DigitGame& own, std::uint64_t seed, training::Progress& progress);
  DigitAdversaryOptions options_;

 private:
  training::Verdict judged(const training::Items& items, std::size_t pairs,
                           const std::vector<std::size_t>& seen);
  at::Tensor more_of_D(const training::Judged& real, const training::Judged& generated,
                       std::size_t pairs);
  DigitJudge D_{nullptr};
  training::AdversarialReport report_;
};

struct DigitUnitOptions {
  DigitAdversaryOptions common = {};
  double lambda1 = 1e-4, lambda2 = 1e-3;
  bool coordinates = true;
  bool judge_reconstructions = true;
};

class DigitUnit : public DigitAdversary {
 public:
  explicit DigitUnit(DigitUnitOptions options)
      : DigitAdversary(options.common), own_(std::move(options)) {}
  void fit(const training::AdaptationData& data, std::uint64_t seed,
           training::Progress& progress) override;
  /// Pictures of one domain as ones of the other. No gradient. UsageError: not fitted.
  at::Tensor translate(const at::Tensor& x, training::Domain from);

 private:
  DigitUnitOptions own_;
  DigitCoders G_{nullptr};
};

/// unit_digits                     as above
/// unit_digits_no_features         without the pairs' term
/// unit_digits_no_coordinates      images alone into E
/// unit_digits_no_reconstructions  D sees translations alone
/// unit_digits_one_front           D's first layer in common
std::vector<training::AdapterMethod> learned_adapters(const DigitUnitOptions& options);

}  // namespace reprise::models
