// Tables quality and inversion: samples of D, and inversions.
#include <fmt/format.h>
#include <torch/torch.h>

#include <chrono>
#include <cmath>

#include "core/text.h"
#include "experiments/resampling.h"
#include "metrics/frechet.h"
#include "metrics/image_quality.h"
#include "metrics/spectrum.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/noise_level.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/corruptions.h"
#include "reproduce/langevin/external.h"
#include "reproduce/langevin/measures.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;
// Level of the pictures: that of the document's example.
constexpr double shown_sigma = 3;

/// Returns labels with equally many of each class, [n], or texts, [n, words].
at::Tensor make_even_labels(const DomainData& domain, std::int64_t n) {
  const auto number = torch::arange(n, at::kLong).remainder(class_count(domain));
  return domain.metadata.words.empty() ? number : distinct_texts(domain).index_select(0, number);
}

/// Samples a prior with guidance, for the given labels.
at::Tensor draw_samples(const models::Prior& prior, const at::Tensor& labels, double guidance,
                        std::int64_t steps, std::uint64_t seed) {
  const auto D = models::make_guided_denoiser(prior, guidance);
  const auto sampler = models::make_stochastic(models::make_sampler_options(prior, steps));
  const auto generator = training::torch_generator(seed);
  const auto device = prior.D->parameters()[0].device();
  return models::map_batches(labels.size(0), 64, [&](const auto& part) {
    const auto requested = part(labels).to(device);
    std::vector<std::int64_t> shape{requested.size(0)};
    shape.insert(shape.end(), prior.metadata.item.begin(), prior.metadata.item.end());
    const auto noise = models::draw_unit_noise(
        torch::empty(shape, torch::TensorOptions().device(device)), generator);
    return models::edm_sample(*D, noise * sampler.sigma_max, sampler, generator, requested);
  });
}

/// Returns the fraction of items with a correlation above 0.9 to one of the others. The others'
/// mean is subtracted from each pixel.
double near_duplicate_fraction(const at::Tensor& items, const at::Tensor& others) {
  const auto mean = others.mean(0);
  const auto unit = [&mean](const at::Tensor& x) {
    // Unit vectors, so that a product is a correlation.
    const auto flat = (x - mean).flatten(1);
    return flat / flat.norm(2, 1, true).clamp_min(1e-6);
  };
  return average(std::get<0>(unit(items).mm(unit(others).t()).max(1)) > 0.9);
}

/// Latents of one set of pictures at one level, and the time in seconds.
struct TimedInversion {
  at::Tensor x_sigma;
  double seconds = 0;
};
TimedInversion invert_items(models::Denoiser& D_aux, const at::Tensor& items, double sigma,
                            const models::InversionOptions& options, std::uint64_t seed) {
  const auto generator = training::torch_generator(seed);
  const auto epsilon = models::draw_unit_noise(items, generator);
  // Wall time of the inversions alone.
  const auto start = std::chrono::steady_clock::now();
  const auto x_sigma = models::map_batches(items.size(0), 64, [&](const auto& part) {
    return models::invert(D_aux, part(items), sigma, options, part(epsilon));
  });
  const auto seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {x_sigma, seconds};
}

/// Solves the probability-flow ODE of D back from x_sigma. The result is the picture that the
/// latent represents, whatever method made it.
at::Tensor solve_back(models::Denoiser& D, const at::Tensor& x_sigma, double sigma,
                      const models::InversionOptions& options) {
  const torch::NoGradGuard no_grad;
  // Down the same grid of levels, with the solver of the inversion.
  const auto grid =
      models::sigma_grid(options.steps + 1, sigma, options.sigma_min, options.grid, options.rho);
  return models::map_batches(x_sigma.size(0), 64, [&](const auto& part) {
    auto x = part(x_sigma);
    for (std::size_t k = 0; k + 1 < grid.size(); ++k)
      x = models::ode_step(D, x, grid[k], grid[k + 1], options.solver);
    return D(x, options.sigma_min);
  });
}

at::Tensor denoise(models::Denoiser& D, const at::Tensor& x, double sigma) {
  const torch::NoGradGuard no_grad;
  return models::map_batches(x.size(0), 64, [&](const auto& part) { return D(part(x), sigma); });
}

/// Adds the PSNR and the level of corrupted items, one entry of each list per kind of corruption.
void record_corruptions(records::Record& record, const std::string& at,
                        const std::vector<at::Tensor>& contents,
                        const std::vector<at::Tensor>& truths,
                        const std::vector<at::Tensor>& levels) {
  for (std::size_t kind = 0; kind < contents.size(); ++kind) {
    const auto& name = corruptions()[kind].name;
    add_metric(record, fmt::format("psnr_{}_{}", name, at), mean_psnr(contents[kind], truths[kind]),
               Direction::HigherIsBetter);
    add_metric(record, fmt::format("level_{}_{}", name, at), average(levels[kind]),
               Direction::Neither);
  }
}

}  // namespace

