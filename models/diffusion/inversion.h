// Inversion: maps an image x_0 to a noisy x_sigma that D' denoises to x_0. It is step 2 of document
// langevin's Algorithm 1 ([0047] to [0049]):
//
//     x_sigma = argmin_x |D'(x; sigma) - x_0|^2
//
// - Naive: x_0 + sigma epsilon.
// - Ode: N steps upwards of the probability-flow ODE, dx/dsigma = (x - D'(x; sigma)) / sigma. They
//   start at x_0, taken to be at sigma_min.
// - NoisedOde: the same from x_0 + sigma_min epsilon, which has noise of level sigma_min.
// - Backprop: Naive, then Adam on |D'(x; sigma) - x_0|^2 / d. The loss is a mean over the item and
//   a sum over items, which are independent.
//
// Ode takes x_0 for a clean image and extracts noise that is not there if it is not clean. Backprop
// takes x_0 for a denoised image, blurry at a high sigma. All four have closed forms on a Gaussian
// (models/diffusion/exact_denoisers.h). If x_0 is clean, the exact argmin lies far outside p(x;
// sigma). The small number of Adam steps and their rate keep x_sigma near it and are part of the
// method.
//
// Defaults follow the document (N = 12, sigma_min = 0.02, 20 steps of Adam). It gives no grid,
// solver or rate. Equal steps of ln sigma with Heun's method have the lowest error, equal steps of
// sigma the highest. A rate of 0.1 sigma keeps the noise level best at its fidelity.
#pragma once
#include "models/diffusion/edm.h"
#include "training/inverter.h"

namespace reprise::models {

enum class Inversion { Naive, Ode, NoisedOde, Backprop };  ///< names: models/diffusion/methods.h

struct InversionOptions {
  Inversion method = Inversion::Backprop;
  std::int64_t steps = 12;  ///< N of the ODE; Heun evaluates D' twice per step
  double sigma_min = 0.02;  ///< start of the ODE, below sigma
  Grid grid = Grid::Geometric;
  double rho = 7;
  Solver solver = Solver::Heun;
  std::int64_t adam_steps = 20;
  /// Adam's learning rate in units of sigma: about the largest change of a value in one step.
  double rate = 0.1;
};

/// Inverters with these options (training/inverter.h). invert() below uses the one of
/// options.method.
training::Inverter naive_inverter(const InversionOptions& options);
training::Inverter ode_inverter(const InversionOptions& options);
training::Inverter noised_ode_inverter(const InversionOptions& options);
training::Inverter backprop_inverter(const InversionOptions& options);

/// Inverts x_0: [N, ...] to x_sigma of the same shape. epsilon: unit noise of that shape
/// (draw_unit_noise()), so that methods can share it; Ode needs none. labels condition D'; usually
/// there are none.
/// There is no gradient to x_0 or the weights. D' keeps its mode, usually eval(). Divergent values
/// are returned as they are.
/// UsageError: sigma or sigma_min not above 0; sigma_min not below sigma (ODE); no step; a rate not
/// above 0; epsilon of another shape.
/// Error: Backprop in InferenceMode, which records no gradient; x_0 that is not finite (the first
/// such item is named).
at::Tensor invert(Denoiser& D_aux, const at::Tensor& x_0, double sigma,
                  const InversionOptions& options, const at::Tensor& epsilon = {},
                  const at::Tensor& labels = {});

}  // namespace reprise::models
