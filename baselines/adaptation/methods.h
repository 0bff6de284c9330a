// The registry of methods that UNIT's digit adaptation is compared with (training/adaptation.h).
#pragma once
#include <vector>

#include "models/translation/digit_unit.h"

namespace reprise::baselines {

struct AdapterOptions {
  /// All of it for CoGAN; widths, batch, iterations and D's learning rate for the classifiers.
  models::DigitAdversaryOptions common = {};
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
