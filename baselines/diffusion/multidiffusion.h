// MultiDiffusion: what is larger than a prior's items is sampled as one, every level's denoised
// windows averaged where they overlap; and the naive way beside it, windows that know nothing of
// each other.
//
//     D_canvas(x; sigma) = mean over the windows that see a value of D(window of x; sigma)
// is a denoiser of the whole canvas, so that any sampler of models/diffusion/edm.h goes with it.
// (The paper averages the sampler's step; with the steps of edm_sample(), which are linear in D,
// that is the same.) Source: Bar-Tal et al., MultiDiffusion: Fusing Diffusion Paths for Controlled
// Image Generation, 2023, eq 5.
#pragma once
#include "models/diffusion/edm.h"
#include "models/representations/canvas.h"

namespace reprise::baselines {

struct MultiDiffusionOptions {
  models::SamplerOptions sampler = {};
  std::int64_t stride = 0;  ///< from window to window along the axis; 0: a quarter of a window
  std::int64_t batch = 64;  ///< windows that go through D at once: memory, not result
};

/// The canvas is replaced by samples. conditions: a row an object, as models::Conditions::D.
/// UsageError: as models::edm_sample(); a stride below 1 or above the window; conditions that are
/// not one an object.
void multidiffusion(models::Canvas& canvas, models::Denoiser& D,
                    const MultiDiffusionOptions& options, const at::Generator& generator,
                    const at::Tensor& conditions = {});

/// Windows side by side, each sampled by itself; where the last ones overlap, their mean. Errors:
/// as multidiffusion(); stride is not read.
void independent_crops(models::Canvas& canvas, models::Denoiser& D,
                       const MultiDiffusionOptions& options, const at::Generator& generator,
                       const at::Tensor& conditions = {});

}  // namespace reprise::baselines
