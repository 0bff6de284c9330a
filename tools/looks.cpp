#include "tools/looks.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/text.h"
#include "training/torch_generator.h"

namespace reprise::reproduce {

namespace {

/// By how much D denoises items x better told their label than told another class, item by item; of
/// texts, whose others are without number, than told none. Without a label D knows the average of
/// the data, which an untypical picture of the right class is far from.
at::Tensor gain_by_label(const models::Prior& prior, const at::Tensor& x, const at::Tensor& labels,
                         const at::Generator& generator) {
  constexpr int draws = 4;
  const auto classes = std::ssize(prior.metadata.classes);
  auto gain = torch::zeros({x.size(0)}, x.options());
  for (const double sigma :
       {1.0, 2.0, 4.0}) {  // between what is seen anyway and what is lost in any case
    const auto level = std::clamp(sigma, prior.sigma_low(), prior.sigma_high());
    for (int i = 0; i < draws; ++i) {
      const auto epsilon = models::draw_unit_noise(x, generator);
      const auto error = [&](const at::Tensor& label) {
        return models::denoising_error(*prior.D, x, epsilon, level, label);
      };
      auto otherwise = classes > 1 ? torch::zeros_like(gain) : error({});
      for (std::int64_t by = 1; by < classes; ++by)
        otherwise += error((labels + by).remainder(classes)) / static_cast<double>(classes - 1);
      gain += otherwise - error(labels);
    }
  }
  return gain;
}

}  // namespace

Looks looks_of(models::Representation& phi, const models::Prior& prior,
               const models::Conditions& conditions, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  constexpr int enough = 16;
  Random random(seed);
  auto psi = phi.views(random);
  while (psi.size(0) < enough) psi = at::cat({psi, phi.views(random)});
  const auto x = phi.render(psi).detach();
  Looks looks{.contrast = (x - prior.D->mu()).square().mean().sqrt().item<double>() /
                          prior.metadata.sigma_data};
  if (!conditions.D.defined()) return looks;
  const auto gain = gain_by_label(prior, x, conditions.rows_for_views(conditions.D, psi),
                                  training::torch_generator(seed));
  looks.heard = (gain > 0).to(at::kDouble).mean().item<double>();
  return looks;
}

std::vector<std::string> warnings_of(const Looks& looks, const std::filesystem::path& out,
                                     const std::vector<std::string>& labels) {
  constexpr double faint = 0.5, half = 0.5;
  std::vector<std::string> warnings;
  if (looks.contrast < faint)
    warnings.push_back(fmt::format(
        "{} shows little: its contrast is {:.2f} of what the prior learned from. Try a lower --first, or another --seed",
        out.string(), looks.contrast));
  if (looks.heard && *looks.heard < half)
    warnings.push_back(fmt::format(
        "{} may not show \"{}\": the prior finds that label in {:.0f} % of it. Try a higher --guidance, or another --seed",
        out.string(), join(labels, "\", \""), 100 * *looks.heard));
  return warnings;
}

}  // namespace reprise::reproduce
