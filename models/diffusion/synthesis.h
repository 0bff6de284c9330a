// Algorithm 1 of document langevin, whole: a representation is nudged, round after round, towards
// what a trained denoiser finds likely.
//
//     for round = 0, 1, ...:
//       1   x_0 = render(phi, psi)                                        psi drawn for the round
//       2   x_sigma = argmin |D'(x; sigma) - x_0|^2                       models/diffusion/inversion.h
//       3   x'_sigma = x_sigma + (D(x_sigma; sigma) - x_sigma) h + kappa epsilon       models/diffusion/churn.h
//       4   x^_0 = x_0 + D'(x'_sigma; sigma) - D'(x_sigma; sigma)
//       5   phi <- argmin |render(phi, psi) - x^_0|^2
//       whatever else binds phi: a known part, a reference view (`after`)
//
// sigma goes from sigma_first to sigma_last by equal ratios. The document leaves it open; at
// constant sigma the loop's own stationary distribution is blurred (Gaussian data of standard
// deviation s end with variance s^4 / (s^2 + sigma^2) under exact backprop inversion), so it has to
// end low.
#pragma once
#include <functional>

#include "models/diffusion/churn.h"
#include "models/representations/representation.h"

namespace reprise::models {

struct SynthesisOptions {
  std::int64_t rounds = 16;
  double sigma_first = 2, sigma_last = 0.2;
  InversionOptions inversion = {};
  ChurnOptions churning = {};
  std::int64_t batch = 64;  ///< views that go through the denoisers at once: memory, not result
  std::uint64_t seed = 0;
};

/// What the denoisers are conditioned on: a row an object, [objects] or [objects, words]; not
/// defined: nothing.
struct Conditions {
  at::Tensor D = {}, D_aux = {};
  /// Which row a view has, where that is not its object's: psi -> [V], int64. Parts of one panorama
  /// may so be asked for by texts of their own.
  std::function<at::Tensor(const at::Tensor& psi)> row = {};
  at::Tensor of_views(const at::Tensor& rows, const at::Tensor& psi) const;
};

struct Round {
  std::int64_t number = 0;  ///< from 0
  double sigma = 0;
  at::Tensor psi, x_0;
  Nudge nudge;
};

/// Rounds first .. rounds - 1. A round draws from streams of its own, so that a run that goes on
/// from a stored phi ends as one that was never stopped. `after` is called when phi has followed
/// the round's target; it may write to phi. Errors: as nudge(); UsageError: no round, conditions
/// that are not one an object.
void synthesise(Representation& phi, Denoiser& D, Denoiser& D_aux, const SynthesisOptions& options,
                const Conditions& conditions = {},
                const std::function<void(const Round&)>& after = {}, std::int64_t first = 0);

/// The loop alone: steps 1 and 5, with `target` in place of 2 to 4, which puts x^_0 into
/// round.nudge. Errors: as synthesise().
void synthesise_by(Representation& phi, const SynthesisOptions& options,
                   const std::function<void(Round& round, const at::Generator& generator)>& target,
                   const std::function<void(const Round&)>& after = {}, std::int64_t first = 0);

}  // namespace reprise::models
