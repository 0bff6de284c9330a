// The churn, and the target that it makes of an image: steps 2 to 4 of document langevin's
// Algorithm 1.
//
//     x'_sigma = x_sigma + h (D(x_sigma; sigma) - x_sigma) + kappa epsilon                  h = beta dt          step 3
//     x^_0     = x_0 + D'(x'_sigma; sigma) - D'(x_sigma; sigma)                                                  step 4
// Step 3 is an Euler-Maruyama step of the Langevin half of eq 1 at constant sigma: take noise away,
// put as much back.
//
// The document's scan has kappa in several forms. Only sqrt(2 beta dt) sigma ([0024], [0040]) keeps
// p(x; sigma) as dt goes to 0; the others are wrong by a factor in kappa^2, and kept here to show
// it:
//     Langevin        sqrt(2 beta dt) sigma              right as h -> 0
//     Balanced        sigma sqrt(2h - h^2)               takes away the share h of the noise, puts back what is missing to sigma^2
//     SigmaInRoot     sqrt(2 beta sigma dt)              table 1, as scanned: by 1 / sigma
//     BetaOutOfRoot   sqrt(2) beta sigma sqrt(dt)        eq 1, as scanned: by beta
// At a finite h, churning data of standard deviation s for ever ends, with c = sigma^2 / (s^2 +
// sigma^2), at the variance
//     v = kappa^2 / (1 - (1 - h c)^2)      Langevin: (s^2 + sigma^2) / (1 - h c/2)      Balanced: that times (1 - h/2)
// Langevin's is too wide by up to 1 / (1 - h/2), and needs h c < 2; Balanced is exact for pure
// noise (s = 0), low by less than h/2 elsewhere, and may take all noise at once: h = 1 is
// D(x_sigma; sigma) + sigma epsilon.
#pragma once
#include <string>
#include <vector>

#include "models/diffusion/inversion.h"

namespace reprise::models {

enum class ChurnNoise { Langevin, Balanced, SigmaInRoot, BetaOutOfRoot };
struct ChurnForm {
  std::string id;  ///< "langevin", "balanced", "sigma_in_root", "beta_out_of_root"
  ChurnNoise noise;
  std::string formula;  ///< of kappa, as figures write it
  bool right;           ///< it keeps p(x; sigma) as h goes to 0
};
/// All, the right ones first.
const std::vector<ChurnForm>& churn_forms();
/// UsageError: no form has this id.
ChurnNoise churn_noise_named(const std::string& id);

struct ChurnOptions {
  double
      beta = 1,
      dt = 0.3;  ///< the document gives neither; only their product matters to the two right forms
  ChurnNoise noise = ChurnNoise::Langevin;
  double h() const { return beta * dt; }
};
/// A noise's form and h, as "langevin 0.3" or "balanced 1". UsageError: it cannot be read, or this
/// form cannot have this h.
ChurnOptions churn_options(const std::string& text);

/// kappa, in units of the data. UsageError: sigma, beta or dt not above 0; h of 2 and above; with
/// Balanced, h above 1: more noise than there is cannot be taken away.
double churn_noise(const ChurnOptions& options, double sigma);

/// v above: the variance in which churns at level sigma end on Gaussian data of standard deviation
/// s. UsageError: as churn_noise().
double stationary_variance(const ChurnOptions& options, double sigma, double s);

/// Step 3. x: [N, ...], at level sigma; epsilon: unit noise like it. No gradient. UsageError: as
/// churn_noise(), and shapes that differ.
at::Tensor churn(Denoiser& D, const at::Tensor& x, double sigma, const ChurnOptions& options,
                 const at::Tensor& epsilon, const at::Tensor& labels = {});

struct Nudge {
  at::Tensor x_sigma, x_churned, target;  ///< x_sigma, x'_sigma, x^_0: the shape of x_0
};
/// Steps 2 to 4: x_0, a rendering, is inverted with D', churned with D, and what the churn changed
/// is added to it. Step 1 (rendering) and 5 (fitting the representation to the target) are the
/// caller's; for pixels the target is the new image. labels condition D, labels_aux D'. D and D'
/// may be one. No gradient, neither to x_0 nor to weights. `batch` items go through the denoisers
/// at once, 0: all. The noise is that of all items together, so that this is memory, not result.
/// Errors: as invert() and churn(); x_0 that is not finite among them.
Nudge nudge(Denoiser& D, Denoiser& D_aux, const at::Tensor& x_0, double sigma,
            const InversionOptions& inversion, const ChurnOptions& churning,
            const at::Generator& generator, const at::Tensor& labels = {},
            const at::Tensor& labels_aux = {}, std::int64_t batch = 0);

/// Step 4 alone.
at::Tensor churn_target(Denoiser& D_aux, const at::Tensor& x_0, const at::Tensor& x_sigma,
                        const at::Tensor& x_churned, double sigma, const at::Tensor& labels = {});

}  // namespace reprise::models
