// The likelihood of an image under a diffusion model. It is the exact density of the model's
// probability-flow ODE, by the change of variables along it.
// - Change of variables: Song et al. 2021, eq 39.
// - ODE: Karras et al. 2022, eq 1 with sigma(t) = t.
//
//     dx/dsigma = f(x, sigma) = (x - D(x; sigma)) / sigma
//     ln p(x; sigma_min) = ln N(x_end; mu, sigma_max^2 + sigma_data^2)
//                          + integral from sigma_min to sigma_max of tr(df/dx) dsigma
//     tr(df/dx) = E v^T (df/dx) v                                            (Hutchinson; Skilling)
// v holds random signs, one draw per item for its whole path. Heun's method solves x and the
// integral upwards. The distribution at sigma_max is approximated by a Gaussian around the mean
// image. The result is -ln p per value, in nats per dimension, of data smoothed by sigma_min. It
// can be negative.
#pragma once
#include "models/diffusion/edm.h"

namespace reprise::models {

struct LikelihoodOptions {
  std::int64_t steps = 18;
  double sigma_min = 0.02;
  double sigma_max = 20;
  double rho = 7;
  double sigma_data = 0.5;  ///< standard deviation of the data about mu
};

/// Computes -ln p per dimension of x [N, ...] at level sigma_min: [N], float64. mu: one item;
/// undefined: 0. signs: +1 and -1, in the shape of x. There is no gradient to the weights.
/// UsageError: a level not above 0; no step; signs of another shape. Error: in InferenceMode, which
/// records no gradient.
at::Tensor negative_log_likelihood(Denoiser& D, const at::Tensor& x, const at::Tensor& signs,
                                   const LikelihoodOptions& options, const at::Tensor& mu = {},
                                   const at::Tensor& labels = {});

/// Draws signs in the shape of x with equal probability.
at::Tensor random_signs(const at::Tensor& x, const at::Generator& generator);

}  // namespace reprise::models