void run_quality(CellContext& context) {
  if (!context.method_file.empty()) return run_samples(context);
  const auto& settings = context.settings;
  const auto domain = load_cell_domain(context);
  const auto learnt = load_prior_items(domain, context);
  const auto prior = load_trained_prior(context, find_network(context.record.cell.method));
  const auto evaluator = load_trained_evaluator(context, domain);
  const auto n = settings.integer("quality.samples");
  const auto steps = settings.integer("quality.steps");
  const auto labels = make_even_labels(domain, n);
  const auto classes = class_indices(domain, labels);
  const auto& cell = context.record.cell;
  const auto seed = seed_of({"langevin", "quality", cell.dataset, std::to_string(cell.seed)});
  const auto trial_seed =
      seed_of({"langevin", "guidance", cell.dataset, std::to_string(cell.seed)});
  auto& record = context.record;
  // The guidance is chosen on separate samples. A single candidate needs no trial.
  const auto trial_labels = make_even_labels(domain, settings.integer("quality.trial_samples"));
  const auto weights = settings.numbers("quality.guidance");
  double best = -1;
  double chosen = weights.empty() ? 1 : weights.front();
  for (std::size_t i = 0; i < weights.size() && weights.size() > 1; ++i) {
    context.progress.update(0.5 * static_cast<double>(i) / static_cast<double>(weights.size()),
                            fmt::format("guidance {}", weights[i]));
    const auto agrees = agreement(
        evaluator.probabilities(draw_samples(prior, trial_labels, weights[i], steps, trial_seed)),
        class_indices(domain, trial_labels));
    // The guidance with the best agreement wins.
    if (agrees > best) {
      best = agrees;
      chosen = weights[i];
    }
  }
  add_metric(record, "guidance", chosen, Direction::Neither);
  const auto& part = evaluation_items(domain, cell);
  const auto item_count = std::min(n, part.x_0.size(0));
  const auto real_features =
      evaluator.features(part.x_0.slice(0, 0, item_count).to(cell_device(context)));
  // The floor of the Fréchet distance: training items of the prior against test items. It is not 0,
  // because cameras and speakers differ between the splits.
  const auto floor = metrics::frechet_distance(
      evaluator.features(learnt.x_0.slice(0, 0, item_count).to(cell_device(context))),
      real_features);
  add_metric(record, "frechet_floor", floor, Direction::Neither, "",
             evaluator.protocol("frechet", item_count));
  at::Tensor shown;
  // Samples with the chosen guidance, and without guidance.
  for (const auto& [name, weight] :
       std::map<std::string, double>{{"", chosen}, {"_unguided", 1.0}}) {
    const auto x = draw_samples(prior, labels, weight, steps, seed);
    record_agreement(evaluator, "agreement" + name, evaluator.probabilities(x), classes, true,
                     record);
    const auto features = evaluator.features(x.slice(0, 0, item_count));
    record_distances(evaluator, features, real_features, name, context);
    add_metric(record, "over_floor" + name,
               metrics::frechet_distance(features, real_features) / floor, Direction::LowerIsBetter,
               "", evaluator.protocol("frechet", item_count));
    if (name.empty()) shown = x;
  }
  add_metric(record, "twins", near_duplicate_fraction(part.x_0.slice(0, 0, item_count), learnt.x_0),
             Direction::Neither);
  // Agreement on real items bounds what samples can reach.
  record_agreement(
      evaluator, "agreement_real", evaluator.probabilities(part.x_0.slice(0, 0, item_count)),
      class_indices(domain, part.labels.slice(0, 0, item_count)), true, record, Direction::Neither);
  record_agreement(evaluator, "agreement_prior",
                   evaluator.probabilities(learnt.x_0.slice(0, 0, item_count)),
                   class_indices(domain, learnt.labels.slice(0, 0, item_count)), true, record,
                   Direction::Neither);
  // The error of the prior itself. Seeds that share a prior also share this noise.
  const auto validation = domain.validation.x_0.to(cell_device(context));
  for (const auto sigma : settings.numbers("inversion.sigmas"))
    add_metric(record, "mmse_" + number_text(sigma),
               estimate_mmse(*prior.D, validation, sigma, context), Direction::LowerIsBetter);
  write_sheet(context.folder / "samples.png", shown, 4 * class_count(domain), class_count(domain));
}

