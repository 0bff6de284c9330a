// The noise level of x. It measures whether a churn keeps the level of the noise (document
// langevin's claims 9 and 21).
//
//     sigma_hat^2 = |x - D(x; sigma)|^2 / d + mmse(sigma)
//     mmse(sigma) = E|x_0 - D(x_0 + sigma eps; sigma)|^2 / d
//
// For x = x_0 + sigma eps, the noise x - x_0 has two parts, x - D and D - x_0. They are orthogonal,
// because D is the mean of x_0 given x. What D removes is less than the noise, by D's own error. Without the
// second term the estimate is too low, most where D is poor relative to sigma.
//
// The estimate equals sigma if x is from p(x; sigma). If the noise is q sigma instead, the estimate
// moves in the right direction, but less. On a Gaussian
//     sigma_hat^2 / sigma^2 = 1 + c^2 (q^2 - 1),   c = sigma^2 / (s^2 + sigma^2)
// which is near q^2 at a high sigma and near 1 at a low one. It measures departure from sigma, not
// the level of any x.
#pragma once
#include "models/diffusion/denoiser.h"

namespace reprise::models {

/// Measures mmse(sigma) on data with known noise. x_0: [N, ...], clean data outside D's training
/// set; epsilon: unit noise of the same shape.
double mmse(Denoiser& D, const at::Tensor& x_0, double sigma, const at::Tensor& epsilon,
            const at::Tensor& labels = {});

/// Estimates sigma_hat of each item: [N], in units of the data. error: mmse(sigma) for the same D,
/// sigma and labels. UsageError: sigma is not above 0; error is negative or not finite.
at::Tensor noise_level(Denoiser& D, const at::Tensor& x, double sigma, double error,
                       const at::Tensor& labels = {});

}  // namespace reprise::models
