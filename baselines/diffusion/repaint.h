// RePaint: completes images with a denoiser that was trained on whole ones, by sampling with the
// known part put in at every level.
//
//     for each level sigma_i, U times:
//       known     = x_0 + sigma_{i+1} epsilon                          what is given, as noisy as the rest is going to be
//       unknown   = one step of the sampler from x at sigma_i to sigma_{i+1}
//       x         = known where mask is 1, unknown elsewhere
//       (but the last time)  x <- x + sqrt(sigma_i^2 - sigma_{i+1}^2) epsilon       back up, so that both parts can come to agree
// The sampler's step is the probability-flow ODE's, or with `stochastic` that of DDPM in levels:
// x_i given x_{i+1} and x_0 = D(x_i; sigma_i),
//     D + r (x - D) + sigma_{i+1} sqrt(1 - r) epsilon,      r = (sigma_{i+1} / sigma_i)^2
// From a start of some sigma_max below the data's own, with one resampling, it is SDEdit of a part
// (Meng et al. 2022, algorithm 3). Source: Lugmayr et al., RePaint: Inpainting using Denoising
// Diffusion Probabilistic Models, 2022, algorithm 1 (jumps of one step).
#pragma once
#include "models/diffusion/edm.h"

namespace reprise::baselines {

struct RepaintOptions {
  models::SamplerOptions levels = {};  ///< S_churn is not used
  std::int64_t resamplings = 4;        ///< U
  bool stochastic = true;              ///< DDPM's step, the paper's; or the ODE's
  at::Tensor start =
      {};  ///< like x_0: what the unknown part is before its first noise; not defined: 0
};

/// x_0: [N, ...]; mask: 1 where it is known, 0 elsewhere, a shape that broadcasts to x_0's. Returns
/// the completed images, x_0 itself where mask is 1. Evaluations of D: U for each level, or 2 U
/// with Heun's ODE. UsageError: as models::sigma_grid(); no resampling; a mask of another shape, or
/// with values other than 0 and 1.
at::Tensor repaint(models::Denoiser& D, const at::Tensor& x_0, const at::Tensor& mask,
                   const RepaintOptions& options, const at::Generator& generator,
                   const at::Tensor& labels = {});

}  // namespace reprise::baselines
