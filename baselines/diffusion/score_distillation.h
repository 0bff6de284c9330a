// Score distillation sampling (SDS): fits any models::Representation to a prior of images.
//
// Every step draws views psi, a level per view, ln sigma ~ U(ln sigma_min, ln sigma_max), and
// noise:
//     x           = render(phi, psi) + sigma epsilon
//     d loss / dx = w(sigma) (x_0 - D(x; sigma)) / d
//               = w(sigma) sigma (epsilon_hat - epsilon) / d          epsilon_hat = (x - D) / sigma
// This gradient goes through the rendering, not through D, into one step of Adam on phi. It seeks
// modes: results are likely and similar. Levels may fall: sigma_max falls to sigma_last by equal
// ratios over the steps. Source: Poole et al., DreamFusion: Text-to-3D using 2D Diffusion, 2022, eq
// 3, where w(t) on epsilon is w = 1 / sigma here (DistillationWeight::Noise).
#pragma once
#include <functional>
#include <optional>

#include "models/diffusion/synthesis.h"

namespace reprise::baselines {

enum class DistillationWeight {
  Denoised,  ///< w = 1: the target of a step is D's image
  Noise,     ///< w = 1 / sigma: the target is the noise, as in the paper
};

struct DistillationOptions {
  std::int64_t steps = 240;
  double rate = 1e-2;  ///< Adam's learning rate
  double sigma_min = 0.1, sigma_max = 3;
  /// Value of sigma_max at the last step; not given: constant.
  std::optional<double> sigma_last = {};
  DistillationWeight weight = DistillationWeight::Denoised;
  std::uint64_t seed = 0;
};

struct DistillationStep {
  std::int64_t number = 0;  ///< from 0
  at::Tensor psi, sigma;    ///< [V, 1 + k], [V]
  at::Tensor x_0;
};

/// Runs the steps. `after` is called after each step and may write to phi. Error: a rendering that
/// is not finite. UsageError: no step; levels in the wrong order or not above 0; a number of
/// conditions other than one per object.
void distil(models::Representation& phi, models::Denoiser& D, const DistillationOptions& options,
            const at::Tensor& conditions = {},
            const std::function<void(const DistillationStep&)>& after = {});

}  // namespace reprise::baselines
