#include "models/diffusion/synthesis.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

void check(const SynthesisOptions& options, std::int64_t first) {
  if (options.rounds < 1 || options.batch < 1)
    throw UsageError(fmt::format("{} rounds with {} views at once", options.rounds, options.batch),
                     "ask for at least one of each");
  if (first < 0 || first > options.rounds)
    throw UsageError(fmt::format("synthesis that resumes at round {} of {}", first, options.rounds),
                     "give the number of finished rounds, 0 for none");
}

}  // namespace

void synthesise_with_target(
    Representation& phi, const SynthesisOptions& options,
    const std::function<void(SynthesisRound&, const at::Generator&)>& target,
    const std::function<void(const SynthesisRound&)>& after, std::int64_t first) {
  check(options, first);
  // The whole schedule, also for a resumed run: levels depend on the number of all rounds.
  const auto sigmas =
      sigma_grid(options.rounds, options.sigma_first, options.sigma_last, Grid::Geometric);
  const Random streams(options.seed);
  for (std::int64_t number = first; number < options.rounds; ++number) {
    // Streams depend on the round's number only, so that a resumed run continues them.
    auto random = streams.split("views", number);
    const auto generator =
        training::torch_generator(streams.split("noise", number).below(INT64_MAX));
    SynthesisRound round{.number = number,
                         .sigma = sigmas[static_cast<std::size_t>(number)],
                         .psi = phi.views(random),
                         .x_0 = {},
                         .nudge = {}};
    {
      const torch::NoGradGuard no_grad;
      // Steps 2 to 4 need the rendering only as a value. Step 5 renders again, with gradient.
      round.x_0 = phi.render(round.psi).detach();
    }
    target(round, generator);
    phi.fit(round.psi, round.nudge.target);
    if (after) after(round);
  }
}

at::Tensor Conditions::rows_for_views(const at::Tensor& rows, const at::Tensor& psi) const {
  return row && rows.defined() ? rows.index_select(0, row(psi).to(rows.device()))
                               : models::rows_for_views(rows, psi);
}

void synthesise(Representation& phi, Denoiser& D, Denoiser& D_aux, const SynthesisOptions& options,
                const Conditions& conditions,
                const std::function<void(const SynthesisRound&)>& after, std::int64_t first) {
  // With `row`, conditions are not one per object.
  if (!conditions.row)
    for (const auto& labels : {conditions.D, conditions.D_aux})
      check_conditions(labels, phi.objects());
  const auto target = [&](SynthesisRound& round, const at::Generator& generator) {
    // Views share the condition of their object, or of the part that they show.
    round.nudge = nudge(D, D_aux, round.x_0, round.sigma, options.inversion, options.churning,
                        generator, conditions.rows_for_views(conditions.D, round.psi),
                        conditions.rows_for_views(conditions.D_aux, round.psi), options.batch);
  };
  synthesise_with_target(phi, options, target, after, first);
}

}  // namespace reprise::models
