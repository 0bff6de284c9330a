// The contract of an inverter: an image x_0 and a level sigma go in, a latent x_sigma comes out
// that stands for the image among all that is noisy at that level, as a denoiser D' sees it
// (document langevin, step 2 of Algorithm 1):
//
//     x_sigma = argmin_x |D'(x; sigma) - x_0|^2          what every inverter approximates in its own way
//
// Every inverter keeps to this; tests/models/diffusion/test_inverter_conformance.cpp asks it of
// each that is registered (models/diffusion/methods.h):
//     the latent has the shape and type of x_0, and finite values
//     the same image, level and noise give the same latent
//     items of a batch do not see each other
//     no gradient flows to x_0 nor to the weights of D', and x_0 stays as it is
//     of an image from the data, the latent's level of noise is sigma to within a factor of 2, and D'(x_sigma; sigma) is nearer to x_0
//     than D' of noise alone is
#pragma once
#include <functional>

#include "training/denoiser.h"

namespace reprise::training {

/// D_aux: D', used in the mode that it is in. x_0: [N, ...]. sigma: above 0, in units of the data.
/// epsilon: unit noise like x_0, all that the inverter may draw, so that methods can be compared on
/// the same noise; one that needs none is given none. labels: what D' is conditioned on, as a rule
/// nothing. Returns x_sigma, like x_0.
using Inverter = std::function<at::Tensor(Denoiser& D_aux, const at::Tensor& x_0, double sigma,
                                          const at::Tensor& epsilon, const at::Tensor& labels)>;

}  // namespace reprise::training
