// SDEdit: noise covers the unlikely parts of an image, and sampling continues from there.
//
//     x_sigma = x_0 + sigma epsilon, then the sampler of models/diffusion/edm.h from sigma down to 0
// A higher sigma is more realistic and less faithful; far above the data's standard deviation the
// result forgets x_0. Source: Meng et al., SDEdit: Guided Image Synthesis and Editing with
// Stochastic Differential Equations, 2022.
#pragma once
#include "models/diffusion/edm.h"

namespace reprise::baselines {

/// x_0: [N, ...] -> the same. sampler: its sigma_max is not read. UsageError: as
/// models::edm_sample(); sigma not above sampler.sigma_min.
at::Tensor sdedit(models::Denoiser& D, const at::Tensor& x_0, double sigma,
                  models::SamplerOptions sampler, const at::Generator& generator,
                  const at::Tensor& labels = {});

}  // namespace reprise::baselines
