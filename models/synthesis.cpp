#include "models/synthesis.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

at::Tensor conditions_of(const at::Tensor& labels, const at::Tensor& object) {
  return labels.defined() ? labels.index_select(0, object.to(labels.device())) : labels;
}

/// nudge() of a few views at a time. The noise is that of all views together, so that it does not depend on how many go at once.
Nudge nudge_views(Denoiser& D, Denoiser& D_aux, const at::Tensor& x_0, double sigma, const SynthesisOptions& options,
                  const at::Generator& generator, const at::Tensor& labels, const at::Tensor& labels_aux) {
  churn_noise(options.churning, sigma);  // what is wrong with the churn is said before the inversion's work
  const auto epsilon = unit_noise(x_0, generator), epsilon_churn = unit_noise(x_0, generator);
  std::vector<at::Tensor> x_sigma, x_churned, target;
  for (std::int64_t i = 0; i < x_0.size(0); i += options.batch) {
    const auto end = std::min(i + options.batch, x_0.size(0));
    const auto part = [&](const at::Tensor& all) { return all.defined() ? all.slice(0, i, end) : all; };
    x_sigma.push_back(invert(D_aux, part(x_0), sigma, options.inversion, part(epsilon), part(labels_aux)));
    x_churned.push_back(churn(D, x_sigma.back(), sigma, options.churning, part(epsilon_churn), part(labels)));
    target.push_back(churn_target(D_aux, part(x_0), x_sigma.back(), x_churned.back(), sigma, part(labels_aux)));
  }
  return {at::cat(x_sigma), at::cat(x_churned), at::cat(target)};
}

void check(const SynthesisOptions& options, const Conditions& conditions, std::int64_t objects, std::int64_t first) {
  if (options.rounds < 1 || options.batch < 1)
    throw UsageError(fmt::format("{} rounds with {} views at once", options.rounds, options.batch), "ask for at least one of each");
  if (first < 0 || first > options.rounds)
    throw UsageError(fmt::format("synthesis that goes on at round {} of {}", first, options.rounds),
                     "give the number of rounds that were made, 0 for none");
  for (const auto& labels : {conditions.D, conditions.D_aux})
    if (labels.defined() && labels.size(0) != objects)
      throw UsageError(fmt::format("{} conditions for {} objects", labels.size(0), objects), "give one an object");
}

}  // namespace

void synthesise(Representation& phi, Denoiser& D, Denoiser& D_aux, const SynthesisOptions& options, const Conditions& conditions,
                const std::function<void(const Round&)>& after, std::int64_t first) {
  check(options, conditions, phi.objects(), first);
  const auto sigmas = sigma_grid(options.rounds, options.sigma_first, options.sigma_last, Grid::Geometric);
  const Random streams(options.seed);
  for (std::int64_t number = first; number < options.rounds; ++number) {
    auto random = streams.split("views", number);
    const auto generator = training::torch_generator(streams.split("noise", number).below(INT64_MAX));
    Round round{.number = number, .sigma = sigmas[static_cast<std::size_t>(number)], .psi = phi.views(random), .x_0 = {}, .nudge = {}};
    const auto object = round.psi.select(1, 0).to(at::kLong);
    {
      const torch::NoGradGuard no_grad;
      round.x_0 = phi.render(round.psi).detach();
    }
    round.nudge = nudge_views(D, D_aux, round.x_0, round.sigma, options, generator, conditions_of(conditions.D, object),
                              conditions_of(conditions.D_aux, object));
    phi.fit(round.psi, round.nudge.target);
    if (after) after(round);
  }
}

}  // namespace reprise::models
