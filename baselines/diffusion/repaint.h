// RePaint: completes images with a denoiser of complete images. Sampling inserts the known part at
// every level.
//
//     for each level sigma_i, U times:
//       known     = x_0 + sigma_{i+1} epsilon        as noisy as the unknown part is after the step
//       unknown   = one step of the sampler from x at sigma_i to sigma_{i+1}
//       x         = known where mask is 1, unknown elsewhere
//       (except the last time)  x <- x + sqrt(sigma_i^2 - sigma_{i+1}^2) epsilon
//                                                        back up, which harmonises both parts
// The sampler's step is the probability-flow ODE's. With `stochastic` it is DDPM's, in levels: x_i
// given x_{i+1} and x_0 = D(x_i; sigma_i),
//     D + r (x - D) + sigma_{i+1} sqrt(1 - r) epsilon,      r = (sigma_{i+1} / sigma_i)^2
// From a start at some sigma_max below the data's own, with one resampling, it is SDEdit of a part
// (Meng et al. 2022, algorithm 3). Source: Lugmayr et al., RePaint: Inpainting using Denoising
// Diffusion Probabilistic Models, 2022, algorithm 1 (jumps of one step).
#pragma once
#include "models/diffusion/edm.h"

namespace reprise::baselines {

struct RepaintOptions {
  models::SamplerOptions levels = {};  ///< S_churn is ignored
  std::int64_t resamplings = 4;        ///< U
  bool stochastic = true;              ///< DDPM's step, as in the paper; false: the ODE's
  /// Initial unknown part before its first noise, like x_0; undefined: 0.
  at::Tensor start = {};
};

/// Completes x_0 [N, ...]. mask: 1 where x_0 is known, 0 elsewhere, broadcast to x_0. The result
/// equals x_0 where mask is 1. D is evaluated U times per level, with Heun's ODE 2 U times.
/// UsageError: as models::sigma_grid(); no resampling; a mask of another shape or with values other
/// than 0 and 1.
at::Tensor repaint(models::Denoiser& D, const at::Tensor& x_0, const at::Tensor& mask,
                   const RepaintOptions& options, const at::Generator& generator,
                   const at::Tensor& labels = {});

}  // namespace reprise::baselines
