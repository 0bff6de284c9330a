// Inversion: from an image x_0 to a noisy x_sigma that stands for it, step 2 of document langevin's
// Algorithm 1 ([0047] to [0049]):
//
//     x_sigma = argmin_x |D'(x; sigma) - x_0|^2
//
//     Naive       x_0 + sigma epsilon
//     Ode         N steps of the probability-flow ODE, dx/dsigma = (x - D'(x; sigma)) / sigma, up from x_0 taken to be at sigma_min
//     NoisedOde   the same from x_0 + sigma_min epsilon: what is at sigma_min has noise of that level
//     Backprop    the naive one, then Adam on |D'(x; sigma) - x_0|^2 / d (mean over the item, sum over items: no item sees another)
//
// Ode takes x_0 for a clean image, and extracts noise that is not there where it is not one;
// Backprop takes x_0 for a denoised image, blurry at a high sigma. On a Gaussian all four are known
// (models/diffusion/exact_denoisers.h). If x_0 is a clean image, the exact argmin lies far outside
// p(x; sigma): the few steps of Adam are what keeps x_sigma near it, so that their number and rate
// are part of the method. Defaults: the document's where it says (N = 12, sigma_min = 0.02, 20
// steps of Adam). Its grid, solver and rate it does not say: steps even in ln sigma and Heun's have
// the least error, equal steps of sigma the most; a rate of 0.1 sigma keeps the level best for its
// fidelity.
#pragma once
#include "models/diffusion/edm.h"
#include "training/inverter.h"

namespace reprise::models {

enum class Inversion { Naive, Ode, NoisedOde, Backprop };  ///< by name: models/diffusion/methods.h

struct InversionOptions {
  Inversion method = Inversion::Backprop;
  std::int64_t steps = 12;  ///< N of the ODE; with Heun two evaluations of D' each
  double sigma_min = 0.02;  ///< below sigma
  Grid grid = Grid::Geometric;
  double rho = 7;
  Solver solver = Solver::Heun;
  std::int64_t adam_steps = 20;
  double rate =
      0.1;  ///< Adam's learning rate, in units of sigma: the farthest that a value moves in one step is about this
};

/// Each as an inverter that has these options (training/inverter.h); invert() below takes the one
/// that options.method says.
training::Inverter naive_inverter(const InversionOptions& options);
training::Inverter ode_inverter(const InversionOptions& options);
training::Inverter noised_ode_inverter(const InversionOptions& options);
training::Inverter backprop_inverter(const InversionOptions& options);

/// x_0: [N, ...] -> x_sigma, the same. epsilon: unit noise like x_0 (unit_noise()), so that methods
/// can be compared on the same noise; Ode needs none. labels: what D' is conditioned on, as a rule
/// nothing. No gradient flows to x_0 or to the weights of D'. D' is used in the mode it is in:
/// eval(), as a rule. UsageError: sigma or sigma_min is not above 0, sigma_min is not below sigma
/// (ODE), no step, a rate not above 0, epsilon not of the shape of x_0. Error: Backprop in
/// InferenceMode, which records no gradient; x_0 holds values that are not finite (the first item
/// is named). What diverges is returned as it is, for the caller to judge.
at::Tensor invert(Denoiser& D_aux, const at::Tensor& x_0, double sigma,
                  const InversionOptions& options, const at::Tensor& epsilon = {},
                  const at::Tensor& labels = {});

}  // namespace reprise::models
