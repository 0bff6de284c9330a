// Document langevin's Algorithm 1: moves a representation, round by round, towards what a trained
// denoiser finds likely.
//
//     for round = 0, 1, ...:
//       1   x_0 = render(phi, psi)                                  psi drawn for the round
//       2   x_sigma = argmin |D'(x; sigma) - x_0|^2                 models/diffusion/inversion.h
//       3   x'_sigma = x_sigma + (D(x_sigma; sigma) - x_sigma) h + kappa epsilon   .../churn.h
//       4   x^_0 = x_0 + D'(x'_sigma; sigma) - D'(x_sigma; sigma)
//       5   phi <- argmin |render(phi, psi) - x^_0|^2
//       other constraints of phi: a known part, a reference view (`after`)
//
// sigma falls from sigma_first to sigma_last by equal ratios. The document leaves the schedule
// open.
// At constant sigma the loop's stationary distribution is blurred: with exact backprop inversion,
// Gaussian data of standard deviation s end with variance s^4 / (s^2 + sigma^2). The schedule
// therefore has to end low.
#pragma once
#include <functional>

#include "models/diffusion/churn.h"
#include "models/representations/representation.h"

namespace reprise::models {

struct SynthesisOptions {
  std::int64_t rounds = 16;
  double sigma_first = 2;
  double sigma_last = 0.2;
  InversionOptions inversion = {};
  ChurnOptions churning = {};
  std::int64_t batch = 64;  ///< views per pass through the denoisers (memory only)
  std::uint64_t seed = 0;
};

/// Conditions of the denoisers, one row per object: [objects] or [objects, words]; undefined: none.
struct Conditions {
  at::Tensor D = {};
  at::Tensor D_aux = {};
  /// Row of each view, if it is not its object's: psi -> [V], int64. Parts of one panorama can then
  /// have separate texts.
  std::function<at::Tensor(const at::Tensor& psi)> row = {};
  at::Tensor rows_for_views(const at::Tensor& rows, const at::Tensor& psi) const;
};

struct SynthesisRound {
  std::int64_t number = 0;  ///< from 0
  double sigma = 0;
  at::Tensor psi;
  at::Tensor x_0;
  Nudge nudge;
};

/// Runs rounds first .. rounds - 1. Each round has its own random streams, so that a resumed run
/// ends like an uninterrupted one. `after` is called after step 5 of each round and may write to
/// phi.
/// Errors: as nudge(). UsageError: no round; a number of conditions other than one per object.
void synthesise(Representation& phi, Denoiser& D, Denoiser& D_aux, const SynthesisOptions& options,
                const Conditions& conditions = {},
                const std::function<void(const SynthesisRound&)>& after = {},
                std::int64_t first = 0);

/// Runs steps 1 and 5 only. `target` replaces steps 2 to 4 and stores x^_0 in round.nudge. Errors:
/// as synthesise().
void synthesise_with_target(
    Representation& phi, const SynthesisOptions& options,
    const std::function<void(SynthesisRound& round, const at::Generator& generator)>& target,
    const std::function<void(const SynthesisRound&)>& after = {}, std::int64_t first = 0);

}  // namespace reprise::models
