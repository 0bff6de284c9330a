#include "tools/sample_checks.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/text.h"
#include "training/torch_generator.h"

namespace reprise::reproduce {

namespace {

/// Returns per item by how much the denoising error falls under its own label, compared with the
/// mean over all other classes. Text labels are compared with no label, since the other texts
/// cannot be enumerated. For classes no label would be a weaker test: D then predicts the average
/// of the data, which is far from an untypical picture of the right class.
at::Tensor gain_by_label(const models::Prior& prior, const at::Tensor& x, const at::Tensor& labels,
                         const at::Generator& generator) {
  constexpr int draws = 4;  // noise samples per level
  const auto classes = std::ssize(prior.metadata.classes);
  auto gain = torch::zeros({x.size(0)}, x.options());
  // At lower levels D sees the content without a label; at higher ones nothing of it is left.
  for (const double sigma : {1.0, 2.0, 4.0}) {
    // Levels outside the training range would measure nothing.
    const auto level = std::clamp(sigma, prior.sigma_low(), prior.sigma_high());
    for (int i = 0; i < draws; ++i) {
      const auto epsilon = models::draw_unit_noise(x, generator);
      const auto error = [&](const at::Tensor& label) {
        return models::denoising_error(*prior.D, x, epsilon, level, label);
      };
      auto otherwise = classes > 1 ? torch::zeros_like(gain) : error({});
      for (std::int64_t by = 1; by < classes; ++by)
        // All other classes in turn, each with the same weight.
        otherwise += error((labels + by).remainder(classes)) / static_cast<double>(classes - 1);
      gain += otherwise - error(labels);
    }
  }
  return gain;
}

}  // namespace

SampleCheck check_sample(models::Representation& phi, const models::Prior& prior,
                         const models::Conditions& conditions, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  constexpr int enough = 16;  // views
  Random random(seed);
  auto psi = phi.views(random);
  // A small result has few views per draw, too few for a fraction.
  while (psi.size(0) < enough) psi = at::cat({psi, phi.views(random)});
  const auto x = phi.render(psi).detach();
  SampleCheck sample_check{.contrast = (x - prior.D->mu()).square().mean().sqrt().item<double>() /
                                       prior.metadata.sigma_data};
  if (!conditions.D.defined()) return sample_check;
  const auto gain = gain_by_label(prior, x, conditions.rows_for_views(conditions.D, psi),
                                  training::torch_generator(seed));
  sample_check.label_fraction = (gain > 0).to(at::kDouble).mean().item<double>();
  return sample_check;
}

std::vector<std::string> list_warnings(const SampleCheck& sample_check,
                                       const std::filesystem::path& out,
                                       const std::vector<std::string>& labels) {
  constexpr double faint = 0.5;
  constexpr double half = 0.5;
  std::vector<std::string> warnings;
  if (sample_check.contrast < faint)
    warnings.push_back(fmt::format(
        "{} shows little: its contrast is {:.2f} of the training data's. Try a lower --first, or "
        "another --seed",
        out.string(), sample_check.contrast));
  if (sample_check.label_fraction && *sample_check.label_fraction < half)
    warnings.push_back(fmt::format(
        "{} may not show \"{}\": the prior recognises that label in {:.0f} % of it. Try a higher "
        "--guidance, or another --seed",
        out.string(), join(labels, "\", \""), 100 * *sample_check.label_fraction));
  return warnings;
}

}  // namespace reprise::reproduce
