// Data whose denoiser is known in closed form, in tables exact, inversion and latent. No network
// takes part.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "baselines/diffusion/sdedit.h"
#include "experiments/names.h"
#include "models/diffusion/exact_denoisers.h"
#include "models/diffusion/noise_level.h"
#include "models/representations/canvas.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/langevin/variants.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;
constexpr auto f64 = at::kDouble;
constexpr std::int64_t cluster_count = 16;
constexpr double cluster_deviation = 0.1;
constexpr double smoothing =
    0.05;  // the level at which ln p is read: below the clusters' own deviation

/// Sixteen clusters in 64 dimensions, about 0.5 of each dimension apart: a stand-in for a data set
/// of pictures.
at::Tensor cluster_means(std::uint64_t seed) {
  auto generator = training::torch_generator(seed);
  return 0.5 * torch::randn({cluster_count, 64}, generator, f64);
}
models::MixtureDenoiser clusters(std::uint64_t seed) {
  return {torch::ones({cluster_count}, f64), cluster_means(seed),
          torch::full({cluster_count}, cluster_deviation, f64)};
}

}  // namespace

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
      auto generator = training::torch_generator(seed_of(
          {"langevin", "exact", std::to_string(record.cell.seed), fmt::format("{} {}", sigma, h)}));
      models::GaussianDenoiser D(torch::zeros({1}, f64), s);
      const auto n = settings.integer("exact.items");
      auto x = torch::randn({n, 1}, generator, f64) * std::sqrt(s * s + sigma * sigma);
      const auto rounds = static_cast<std::int64_t>(12 / h) + 1;
      const double right = s * s + sigma * sigma;
      const auto name = fmt::format("{:g}", sigma);
      const bool first = h == settings.numbers("exact.steps").front();
      const auto level = [&](const std::string& when) {  // of a latent of p(x; sigma), over that
        if (first)
          note(record, fmt::format("level_{}_{}", when, name),
               std::sqrt(x.var().item<double>() / right), Direction::Neither);
      };
      level("before");
      for (std::int64_t i = 0; i < rounds; ++i)
        x = models::churn(D, x, sigma, options, torch::randn({n, 1}, generator, f64));
      level("end");
      curves["h_" + name].push_back(h);
      curves["variance_" + name].push_back(x.var().item<double>() / right);
      curves["closed_" + name].push_back(models::stationary_variance(options, sigma, s) / right);
      if (first)
        note(record, fmt::format("bias_{}", name), std::abs(x.var().item<double>() / right - 1),
             Direction::LowerIsBetter);
    }
  context.store.write_curves(record.cell, curves);
}

namespace {

/// Points of the mixture, and the same points off it, for table `purpose`.
struct Points {
  at::Tensor clean, off;
};
Points points_of(const models::MixtureDenoiser& D, std::int64_t n, const std::string& purpose,
                 std::int64_t seed) {
  auto generator = training::torch_generator(seed_of({"langevin", purpose, std::to_string(seed)}));
  const auto clean = D.sample(n, generator);
  return {clean, clean + 0.3 * torch::randn(clean.sizes(), generator, f64) + 0.3};
}

/// The most likely cluster of each point: [N].
at::Tensor cluster_of(const models::MixtureDenoiser& D, const at::Tensor& x) {
  std::vector<at::Tensor> each;
  for (std::int64_t k = 0; k < cluster_count; ++k)
    each.push_back(
        D.log_density(x, torch::tensor(smoothing, f64), torch::full({x.size(0)}, k, at::kLong)));
  return torch::stack(each).argmax(0);
}

/// How far points lie from the mean of their cluster, over what data do: 1 of data, 0 where all
/// points of a cluster are the same.
double spread_of(const models::MixtureDenoiser& D, const at::Tensor& means, const at::Tensor& x) {
  return std::sqrt((x - means.index_select(0, cluster_of(D, x))).square().mean().item<double>()) /
         cluster_deviation;
}

}  // namespace

