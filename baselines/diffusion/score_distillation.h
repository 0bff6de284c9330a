// Score distillation sampling (SDS): how a representation was first made to please an image prior.
// Here: on any models::Representation.
//
// Every step draws views psi, a level a view, ln sigma ~ U(ln sigma_min, ln sigma_max), and noise:
//     x           = render(phi, psi) + sigma epsilon
//     d loss / dx = w(sigma) (x_0 - D(x; sigma)) / d  =  w(sigma) sigma (epsilon_hat - epsilon) / d          epsilon_hat = (x - D) / sigma
// which goes back through the rendering, not through D, into one step of Adam on phi. It seeks
// modes: what is found is likely, and alike. Levels may sink: sigma_max goes to sigma_last, by
// equal ratios, over the steps. Source: Poole et al., DreamFusion: Text-to-3D using 2D Diffusion,
// 2022, eq 3; its w(t) on epsilon is w = 1 / sigma here (Weight::Noise).
#pragma once
#include <functional>
#include <optional>

#include "models/diffusion/synthesis.h"

namespace reprise::baselines {

enum class DistillationWeight {
  Denoised,  ///< w = 1: the step's target is D's image
  Noise,     ///< w = 1 / sigma: its target is the noise, as in the paper
};

struct DistillationOptions {
  std::int64_t steps = 240;
  double rate = 1e-2;  ///< of Adam
  double sigma_min = 0.1, sigma_max = 3;
  std::optional<double> sigma_last =
      {};  ///< what sigma_max has become at the last step; not given: it stays
  DistillationWeight weight = DistillationWeight::Denoised;
  std::uint64_t seed = 0;
};

struct DistillationStep {
  std::int64_t number = 0;  ///< from 0
  at::Tensor psi, sigma;    ///< [V, 1 + k], [V]
  at::Tensor x_0;
};

/// `after` is called when phi has made its step; it may write to phi. Errors: a rendering that is
/// not finite; UsageError: no step, levels in the wrong order or not above 0, conditions that are
/// not one an object.
void distil(models::Representation& phi, models::Denoiser& D, const DistillationOptions& options,
            const at::Tensor& conditions = {},
            const std::function<void(const DistillationStep&)>& after = {});

}  // namespace reprise::baselines
