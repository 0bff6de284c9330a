// Study langevin on very small sets.
#pragma once
#include <string>
#include <vector>

#include "experiments/run/runner.h"
#include "reproduce/langevin/study.h"
#include "tests/support.h"

namespace reprise::reproduce {

inline Settings langevin_profile(const std::string& name,
                                 const std::vector<std::string>& hyperparameters = {}) {
  return settings_of(langevin(), {.profile = name, .set = hyperparameters});
}

/// Cells of a second each.
inline Settings tiny_domains(const std::vector<std::string>& hyperparameters = {}) {
  auto all =
      split_settings(R"(seeds=2; domains=["digits", "landscapes", "videos", "sounds", "solids"];
    digits.small_channels=[4, 4]; digits.small_epochs=1; videos.frames=4; prior.steps_an_epoch=4; prior.batch=8;
    prior.embedding=16; evaluator.trunk=8 p 8; evaluator.width=8; evaluator.steps=30; evaluator.batch=16; quality.samples=20;
    quality.trial_samples=20; quality.steps=3; exact.items=2000; exact.mixture_items=200; inversion.items=8;
    inversion.sigmas=[1.0]; inversion.ode_steps=3; inversion.adam_steps=3; latent.items=8; latent.rounds=2; churn.items=8;
    churn.likelihood_items=4; churn.rounds=2; steering.items=10; steering.rounds=2; completion.items=8; completion.rounds=3;
    painting.items=10; painting.rounds=2; painting.sds_steps=5; extension.rounds=2; extension.objects=2; object.rounds=2;
    object.samples=8; object.width=16; object.rays=64; object.fit_steps=3)");
  for (const std::string domain : {"digits", "landscapes", "videos", "sounds", "solids"})
    for (const std::string change : {"prior=64", "evaluator=64", "validation=16", "test=24",
                                     "channels=[8, 8]", "attention=[1]", "epochs=1"})
      all.push_back(domain + "." + change);
  all.insert(all.end(), hyperparameters.begin(), hyperparameters.end());
  return langevin_profile("smoke", all);
}

}  // namespace reprise::reproduce