/// METHOD: from points off the mixture; ln p exactly, at a level below the clusters' own deviation,
/// and whether a point stays in its cluster.
void run_mixture(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto variant = chosen_variant(context);
  auto D = clusters(shared_seed(context, "clusters"));
  const auto means = cluster_means(shared_seed(context, "clusters"));
  const auto seed = seed_of({"langevin", "mixture", std::to_string(record.cell.seed)});
  // Others where settings are chosen.
  const auto [clean, x] = points_of(D, settings.integer("exact.mixture_items"), record.cell.table,
                                    data_seed_of(context));
  const auto nll = [&](const at::Tensor& at) {
    return -D.log_density(at, torch::tensor(smoothing, f64)).mean().item<double>() / 64;
  };
  records::Curves curves{{"round", {0}}, {"nll", {nll(x)}}};
  at::Tensor end;
  if (variant.method.algorithm == Algorithm::Sdedit) {
    end = baselines::sdedit(D, x, variant.or_else("sigma", 1),
                            models::stochastic({.steps = settings.integer("quality.steps")}),
                            training::torch_generator(seed));
    curves["round"].push_back(1);
    curves["nll"].push_back(nll(end));
  } else {
    models::Canvas canvas(x);
    run_rounds(canvas, variant, D, D, synthesis_options(variant, "churn", settings, seed), {},
               [&](const models::Round& round) {
                 curves["round"].push_back(static_cast<double>(round.number + 1));
                 curves["nll"].push_back(nll(canvas.content().detach()));
               });
    end = canvas.content().detach();
  }
  note(record, "nll_start", curves["nll"].front(), Direction::LowerIsBetter, "nat a dimension");
  note(record, "nll_end", curves["nll"].back(), Direction::LowerIsBetter, "nat a dimension");
  note(record, "nll_data", nll(clean), Direction::Neither, "nat a dimension");
  note(record, "spread", spread_of(D, means, end), Direction::Neither, "",
       "over that of data, within clusters");
  note(record, "spread_data", spread_of(D, means, clean), Direction::Neither, "",
       "over that of data, within clusters");
  note(record, "kept", average(cluster_of(D, end) == cluster_of(D, clean)),
       Direction::HigherIsBetter);
  note(record, "to_clean", average((end - clean).square()), Direction::LowerIsBetter);
  context.store.write_curves(record.cell, curves);
}

/// METHOD: inversions of points on the mixture and off it, at every level.
void run_mixture_inversion(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto options = inversion_options(variant_of(context), settings);
  auto D = clusters(shared_seed(context, "clusters"));
  const auto points =
      points_of(D, settings.integer("exact.mixture_items"), "inversion", data_seed_of(context));
  for (const auto sigma : levels_in_reach(options, settings)) {
    const auto error = least_error(D, points.clean, sigma, context);
    for (const std::string where : {"on", "off"}) {
      const auto& x_0 = where == "on" ? points.clean : points.off;
      const auto epsilon = models::unit_noise(
          x_0, training::torch_generator(
                   seed_of({"langevin", "inversion", std::to_string(record.cell.seed)})));
      note_level(
          record,
          models::noise_level(D, models::invert(D, x_0, sigma, options, epsilon), sigma, error) /
              sigma,
          where, sigma);
    }
  }
}

/// METHOD: churns of latents at one level; -ln p(x; sigma) exactly.
void run_mixture_latent(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto variant = variant_of(context);
  const auto options = inversion_options(variant, settings);
  const auto churning = churn_options(variant, "latent", settings);
  auto D = clusters(shared_seed(context, "clusters"));
  const auto points =
      points_of(D, settings.integer("exact.mixture_items"), "latent", data_seed_of(context));
  const auto generator =
      training::torch_generator(seed_of({"langevin", "latent", std::to_string(record.cell.seed)}));
  for (const auto sigma : settings.numbers("latent.sigmas")) {
    const auto nll = [&](const at::Tensor& x) {
      return -D.log_density(x, torch::tensor(sigma, f64)).mean().item<double>() / 64;
    };
    const auto nll_data = nll(points.clean + sigma * models::unit_noise(points.clean, generator));
    const auto error = least_error(D, points.clean, sigma, context);
    note_at(record, "nll_data", sigma, nll_data);
    // Too likely is as wrong as too unlikely: how far from what latents of p(x; sigma) have.
    const auto seen = [&](const std::string& when, const at::Tensor& x) {
      note_at(record, "nll_" + when, sigma, nll(x), Direction::LowerIsBetter);
      note_at(record, "nll_gap_" + when, sigma, std::abs(nll(x) - nll_data),
              Direction::LowerIsBetter);
    };
    for (const std::string where : {"on", "off"}) {
      const auto& x_0 = where == "on" ? points.clean : points.off;
      auto x = models::invert(D, x_0, sigma, options, models::unit_noise(x_0, generator));
      const auto level = [&](const std::string& when) {
        note_at(record, "level_" + when + "_" + where, sigma,
                average(models::noise_level(D, x, sigma, error)) / sigma);
      };
      level("before");
      seen("start_" + where, x);
      for (std::int64_t i = 0; i < settings.integer("latent.rounds"); ++i) {
        x = models::churn(D, x, sigma, churning, models::unit_noise(x, generator));
        if (i == 0) level("after");
      }
      level("end");
      seen("end_" + where, x);
    }
  }
}

namespace {

const std::vector<ExactData>& all_exact() {
  static const std::vector<ExactData> all{
      {.name = "gaussian", .reads = {"exact"}},
      {.name = "mixture", .reads = {"exact", "churn", "quality"}}};
  return all;
}

}  // namespace

bool is_exact(const std::string& dataset) {
  return std::any_of(all_exact().begin(), all_exact().end(),
                     [&dataset](const ExactData& data) { return data.name == dataset; });
}

const ExactData& exact_data(const std::string& name) {
  return find_named(all_exact(), "data of table exact", name);
}

}  // namespace reprise::reproduce::langevin_study
