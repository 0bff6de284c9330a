// Table exact: churns and Algorithm 1 on data whose denoiser is known in closed form. No network takes part.
#include <fmt/format.h>
#include <torch/torch.h>

#include "models/diffusion/exact_denoisers.h"
#include "models/representations/canvas.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/langevin/variants.h"
#include "reproduce/names.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;
constexpr auto f64 = at::kDouble;

/// Sixteen clusters of standard deviation 0.1 in 64 dimensions, about 0.5 of each dimension apart: a stand-in for a data set of pictures.
models::MixtureDenoiser clusters(std::uint64_t seed) {
  auto generator = training::torch_generator(seed);
  return {torch::ones({16}, f64), 0.5 * torch::randn({16, 64}, generator, f64), torch::full({16}, 0.1, f64)};
}

/// FORM of the noise: the variance that churns end in, measured, beside the closed form, against h.
void run_gaussian(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const double s = 0.5;
  records::Curves curves;
  const auto form = models::churn_noise_named(record.cell.method);
  for (const auto sigma : settings.numbers("exact.sigmas"))
    for (const auto h : settings.numbers("exact.steps")) {
      if (form == models::ChurnNoise::Balanced && h > 1) continue;
      // beta is not 1, so that the forms that take it for granted show.
      const models::ChurnOptions options{.beta = 2, .dt = h / 2, .noise = form};
      auto generator =
          training::torch_generator(seed_of({"langevin", "exact", std::to_string(record.cell.seed), fmt::format("{} {}", sigma, h)}));
      models::GaussianDenoiser D(torch::zeros({1}, f64), s);
      const auto n = settings.integer("exact.items");
      auto x = torch::randn({n, 1}, generator, f64) * std::sqrt(s * s + sigma * sigma);
      const auto rounds = static_cast<std::int64_t>(12 / h) + 1;
      for (std::int64_t i = 0; i < rounds; ++i) x = models::churn(D, x, sigma, options, torch::randn({n, 1}, generator, f64));
      const double right = s * s + sigma * sigma;
      const auto name = fmt::format("{:g}", sigma);
      curves["h_" + name].push_back(h);
      curves["variance_" + name].push_back(x.var().item<double>() / right);
      curves["closed_" + name].push_back(models::stationary_variance(options, sigma, s) / right);
      if (h == settings.numbers("exact.steps").front())
        note(record, fmt::format("bias_{}", name), std::abs(x.var().item<double>() / right - 1), Direction::LowerIsBetter);
    }
  context.store.write_curves(record.cell, curves);
}

/// INVERSION: Algorithm 1 from points off the mixture; ln p exactly, at a level below the clusters' own deviation.
void run_mixture(CellContext& context) {
  auto& record = context.record;
  const auto variant = variant_of(context);
  auto D = clusters(shared_seed(context, "clusters"));
  const auto seed = seed_of({"langevin", "mixture", std::to_string(record.cell.seed)});
  auto generator = training::torch_generator(seed_of({"langevin", "mixture", std::to_string(data_seed_of(context))}));
  const auto n = context.settings.integer("exact.mixture_items");
  const auto clean = D.sample(n, generator);
  const auto x = clean + 0.3 * torch::randn(clean.sizes(), generator, f64) + 0.3;
  const auto nll = [&](const at::Tensor& at) { return -D.log_density(at, torch::tensor(0.05, f64)).mean().item<double>() / 64; };
  models::Canvas canvas(x);
  records::Curves curves{{"round", {0}}, {"nll", {nll(x)}}};
  const auto options = synthesis_options(variant, "churn", context.settings, seed);
  models::synthesise(canvas, D, D, options, {}, [&](const models::Round& round) {
    curves["round"].push_back(static_cast<double>(round.number + 1));
    curves["nll"].push_back(nll(canvas.content().detach()));
  });
  note(record, "nll_start", curves["nll"].front(), Direction::LowerIsBetter, "nat a dimension");
  note(record, "nll_end", curves["nll"].back(), Direction::LowerIsBetter, "nat a dimension");
  note(record, "nll_data", nll(clean), Direction::Neither, "nat a dimension");
  context.store.write_curves(record.cell, curves);
}

}  // namespace

const ExactData& exact_data(const std::string& name) {
  static const std::vector<ExactData> all{{.name = "gaussian", .run = run_gaussian},
                                          {.name = "mixture", .reads = {"churn"}, .run = run_mixture}};
  return find_named(all, "data of table exact", name);
}

void run_exact(CellContext& context) { exact_data(context.record.cell.dataset).run(context); }

}  // namespace reprise::reproduce::langevin_study
