// UNIT's digit adaptation as a method (training/adaptation.h), as released, and the common part of
// coupled adversarial methods for digits.
//
// D_1 and D_2 with a classifier on their shared layers train with the generators of a task. A pair
// of generated pictures (u_1, u_2) should show the same content in both domains. f(.) are D's top
// features without dropout.
//     D minimises   lambda0 L_GAN + lambda_c CE(class of x_1)
//                   + lambda_f sum over pairs |f_2(u_2) - f_1(u_1)|^2
//     G minimises   lambda0 L_GAN + the method's own terms
// The pairs' term has a gradient in D only. One dropout mask serves both heads for a real x_1; the
// release draws two. L_GAN is a mean over both domains, and over both streams if D sees
// reconstructions. Squares are summed over an image's values and averaged over images. D_2 and its
// classifier predict the classes of the target.
//
// UNIT's pairs are (x11, x12) and (x21, x22). Its G adds
//     lambda1 (|mu_1|^2 + |mu_2|^2) + lambda2 (|x_1 - x11|^2 + |x_2 - x22|^2)
// The first term is twice the KL at unit variance; the second has squares where eq 2 has absolute
// distances, as in the release. There is no cycle. Two options follow the release further:
//   - learned_deviation: E learns the code's standard deviation sd. The prior's term of a domain is
//     then lambda1 sum(mu^2 + sd^2 - log sd^2), twice the KL but for a constant.
//   - sum_streams: G minimises the sum of both streams' L_GAN, which is twice the mean.
#pragma once
#include "models/translation/digit_networks.h"
#include "training/adversarial.h"

namespace reprise::models {

struct DigitAdversaryOptions {
  std::int64_t width_G = 96, width_D = 64;
  bool own_front_D = true;
  bool equal_start = false;  ///< own layers of domain 2 start as copies of domain 1's
  double lambda0 = 1, lambda_c = 10, lambda_f = 1e-4;
  std::int64_t batch = 64;            ///< pictures per domain
  std::int64_t evaluate_every = 100;  ///< interval of logged values, iterations
  training::AdversarialOptions training = {
      .iterations = 200000, .G = {.weight_decay = 5e-4}, .D = {.weight_decay = 5e-4}};
};

/// Adversarial training of D_1 and D_2 that learns classes. Derived classes define the generator.
class DigitAdversary : public training::Adapter {
 public:
  at::Tensor probabilities(const at::Tensor& x, training::Domain of) override;
  const training::AdversarialReport& report() const { return report_; }

 protected:
  explicit DigitAdversary(DigitAdversaryOptions options) : options_(std::move(options)) {}
  /// Items of a batch. Real: {x_2, x_1, labels}. Generated: pairs {u_2, u_1, u_2', u_1', ...}, then
  /// others.
  static constexpr std::size_t real_2 = 0, real_1 = 1, labels_at = 2;
  /// Items of DiscriminatorOutput::extra: D's first layers of all pairs, and the top of what it
  /// scored.
  static constexpr std::size_t fronts_at = 0, top_at = 1;
  /// The generator's part of the task.
  struct DigitGanTask {
    std::shared_ptr<torch::nn::Module> G;
    std::size_t pairs = 1;
    /// Indices of the generated items that D sees, domain 2 at even positions.
    std::vector<std::size_t> seen_by_D = {0, 1};
    decltype(training::GanTask::generate) generate;
    decltype(training::GanTask::extra_loss_G) extra_loss_G = {};
  };
  /// Sizes of networks for these pictures. UsageError: as training::count_classes(); pictures that
  /// are not square.
  DigitNetworkOptions networks_for(const training::AdaptationData& data) const;
  /// Draws D, registers G and D, and trains them.
  void train_gan(const training::AdaptationData& data, const DigitNetworkOptions& networks,
                 const DigitGanTask& own, std::uint64_t seed, training::Progress& progress);
  DigitAdversaryOptions options_;

 private:
  training::DiscriminatorOutput discriminate(const training::Items& items, std::size_t pairs,
                                             const std::vector<std::size_t>& seen);
  at::Tensor extra_loss_D(const training::ScoredBatch& real, const training::ScoredBatch& generated,
                          std::size_t pairs);
  DigitDiscriminator D_{nullptr};
  training::AdversarialReport report_;
};

struct DigitUnitOptions {
  DigitAdversaryOptions common = {};
  double lambda1 = 1e-4, lambda2 = 1e-3;
  bool coordinates = true;
  bool learned_deviation = false;
  bool sum_streams = false;
  bool discriminate_reconstructions = true;
};

class DigitUnit : public DigitAdversary {
 public:
  explicit DigitUnit(DigitUnitOptions options)
      : DigitAdversary(options.common), own_(std::move(options)) {}
  void fit(const training::AdaptationData& data, std::uint64_t seed,
           training::Progress& progress) override;
  /// Translates pictures to the other domain, 256 at a time, without gradient. UsageError: not
  /// fitted.
  at::Tensor translate(const at::Tensor& x, training::Domain from);

 private:
  DigitUnitOptions own_;
  DigitCoders G_{nullptr};
};

/// unit_digits                     as above
/// unit_digits_no_features         without the pairs' term
/// unit_digits_no_coordinates      E without coordinates
/// unit_digits_no_reconstructions  D sees translations only
/// unit_digits_one_front           both domains share D's first layer
std::vector<training::AdapterMethod> learned_adapters(const DigitUnitOptions& options);

}  // namespace reprise::models
