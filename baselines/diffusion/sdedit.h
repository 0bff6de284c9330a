// SDEdit: what is unlikely in an image is drowned in noise, and an image is sampled from there.
//
//     x_sigma = x_0 + sigma epsilon, then the sampler of models/diffusion/edm.h from sigma down to 0
// The higher sigma, the more realistic and the less faithful; from a sigma far above the data's deviation it forgets x_0.
// Source: Meng et al., SDEdit: Guided Image Synthesis and Editing with Stochastic Differential Equations, 2022.
#pragma once
#include "models/diffusion/edm.h"

namespace reprise::baselines {

/// x_0: [N, ...] -> the same. sampler: its sigma_max is not read. UsageError: as models::edm_sample(); sigma not above sampler.sigma_min.
at::Tensor sdedit(models::Denoiser& D, const at::Tensor& x_0, double sigma, models::SamplerOptions sampler, const at::Generator& generator,
                  const at::Tensor& labels = {});

}  // namespace reprise::baselines
