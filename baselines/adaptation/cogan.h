// Coupled generative adversarial networks for digit adaptation (Liu and Tuzel 2016, section 5).
//
// G_1 and G_2 make a pair of pictures of one drawn code z ~ N(0, I); their first layers are shared,
// as are D's layers, the first one too where both domains have as many channels. D learns to tell
// real from generated in both domains, and its classifier learns from labelled pictures of the
// source (models/translation/digit_unit.h, with G adding nothing and no features compared).
// Networks are UNIT's, but for E.
#pragma once
#include "models/translation/digit_unit.h"

namespace reprise::baselines {

class Cogan : public models::DigitAdversary {
 public:
  explicit Cogan(models::DigitAdversaryOptions options) : DigitAdversary(std::move(options)) {}
  void fit(const training::AdaptationData& data, std::uint64_t seed,
           training::Progress& progress) override;

 private:
  models::DigitDecoder G_{nullptr};
};

}  // namespace reprise::baselines
