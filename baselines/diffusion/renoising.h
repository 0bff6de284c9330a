// Renoising: document langevin's Algorithm 1 without inversion and without D'. It is the trivial
// baseline of every inversion.
//
//     for round = 0, 1, ...:
//       x_0 = render(phi, psi)
//       phi <- argmin |render(phi, psi) - D(x_0 + sigma epsilon; sigma)|^2
//
// Each round evaluates D once per view. sigma falls from sigma_first to sigma_last by equal ratios.
// A seed draws the same views and noise as in models::synthesise(). On pixels, one round from sigma
// is SDEdit with a single step.
#pragma once
#include <functional>

#include "models/diffusion/synthesis.h"

namespace reprise::baselines {

/// Runs the rounds. `after` is called after each fit and may write to phi. The options of inversion
/// and churn are ignored. UsageError: as models::synthesise().
void renoise(models::Representation& phi, models::Denoiser& D,
             const models::SynthesisOptions& options, const at::Tensor& conditions = {},
             const std::function<void(const models::SynthesisRound&)>& after = {});

}  // namespace reprise::baselines
