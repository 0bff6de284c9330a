// Coupled generative adversarial networks for digit adaptation (Liu and Tuzel 2016, section 5).
//
// G_1 and G_2 make a pair of pictures from one code z ~ N(0, I). They share their first layers. D_1
// and D_2 share all layers, or all but the first. D learns to tell real from generated in both
// domains. Its classifier learns from labelled source pictures (models/translation/digit_unit.h,
// with G adding nothing). The networks are UNIT's without E.
//
// The authors' release (mingyuliutw/CoGAN, cogan_pytorch, mnist2usps) has own first layers, and
// compares features of the pair with the weight 0.01 (own_front_D, lambda_f). Its D has no dropout.
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
