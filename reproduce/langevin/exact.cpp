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
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/measures.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;
constexpr auto f64 = at::kDouble;
constexpr std::int64_t cluster_count = 16;
constexpr double cluster_std_dev = 0.1;
// Level at which ln p is evaluated: below the standard deviation of the clusters.
constexpr double smoothing = 0.05;

/// Returns the centres of 16 clusters in 64 dimensions, [16, 64]. Their distance is about 0.5 per
/// dimension.
at::Tensor cluster_means(std::uint64_t seed) {
  auto generator = training::torch_generator(seed);
  return 0.5 * torch::randn({cluster_count, 64}, generator, f64);
}
/// Makes the mixture, a substitute for a data set of pictures with an exact likelihood.
models::MixtureDenoiser make_mixture(std::uint64_t seed) {
  return {torch::ones({cluster_count}, f64), cluster_means(seed),
          torch::full({cluster_count}, cluster_std_dev, f64)};
}

}  // namespace

/// Runs cell exact/gaussian/FORM: stationary variance of churns against h, measured and in closed
/// form.
void run_gaussian(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  // Standard deviation of the data.
  const double s = 0.5;
  records::Curves curves;
  const auto form = models::parse_churn_noise(record.cell.method);
  for (const auto sigma : settings.numbers("exact.sigmas"))
    // h = beta dt is the size of a churn.
    for (const auto h : settings.numbers("exact.steps")) {
      // Balanced noise would be imaginary for h > 1.
      if (form == models::ChurnNoise::Balanced && h > 1) continue;
      // beta = 2 exposes forms of the noise that assume beta = 1.
      const models::ChurnOptions options{.beta = 2, .dt = h / 2, .noise = form};
      auto generator = training::torch_generator(seed_of(
          {"langevin", "exact", std::to_string(record.cell.seed), fmt::format("{} {}", sigma, h)}));
      models::GaussianDenoiser D(torch::zeros({1}, f64), s);
      const auto n = settings.integer("exact.items");
      // Start: exact latents of p(x; sigma).
      auto x = torch::randn({n, 1}, generator, f64) * std::sqrt(s * s + sigma * sigma);
      // A churn shrinks what is left of the start by 1 - h c, c = sigma^2 / (s^2 + sigma^2). Of its
      // variance exp(-24 c) is left, at c = 0.5 far less than the sampling error of 100 000 items.
      const auto rounds = static_cast<std::int64_t>(12 / h) + 1;
      // Variance of p(x; sigma).
      const double right = s * s + sigma * sigma;
      const auto name = fmt::format("{:g}", sigma);
      const bool first = h == settings.numbers("exact.steps").front();
      // Level of a latent over that of p(x; sigma).
      const auto level = [&](const std::string& when) {
        if (first)
          add_metric(record, fmt::format("level_{}_{}", when, name),
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
        add_metric(record, fmt::format("bias_{}", name),
                   std::abs(x.var().item<double>() / right - 1), Direction::LowerIsBetter);
    }
  context.store.write_curves(record.cell, curves);
}

namespace {

/// Points of the mixture, and the same points moved off it, for table `purpose`.
struct Points {
  at::Tensor clean;
  at::Tensor off;
};
Points draw_points(const models::MixtureDenoiser& D, std::int64_t n, const std::string& purpose,
                   std::int64_t seed) {
  auto generator = training::torch_generator(seed_of({"langevin", purpose, std::to_string(seed)}));
  const auto clean = D.sample(n, generator);
  // The corruption is noise and a shift, both three standard deviations of a cluster.
  return {clean, clean + 0.3 * torch::randn(clean.sizes(), generator, f64) + 0.3};
}

/// Returns the most likely cluster of each point, [N].
at::Tensor find_clusters(const models::MixtureDenoiser& D, const at::Tensor& x) {
  std::vector<at::Tensor> each;
  for (std::int64_t k = 0; k < cluster_count; ++k)
    each.push_back(
        D.log_density(x, torch::tensor(smoothing, f64), torch::full({x.size(0)}, k, at::kLong)));
  return torch::stack(each).argmax(0);
}

/// Returns the distance of points from their cluster's mean, relative to that of data. 0: all
/// points of a cluster coincide.
double relative_spread(const models::MixtureDenoiser& D, const at::Tensor& means,
                       const at::Tensor& x) {
  return std::sqrt(
             (x - means.index_select(0, find_clusters(D, x))).square().mean().item<double>()) /
         cluster_std_dev;
}

}  // namespace

/// Runs cell exact/mixture/METHOD from points off the mixture: exact ln p, and the fraction of
/// points that stay in their cluster.
void run_mixture(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto config = choose_configuration(context);
  auto D = make_mixture(shared_seed(context, "clusters"));
  const auto means = cluster_means(shared_seed(context, "clusters"));
  const auto seed = seed_of({"langevin", "mixture", std::to_string(record.cell.seed)});
  // Trials have other points, because the search table gives another random seed.
  const auto [clean, x] = draw_points(D, settings.integer("exact.mixture_items"), record.cell.table,
                                      cell_data_seed(context));
  // Nats per dimension.
  const auto nll = [&](const at::Tensor& at) {
    return -D.log_density(at, torch::tensor(smoothing, f64)).mean().item<double>() / 64;
  };
  records::Curves curves{{"round", {0}}, {"nll", {nll(x)}}};
  at::Tensor end;
  // SDEdit is one step, so its curve has two points.
  if (config.method.algorithm == Algorithm::Sdedit) {
    end = baselines::sdedit(D, x, config.value_or("sigma", 1),
                            models::make_stochastic({.steps = settings.integer("quality.steps")}),
                            training::torch_generator(seed));
    curves["round"].push_back(1);
    curves["nll"].push_back(nll(end));
  } else {
    models::Canvas canvas(x);
    run_rounds(canvas, config, D, D, synthesis_options(config, "churn", settings, seed), {},
               [&](const models::SynthesisRound& round) {
                 curves["round"].push_back(static_cast<double>(round.number + 1));
                 curves["nll"].push_back(nll(canvas.content().detach()));
               });
    end = canvas.content().detach();
  }
  add_metric(record, "nll_start", curves["nll"].front(), Direction::LowerIsBetter,
             "nat a dimension");
  add_metric(record, "nll_end", curves["nll"].back(), Direction::LowerIsBetter, "nat a dimension");
  add_metric(record, "nll_data", nll(clean), Direction::Neither, "nat a dimension");
  add_metric(record, "spread", relative_spread(D, means, end), Direction::Neither, "",
             "over that of data, within clusters");
  add_metric(record, "spread_data", relative_spread(D, means, clean), Direction::Neither, "",
             "over that of data, within clusters");
  // A point keeps its content if it stays in its cluster.
  add_metric(record, "kept", average(find_clusters(D, end) == find_clusters(D, clean)),
             Direction::HigherIsBetter);
  add_metric(record, "to_clean", average((end - clean).square()), Direction::LowerIsBetter);
  context.store.write_curves(record.cell, curves);
}

/// Runs cell inversion/mixture/METHOD: inversions of points on and off the mixture, at every level.
void run_mixture_inversion(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto options = inversion_options(cell_configuration(context), settings);
  auto D = make_mixture(shared_seed(context, "clusters"));
  const auto points =
      draw_points(D, settings.integer("exact.mixture_items"), "inversion", cell_data_seed(context));
  for (const auto sigma : reachable_levels(options, settings)) {
    const auto error = estimate_mmse(D, points.clean, sigma, context);
    for (const std::string where : {"on", "off"}) {
      const auto& x_0 = where == "on" ? points.clean : points.off;
      const auto epsilon = models::draw_unit_noise(
          x_0, training::torch_generator(
                   seed_of({"langevin", "inversion", std::to_string(record.cell.seed)})));
      record_level(
          record,
          models::noise_level(D, models::invert(D, x_0, sigma, options, epsilon), sigma, error) /
              sigma,
          where, sigma);
    }
  }
}

/// Runs cell latent/mixture/METHOD: churns of latents at one level, with exact -ln p(x; sigma).
void run_mixture_latent(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto config = cell_configuration(context);
  const auto options = inversion_options(config, settings);
  const auto churning = churn_options(config, "latent", settings);
  auto D = make_mixture(shared_seed(context, "clusters"));
  const auto points =
      draw_points(D, settings.integer("exact.mixture_items"), "latent", cell_data_seed(context));
  const auto generator =
      training::torch_generator(seed_of({"langevin", "latent", std::to_string(record.cell.seed)}));
  for (const auto sigma : settings.numbers("latent.sigmas")) {
    const auto nll = [&](const at::Tensor& x) {
      return -D.log_density(x, torch::tensor(sigma, f64)).mean().item<double>() / 64;
    };
    const auto nll_data =
        nll(points.clean + sigma * models::draw_unit_noise(points.clean, generator));
    const auto error = estimate_mmse(D, points.clean, sigma, context);
    add_metric_at(record, "nll_data", sigma, nll_data);
    // Too likely is as wrong as too unlikely, so the gap to latents of p(x; sigma) is noted too.
    const auto record_likelihood = [&](const std::string& when, const at::Tensor& x) {
      add_metric_at(record, "nll_" + when, sigma, nll(x), Direction::LowerIsBetter);
      add_metric_at(record, "nll_gap_" + when, sigma, std::abs(nll(x) - nll_data),
                    Direction::LowerIsBetter);
    };
    for (const std::string where : {"on", "off"}) {
      const auto& x_0 = where == "on" ? points.clean : points.off;
      auto x = models::invert(D, x_0, sigma, options, models::draw_unit_noise(x_0, generator));
      const auto level = [&](const std::string& when) {
        add_metric_at(record, "level_" + when + "_" + where, sigma,
                      average(models::noise_level(D, x, sigma, error)) / sigma);
      };
      level("before");
      record_likelihood("start_" + where, x);
      for (std::int64_t i = 0; i < settings.integer("latent.rounds"); ++i) {
        x = models::churn(D, x, sigma, churning, models::draw_unit_noise(x, generator));
        if (i == 0) level("after");
      }
      level("end");
      record_likelihood("end_" + where, x);
    }
  }
}

namespace {

const std::vector<ExactData>& exact_data_list() {
  static const std::vector<ExactData> all{
      {.name = "gaussian", .reads = {"exact"}},
      {.name = "mixture", .reads = {"exact", "churn", "quality"}}};
  return all;
}

}  // namespace

bool is_exact(const std::string& dataset) {
  return std::any_of(exact_data_list().begin(), exact_data_list().end(),
                     [&dataset](const ExactData& data) { return data.name == dataset; });
}

const ExactData& find_exact_data(const std::string& name) {
  return find_named(exact_data_list(), "data of table exact", name);
}

}  // namespace reprise::reproduce::langevin_study