void run_inversion(CellContext& context) {
  const auto& settings = context.settings;
  const auto domain = load_cell_domain(context);
  const auto config = cell_configuration(context);
  const auto options = inversion_options(config, settings);
  const auto down = inversion_options({.method = config.method}, settings);
  const auto churning = models::parse_churn_options(settings.text("inversion.churn"));
  const auto D = load_trained_prior(context, Network::Main);
  const bool has_likelihood_network =
      find_domain(context.record.cell.dataset).has_likelihood_network;
  const auto other =
      has_likelihood_network ? load_trained_prior(context, Network::Other) : models::Prior{};
  const auto D_aux = load_auxiliary_denoiser(config.method, D, context);
  const auto evaluator = load_trained_evaluator(context, domain);
  const auto seed = seed_of({"langevin", "inversion", std::to_string(context.record.cell.seed)});
  const auto items_seed =
      seed_of({"langevin", "inversion", std::to_string(cell_data_seed(context))});
  const auto n = std::min(settings.integer("inversion.items"), domain.test.x_0.size(0));
  const auto device = cell_device(context);
  const auto clean = domain.test.x_0.slice(0, 0, n).to(device);
  const auto labels = class_indices(domain, domain.test.labels.slice(0, 0, n));
  const auto validation = domain.validation.x_0.to(device);
  const auto sigmas = reachable_levels(options, settings);
  auto& record = context.record;
  const auto off = corrupt_items(clean, items_seed);
  // Ten items, evenly spaced, so that every corruption is shown.
  const auto shown = torch::div(torch::arange(10, at::kLong) * n, 10, "floor");
  records::Curves curves;
  for (std::size_t i = 0; i < sigmas.size(); ++i) {
    const auto sigma = sigmas[i];
    const auto at = number_text(sigma);
    const auto error = estimate_mmse(*D.D, validation, sigma, context);
    for (const std::string where : {"on", "off"}) {
      if (i == 0)
        record_agreement(evaluator, "label_picture_" + where,
                         evaluator.probabilities(where == "on" ? clean : off), labels, true,
                         record);
      context.progress.update(
          (static_cast<double>(i) + (where == "on" ? 0 : 0.5)) / static_cast<double>(sigmas.size()),
          fmt::format("sigma {}, {} the manifold", at, where));
      const auto& x_0 = where == "on" ? clean : off;
      // Invert, then solve back with D, then denoise with D'.
      const auto [x_sigma, seconds] = invert_items(*D_aux, x_0, sigma, options, seed);
      record.seconds["inversion"] += seconds;
      const auto back = solve_back(*D.D, x_sigma, sigma, down);
      const auto seen = denoise(*D_aux, x_sigma, sigma);
      const auto keep = [&](const std::string& metric, double value, Direction direction) {
        add_metric_at(record, metric + "_" + where, sigma, value, direction);
        curves[metric + "_" + where].push_back(value);
      };
      keep("back", mean_psnr(back.clamp(-1, 1), x_0), Direction::HigherIsBetter);
      keep("fidelity", mean_psnr(seen, x_0), Direction::HigherIsBetter);
      record_agreement(evaluator, fmt::format("label_{}_{}", where, at),
                       evaluator.probabilities(back), labels, true, record);
      curves["label_" + where].push_back(record.metrics.back().value);
      const auto level = models::noise_level(*D.D, x_sigma, sigma, error) / sigma;
      record_level(record, level, where, sigma);
      curves["level_" + where].push_back(average(level));
      // The picture's change by a churn, and its spatial frequency ([0049]).
      const auto epsilon = models::draw_unit_noise(
          x_sigma, training::torch_generator(shared_seed(context, "update")));
      const auto update =
          denoise(*D_aux, models::churn(*D.D, x_sigma, sigma, churning, epsilon), sigma) - seen;
      keep("update_frequency", average(metrics::mean_frequency(update.cpu())),
           Direction::LowerIsBetter);
      keep("update_size", update.square().mean().sqrt().item<double>(), Direction::Neither);
      if (has_likelihood_network) {
        // D'' reads the content: no inversion uses it.
        const auto content = denoise(*other.D, x_sigma, sigma);
        keep("psnr", mean_psnr(content, x_0), Direction::HigherIsBetter);
        record_agreement(evaluator, fmt::format("label_seen_{}_{}", where, at),
                         evaluator.probabilities(content), labels, true, record);
        // SSIM is undefined for smaller pictures.
        if (std::min(x_0.size(2), x_0.size(3)) >= metrics::ssim_window)
          keep("ssim", average(metrics::ssim(content.clamp(-1, 1), x_0, 2)),
               Direction::HigherIsBetter);
        if (where == "off")
          record_corruptions(record, at, split_by_corruption(content), split_by_corruption(x_0),
                             split_by_corruption(level));
        // One sheet per place: pictures, contents by D'', and pictures solved back.
        if (is_shown(settings, record.cell.seed) && sigma == shown_sigma)
          write_sheet(
              context.folder / (where + ".png"),
              torch::stack({x_0, content, back}).index_select(1, shown.to(device)).flatten(0, 1),
              30, 10);
      }
    }
    curves["sigma"].push_back(sigma);
  }
  context.store.write_curves(record.cell, curves);
}

}  // namespace reprise::reproduce::langevin_study
