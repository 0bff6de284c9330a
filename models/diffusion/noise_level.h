// How much noise is in x: the measure behind document langevin's claims 9 and 21, that a churn
// keeps the level of the noise.
//
//     sigma_hat^2 = |x - D(x; sigma)|^2 / d + mmse(sigma)              mmse(sigma) = E|x_0 - D(x_0 + sigma eps; sigma)|^2 / d
//
// Of x = x_0 + sigma eps the noise x - x_0 has two orthogonal parts, x - D and D - x_0, as D is the
// mean of x_0 given x: what D takes away is less than the noise, by its own error. Without the
// second term an estimate reads low, most where D is poor beside sigma. The estimate is sigma where
// x is from p(x; sigma). Where x has noise of q sigma instead it moves the right way, but less: on
// a Gaussian
//     sigma_hat^2 / sigma^2 = 1 + c^2 (q^2 - 1),   c = sigma^2 / (s^2 + sigma^2)
// near q at a high sigma, near 1 at a low one. It is a measure of departure, not of the level of
// any x.
#pragma once
#include "models/diffusion/denoiser.h"

namespace reprise::models {

/// mmse(sigma), measured on truly noised data. x_0: [N, ...], clean data that D did not learn from;
/// epsilon: unit noise like it.
double mmse(Denoiser& D, const at::Tensor& x_0, double sigma, const at::Tensor& epsilon,
            const at::Tensor& labels = {});

/// sigma_hat of each item: [N], in units of the data. error: mmse(sigma) of the same D, sigma and
/// labelling. UsageError: sigma is not above 0; error is negative or not finite.
at::Tensor noise_level(Denoiser& D, const at::Tensor& x, double sigma, double error,
                       const at::Tensor& labels = {});

}  // namespace reprise::models
