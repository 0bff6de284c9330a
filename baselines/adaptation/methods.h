// What UNIT's digit adaptation is compared with, behind the same contract (training/adaptation.h).
#pragma once
#include <vector>

#include "models/translation/digit_unit.h"

namespace reprise::baselines {

struct AdapterOptions {
  models::DigitAdversaryOptions common =
      {};  ///< of CoGAN, and of the classifiers widths, batch, iterations and the rate of D
  std::int64_t subspace = 80;  ///< dimensions of SA
  double warm_up = 0.2;        ///< of DANN's iterations: the classifier learns alone
};

/// source_only           the classifier on labelled pictures of the source: what no adaptation gives
/// dann                  domain-adversarial training by gradient reversal (Ganin and Lempitsky 2015), the classifier warmed up first
/// cogan                 coupled GANs (Liu and Tuzel 2016)
/// subspace_alignment    SA (Fernando et al. 2013), nearest neighbour
std::vector<training::AdapterMethod> adapters(const AdapterOptions& options);

}  // namespace reprise::baselines
