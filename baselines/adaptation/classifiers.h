// A classifier of pictures that has seen labels of the source alone, with or without
// domain-adversarial training.
//
// The network is that of UNIT's D with one first layer for both domains
// (models/translation/digit_networks.h): so all methods classify with as many weights. DANN (Ganin
// and Lempitsky 2015) adds a head d that tells the domains apart by the top features f, and
// reverses its gradient on the way back into f:
//     min over f, classifier   CE(class of x_s) - lambda CE(domain)        min over d   CE(domain)
//     lambda = 2 / (1 + exp(-10 p)) - 1,   p = the fraction done of what follows the warm-up, during which lambda = 0 (and d learns)
// From random features the reversal can keep the classifier at chance for good, hence the warm-up.
#pragma once
#include <filesystem>

#include "models/translation/digit_networks.h"

namespace reprise::baselines {

struct SourceClassifierOptions {
  std::int64_t width = 64;
  std::int64_t batch = 64;  ///< pictures of each domain
  std::int64_t iterations =
      10000;  ///< whole multiples of watch_every, of which there is one at least
  double learning_rate = 2e-4;
  bool adversarial = false;  ///< DANN
  double warm_up = 0.2;      ///< the fraction of the iterations
  std::int64_t watch_every = 100;
  std::filesystem::path checkpoint = {};  ///< "": none is kept
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
  models::DigitJudge network_{nullptr};
};

/// x, with its gradient turned round and lambda times as large.
at::Tensor reversed_gradient(const at::Tensor& x, double lambda);

}  // namespace reprise::baselines
