// The registry of methods that UNIT's digit adaptation is compared with (training/adaptation.h).
#pragma once
#include <vector>

#include "models/translation/digit_unit.h"

namespace reprise::baselines {

struct AdapterOptions {
  /// Width, batch and iterations of the classifiers.
  models::DigitAdversaryOptions common = {};
  /// CoGAN has one first layer of D for both domains, and compares no features, unless stated.
  models::DigitAdversaryOptions cogan = {.own_front_D = false, .lambda_f = 0};
  double rate_source_only = 2e-4, rate_dann = 2e-4;
  std::int64_t subspace = 80;  ///< dimensions of SA
  double warm_up = 0.2;  ///< fraction of DANN's iterations in which only the classifier learns
};

/// source_only           the classifier trained on labelled source pictures only: no adaptation
/// dann                domain-adversarial training by gradient reversal (Ganin and Lempitsky 2015),
///                       after a warm-up of the classifier
/// cogan                 coupled GANs (Liu and Tuzel 2016)
/// subspace_alignment    SA (Fernando et al. 2013), nearest neighbour
std::vector<training::AdapterMethod> adapters(const AdapterOptions& options);

}  // namespace reprise::baselines
