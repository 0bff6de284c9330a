#include "reproduce/cli/looks.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/text.h"
#include "training/torch_generator.h"

namespace reprise::reproduce {

Looks looks_of(models::Representation& phi, const models::Prior& prior, const models::Conditions& conditions, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  constexpr double level = 1;
  constexpr int draws = 4, enough = 16;
  Random random(seed);
  auto& D = *prior.D;
  auto psi = phi.views(random);
  while (psi.size(0) < enough) psi = at::cat({psi, phi.views(random)});
  const auto x = phi.render(psi).detach();
  Looks looks{.contrast = (x - D.mu()).flatten(1).std(1).mean().item<double>() / prior.facts.sigma_data};
  if (!conditions.D.defined()) return looks;
  const auto labels = conditions.of_views(conditions.D, psi);
  auto gain = torch::zeros({x.size(0)}, x.options());
  const auto generator = training::torch_generator(seed);
  for (int i = 0; i < draws; ++i) {
    const auto noisy = x + level * models::unit_noise(x, generator);
    const auto error = [&](const at::Tensor& label) { return (D(noisy, level, label) - x).square().flatten(1).mean(1); };
    gain += error({}) - error(labels);
  }
  looks.heard = (gain > 0).to(at::kDouble).mean().item<double>();
  return looks;
}

std::vector<std::string> warnings_of(const Looks& looks, const std::filesystem::path& out, const std::vector<std::string>& labels) {
  constexpr double faint = 0.5, half = 0.5;
  std::vector<std::string> warnings;
  if (looks.contrast < faint)
    warnings.push_back(
        fmt::format("{} shows little: its contrast is {:.2f} of what the prior learned from. Try a lower --first, or another --seed",
                    out.string(), looks.contrast));
  if (looks.heard && *looks.heard < half)
    warnings.push_back(
        fmt::format("{} may not show \"{}\": the prior finds that label in {:.0f} % of it. Try a higher --guidance, or another --seed",
                    out.string(), join(labels, "\", \""), 100 * *looks.heard));
  return warnings;
}

}  // namespace reprise::reproduce
