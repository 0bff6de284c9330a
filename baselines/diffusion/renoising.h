// Renoising: what is left of document langevin's Algorithm 1 without an inversion and without D'.
// The null row beside every inversion.
//
//     for round = 0, 1, ...:
//       x_0 = render(phi, psi)
//       phi <- argmin |render(phi, psi) - D(x_0 + sigma epsilon; sigma)|^2
//
// One evaluation of D a view and round. sigma goes from sigma_first to sigma_last by equal ratios,
// as in models::synthesise(), whose views and noise a seed draws here too. On pixels one round from
// sigma is SDEdit with a single step.
#pragma once
#include <functional>

#include "models/diffusion/synthesis.h"

namespace reprise::baselines {

/// `after` is called when phi has followed the round's target; it may write to phi. Of the options
/// the inversion and the churn are not read. UsageError: as models::synthesise().
void renoise(models::Representation& phi, models::Denoiser& D,
             const models::SynthesisOptions& options, const at::Tensor& conditions = {},
             const std::function<void(const models::Round&)>& after = {});

}  // namespace reprise::baselines
