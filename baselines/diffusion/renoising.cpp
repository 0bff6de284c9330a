#include "baselines/diffusion/renoising.h"

#include <ATen/ATen.h>

namespace reprise::baselines {

void renoise(models::Representation& phi, models::Denoiser& D,
             const models::SynthesisOptions& options, const at::Tensor& conditions,
             const std::function<void(const models::SynthesisRound&)>& after) {
  models::check_conditions(conditions, phi.objects());
  const auto target = [&](models::SynthesisRound& round, const at::Generator& generator) {
    const at::NoGradGuard no_gradient;
    // The streams of views and noise are those of models::synthesise().
    const auto x = round.x_0 + round.sigma * models::draw_unit_noise(round.x_0, generator),
               labels = models::rows_for_views(conditions, round.psi);
    round.nudge.target = models::map_batches(x.size(0), options.batch, [&](const auto& part) {
      return D(part(x), round.sigma, part(labels));
    });
  };
  models::synthesise_with_target(phi, options, target, after);
}

}  // namespace reprise::baselines
