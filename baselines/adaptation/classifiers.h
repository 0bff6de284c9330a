// A classifier of pictures that learns from labels of the source only, with or without
// domain-adversarial training.
//
// The network is UNIT's D with one first layer for both domains
// (models/translation/digit_networks.h), so that all methods classify with as many weights. DANN
// (Ganin and Lempitsky 2015) adds a head d that predicts the domain from the top features f and
// reverses its gradient into f:
//     min over f, classifier   CE(class of x_s) - lambda CE(domain)        min over d   CE(domain)
//    lambda = 2 / (1 + exp(-10 p)) - 1,   p = the fraction done of the iterations after the warm-up
// During the warm-up lambda is 0 and only d and the classifier learn. Reversal from random features
// can keep the classifier at chance, hence the warm-up.
#pragma once
#include <filesystem>

#include "models/translation/digit_networks.h"

namespace reprise::baselines {

struct SourceClassifierOptions {
  std::int64_t width = 64;
  std::int64_t batch = 64;  ///< pictures per domain
  /// Training steps: a multiple of evaluate_every.
  std::int64_t iterations = 10000;
  double learning_rate = 2e-4;
  bool adversarial = false;  ///< DANN
  double warm_up = 0.2;      ///< fraction of the iterations
  std::int64_t evaluate_every = 100;
  std::filesystem::path checkpoint = {};  ///< file to resume from; "": no checkpoint
};

class SourceClassifier : public training::Adapter {
 public:
  explicit SourceClassifier(SourceClassifierOptions options) : options_(std::move(options)) {}
  /// UsageError: also pictures that are not square.
  void fit(const training::AdaptationData& data, std::uint64_t seed,
           training::Progress& progress) override;
  at::Tensor probabilities(const at::Tensor& x, training::Domain of) override;

 private:
  void draw_network(const training::AdaptationData& data, Random& random);
  SourceClassifierOptions options_;
  models::DigitDiscriminator network_{nullptr};
};

/// Returns x. The gradient is multiplied by -lambda.
at::Tensor reverse_gradient(const at::Tensor& x, double lambda);

}  // namespace reprise::baselines
