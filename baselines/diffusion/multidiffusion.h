// MultiDiffusion: samples a canvas larger than the prior's items as one. At every level the
// denoised windows are averaged where they overlap. The trivial baseline samples independent
// windows.
//
//     D_canvas(x; sigma) = mean over the windows that see a value of D(window of x; sigma)
// is a denoiser of the whole canvas, so that every sampler of models/diffusion/edm.h works with it.
// The paper averages the sampler's steps, which is the same because edm_sample()'s steps are linear
// in D.
// Source: Bar-Tal et al., MultiDiffusion: Fusing Diffusion Paths for Controlled Image Generation,
// 2023, eq 5.
#pragma once
#include "models/diffusion/edm.h"
#include "models/representations/canvas.h"

namespace reprise::baselines {

struct MultiDiffusionOptions {
  models::SamplerOptions sampler = {};
  std::int64_t stride = 0;  ///< distance of windows along the axis; 0: a quarter of a window
  std::int64_t batch = 64;  ///< windows per pass through D (memory only)
};

/// Replaces the canvas by samples. conditions: one row per object, as models::Conditions::D.
/// UsageError: as models::edm_sample(); a stride below 1 or above the window; a number of
/// conditions other than one per object.
void multidiffusion(models::Canvas& canvas, models::Denoiser& D,
                    const MultiDiffusionOptions& options, const at::Generator& generator,
                    const at::Tensor& conditions = {});

/// Samples adjacent windows independently. Where the last ones overlap, their mean counts. `stride`
/// is ignored. Errors: as multidiffusion().
void sample_independent_crops(models::Canvas& canvas, models::Denoiser& D,
                              const MultiDiffusionOptions& options, const at::Generator& generator,
                              const at::Tensor& conditions = {});

}  // namespace reprise::baselines
