// Contract of an inverter. From an image x_0 and a noise level sigma it computes a latent x_sigma
// that a denoiser D' maps back to the image (document langevin, step 2 of Algorithm 1):
//
//     x_sigma = argmin_x |D'(x; sigma) - x_0|^2
//
// Each inverter approximates this in its own way. Guarantees, tested for every registered inverter
// (models/diffusion/methods.h) by tests/models/diffusion/test_inverter_conformance.cpp:
//   - The latent is finite and has the shape and type of x_0.
//   - The same image, level and noise give the same latent.
//   - Items of a batch are independent.
//   - No gradient reaches x_0 or the weights of D', and x_0 stays unchanged.
//   - For images from the data, the noise level of the latent is within a factor of 2 of sigma.
//     D'(x_sigma; sigma) is closer to x_0 than D' of pure noise.
#pragma once
#include <functional>

#include "training/denoiser.h"

namespace reprise::training {

/// Computes x_sigma, with the shape of x_0.
/// D_aux: D', in its current mode. x_0: [N, ...]. sigma: above 0, in units of the data. epsilon:
/// unit noise like x_0, the only random input, so that methods can be compared with equal noise;
/// undefined for methods that need none. labels: condition of D', usually none.
using Inverter = std::function<at::Tensor(Denoiser& D_aux, const at::Tensor& x_0, double sigma,
                                          const at::Tensor& epsilon, const at::Tensor& labels)>;

}  // namespace reprise::training
