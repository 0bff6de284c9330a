// How likely an image is to a diffusion model: the exact density of its own probability-flow ODE,
// by the change of variables along it (Song et al. 2021, eq 39; Karras et al. 2022, eq 1 with
// sigma(t) = t).
//
//     dx/dsigma = f(x, sigma) = (x - D(x; sigma)) / sigma
//     ln p(x; sigma_min) = ln N(x_end; mu, sigma_max^2 + sigma_data^2) + integral from sigma_min to sigma_max of tr(df/dx) dsigma
//     tr(df/dx) = E v^T (df/dx) v,   v of signs, one draw an item, the same along its way                (Hutchinson; Skilling)
// x is solved upwards by Heun's method, the integral with it. The distribution at sigma_max is
// taken for a Gaussian around the mean image. What is given is -ln p over the number of values:
// nats a dimension, of the data smoothed by sigma_min. It can be below 0.
#pragma once
#include "models/diffusion/edm.h"

namespace reprise::models {

struct LikelihoodOptions {
  std::int64_t steps = 18;
  double sigma_min = 0.02, sigma_max = 20;
  double rho = 7;
  double sigma_data = 0.5;  ///< of the data about mu
};

/// x: [N, ...] at level sigma_min -> [N], float64. mu: of one item; not defined: 0. signs: +1 and
/// -1, like x. No gradient to the weights. UsageError: a level not above 0, no step, signs of
/// another shape. Error: in InferenceMode, which records no gradient.
at::Tensor negative_log_likelihood(Denoiser& D, const at::Tensor& x, const at::Tensor& signs,
                                   const LikelihoodOptions& options, const at::Tensor& mu = {},
                                   const at::Tensor& labels = {});

/// Signs like x, each as likely.
at::Tensor random_signs(const at::Tensor& x, const at::Generator& generator);

}  // namespace reprise::models
