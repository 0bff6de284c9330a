// SDEdit: covers the unlikely parts of an image with noise and samples from there.
//
//    x_sigma = x_0 + sigma epsilon, then the sampler of models/diffusion/edm.h from sigma down to 0
// A higher sigma is more realistic and less faithful. Far above the data's standard deviation the
// result is independent of x_0. Source: Meng et al., SDEdit: Guided Image Synthesis and Editing
// with Stochastic Differential Equations, 2022.
#pragma once
#include "models/diffusion/edm.h"

namespace reprise::baselines {

/// Edits x_0: [N, ...]. sampler.sigma_max is ignored. UsageError: as models::edm_sample(); sigma
/// not above sampler.sigma_min.
at::Tensor sdedit(models::Denoiser& D, const at::Tensor& x_0, double sigma,
                  models::SamplerOptions sampler, const at::Generator& generator,
                  const at::Tensor& labels = {});

}  // namespace reprise::baselines
