#include "baselines/adaptation/methods.h"

#include "baselines/adaptation/classifiers.h"
#include "baselines/adaptation/cogan.h"
#include "baselines/adaptation/subspace_alignment.h"

namespace reprise::baselines {

std::vector<training::AdapterMethod> adapters(const AdapterOptions& options) {
  using training::Role;
  SourceClassifierOptions alone{.width = options.common.width_D,
                                .batch = options.common.batch,
                                .iterations = options.common.training.iterations,
                                .learning_rate = options.rate_source_only,
                                .warm_up = options.warm_up,
                                .evaluate_every = options.common.evaluate_every,
                                .checkpoint = options.common.training.checkpoint};
  auto adversarial = alone;
  adversarial.adversarial = true;
  adversarial.learning_rate = options.rate_dann;
  const std::string cost = "one pass of the classifier";
  return {
      {.info = {"source_only", "source only", Role::Control, "no adaptation", cost},
       .uses_target = false,
       .make = [alone] { return std::make_unique<SourceClassifier>(alone); }},
      {.info = {"dann", "DANN", Role::Baseline, "Ganin and Lempitsky 2015", cost},
       .make = [adversarial] { return std::make_unique<SourceClassifier>(adversarial); }},
      {.info = {"cogan", "CoGAN", Role::Baseline, "Liu and Tuzel 2016", cost},
       .make = [coupled = options.cogan] { return std::make_unique<Cogan>(coupled); }},
      {.info = {"subspace_alignment", "SA", Role::Baseline, "Fernando et al. 2013",
                "a distance per picture of the source"},
       .make = [d = options.subspace] { return std::make_unique<SubspaceAlignment>(d); }},
  };
}

}  // namespace reprise::baselines
