// The churn and the target image that it produces: steps 2 to 4 of document langevin's Algorithm 1.
//
//     x'_sigma = x_sigma + h (D(x_sigma; sigma) - x_sigma) + kappa epsilon     h = beta dt   step 3
//     x^_0     = x_0 + D'(x'_sigma; sigma) - D'(x_sigma; sigma)                              step 4
// Step 3 is an Euler-Maruyama step of the Langevin half of eq 1 at constant sigma. It removes noise
// and adds as much again.
//
// The document's scan has several forms of kappa. Only sqrt(2 beta dt) sigma ([0024], [0040]) keeps
// p(x; sigma) as dt goes to 0. The others are wrong by a factor in kappa^2 and serve to show it:
// - Langevin: sqrt(2 beta dt) sigma, right as h -> 0.
// - Balanced: sigma sqrt(2h - h^2). It removes the fraction h of the noise and restores the variance
//   sigma^2.
// - SigmaInRoot: sqrt(2 beta sigma dt), from table 1 as scanned. It is wrong by 1 / sigma.
// - BetaOutOfRoot: sqrt(2) beta sigma sqrt(dt), from eq 1 as scanned. It is wrong by beta.
//
// At a finite h, endless churning of data of standard deviation s converges to the variance v. With
// c = sigma^2 / (s^2 + sigma^2),
//     v = kappa^2 / (1 - (1 - h c)^2)
//     Langevin: (s^2 + sigma^2) / (1 - h c/2)      Balanced: that times (1 - h/2)
//
// Langevin is too wide by up to 1 / (1 - h/2) and needs h c < 2. Balanced is exact for pure noise
// (s = 0) and low by less than h/2 elsewhere. It may remove all noise at once: h = 1 is D(x_sigma;
// sigma) + sigma epsilon.
#pragma once
#include <string>
#include <vector>

#include "models/diffusion/inversion.h"

namespace reprise::models {

enum class ChurnNoise { Langevin, Balanced, SigmaInRoot, BetaOutOfRoot };
struct ChurnForm {
  std::string id;  ///< "langevin", "balanced", "sigma_in_root", "beta_out_of_root"
  ChurnNoise noise;
  std::string formula;  ///< formula of kappa, for figures
  bool right;           ///< true: keeps p(x; sigma) as h goes to 0
};
/// All forms, the right ones first.
const std::vector<ChurnForm>& churn_forms();
/// Finds a form by its id. UsageError: an unknown id.
ChurnNoise parse_churn_noise(const std::string& id);

struct ChurnOptions {
  /// The document gives neither. The two right forms depend on their product only.
  double beta = 1;
  double dt = 0.3;
  ChurnNoise noise = ChurnNoise::Langevin;
  double h() const { return beta * dt; }
};
/// Parses a form and h, such as "langevin 0.3" or "balanced 1". UsageError: unreadable text, or an
/// h that the form does not allow.
ChurnOptions parse_churn_options(const std::string& text);

/// Returns kappa, in units of the data. UsageError: sigma, beta or dt not above 0; an h of 2 or
/// more. With Balanced an h above 1 would remove more noise than there is, and is refused.
double churn_noise(const ChurnOptions& options, double sigma);

/// v above: the variance that repeated churning at level sigma converges to on Gaussian data of
/// standard deviation s. UsageError: as churn_noise().
double stationary_variance(const ChurnOptions& options, double sigma, double s);

/// Step 3. x: [N, ...] at level sigma; epsilon: unit noise of the same shape. Without gradient.
/// UsageError: as churn_noise(); shapes that differ.
at::Tensor churn(Denoiser& D, const at::Tensor& x, double sigma, const ChurnOptions& options,
                 const at::Tensor& epsilon, const at::Tensor& labels = {});

/// Intermediate and final images of one pass of steps 2 to 4.
struct Nudge {
  // All have the shape of x_0.
  at::Tensor x_sigma;
  at::Tensor x_churned;  ///< x'_sigma
  at::Tensor target;     ///< x^_0
};
/// Steps 2 to 4: inverts the rendering x_0 with D', churns it with D, and adds the change to x_0.
/// The caller does step 1 (rendering) and step 5 (fitting). For pixels the target is the new image.
/// labels condition D, labels_aux D'. D and D' may be the same.
/// There is no gradient to x_0 or weights. `batch` is the number of items per pass (0: all); it
/// affects memory only, because noise is drawn for all items together.
/// Errors: as invert() and churn(), including x_0 that is not finite.
Nudge nudge(Denoiser& D, Denoiser& D_aux, const at::Tensor& x_0, double sigma,
            const InversionOptions& inversion, const ChurnOptions& churning,
            const at::Generator& generator, const at::Tensor& labels = {},
            const at::Tensor& labels_aux = {}, std::int64_t batch = 0);

/// Step 4 only.
at::Tensor churn_target(Denoiser& D_aux, const at::Tensor& x_0, const at::Tensor& x_sigma,
                        const at::Tensor& x_churned, double sigma, const at::Tensor& labels = {});

}  // namespace reprise::models
