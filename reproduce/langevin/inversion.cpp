// Tables quality and inversion: what D samples, and what inversions keep.
#include <fmt/format.h>
#include <torch/torch.h>

#include <chrono>
#include <cmath>

#include "core/text.h"
#include "experiments/replicates.h"
#include "metrics/frechet.h"
#include "metrics/image_quality.h"
#include "metrics/spectrum.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/noise_level.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/corruptions.h"
#include "reproduce/langevin/external.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/langevin/variants.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;
constexpr double shown_sigma = 3;  // in pictures: the level of the document's example

/// [n] labels, each class as often, or [n, words].
at::Tensor even_labels(const DomainData& domain, std::int64_t n) {
  const auto number = torch::arange(n, at::kLong).remainder(class_count(domain));
  return domain.facts.words.empty() ? number : distinct_texts(domain).index_select(0, number);
}

at::Tensor samples(const models::Prior& prior, const at::Tensor& labels, double guidance,
                   std::int64_t steps, std::uint64_t seed) {
  const auto D = models::guided(prior, guidance);
  const auto sampler = models::stochastic(models::sampler_over(prior, steps));
  const auto generator = training::torch_generator(seed);
  const auto device = prior.D->parameters()[0].device();
  return models::in_batches(labels.size(0), 64, [&](const auto& part) {
    const auto asked = part(labels).to(device);
    std::vector<std::int64_t> shape{asked.size(0)};
    shape.insert(shape.end(), prior.facts.item.begin(), prior.facts.item.end());
    const auto noise =
        models::unit_noise(torch::empty(shape, torch::TensorOptions().device(device)), generator);
    return models::edm_sample(*D, noise * sampler.sigma_max, sampler, generator, asked);
  });
}

/// The share of items whose correlation with the likest of the others is above 0.9, each pixel less
/// the others' mean.
double twins(const at::Tensor& items, const at::Tensor& others) {
  const auto mean = others.mean(0);
  const auto unit = [&mean](const at::Tensor& x) {
    const auto flat = (x - mean).flatten(1);
    return flat / flat.norm(2, 1, true).clamp_min(1e-6);
  };
  return average(std::get<0>(unit(items).mm(unit(others).t()).max(1)) > 0.9);
}

/// Inversions of one set of pictures at one level.
struct Inverted {
  at::Tensor x_sigma;
  double seconds = 0;
};
Inverted inverted(models::Denoiser& D_aux, const at::Tensor& items, double sigma,
                  const models::InversionOptions& options, std::uint64_t seed) {
  const auto generator = training::torch_generator(seed);
  const auto epsilon = models::unit_noise(items, generator);
  const auto start = std::chrono::steady_clock::now();
  const auto x_sigma = models::in_batches(items.size(0), 64, [&](const auto& part) {
    return models::invert(D_aux, part(items), sigma, options, part(epsilon));
  });
  const auto seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {x_sigma, seconds};
}

/// From x_sigma back along the probability-flow ODE of D: what the latent stands for, whatever made
/// it.
at::Tensor sampled_back(models::Denoiser& D, const at::Tensor& x_sigma, double sigma,
                        const models::InversionOptions& options) {
  const torch::NoGradGuard no_grad;
  const auto grid =
      models::sigma_grid(options.steps + 1, sigma, options.sigma_min, options.grid, options.rho);
  return models::in_batches(x_sigma.size(0), 64, [&](const auto& part) {
    auto x = part(x_sigma);
    for (std::size_t k = 0; k + 1 < grid.size(); ++k)
      x = models::ode_step(D, x, grid[k], grid[k + 1], options.solver);
    return D(x, options.sigma_min);
  });
}

at::Tensor denoised(models::Denoiser& D, const at::Tensor& x, double sigma) {
  const torch::NoGradGuard no_grad;
  return models::in_batches(x.size(0), 64, [&](const auto& part) { return D(part(x), sigma); });
}

/// PSNR of the content and the level of items off the manifold, by kind of corruption: one entry
/// per kind in each list.
void note_corruptions(records::Record& record, const std::string& at,
                      const std::vector<at::Tensor>& contents,
                      const std::vector<at::Tensor>& truths,
                      const std::vector<at::Tensor>& levels) {
  for (std::size_t kind = 0; kind < contents.size(); ++kind) {
    const auto& name = corruptions()[kind].name;
    note(record, fmt::format("psnr_{}_{}", name, at), mean_psnr(contents[kind], truths[kind]),
         Direction::HigherIsBetter);
    note(record, fmt::format("level_{}_{}", name, at), average(levels[kind]), Direction::Neither);
  }
}

}  // namespace

void run_quality(CellContext& context) {
  if (!context.method_file.empty()) return run_samples(context);
  const auto& settings = context.settings;
  const auto domain = domain_data(context);
  const auto learnt = prior_part(domain, context);
  const auto prior = trained_prior(context, network_named(context.record.cell.method));
  const auto evaluator = trained_evaluator(context, domain);
  const auto n = settings.integer("quality.samples"), steps = settings.integer("quality.steps");
  const auto labels = even_labels(domain, n), classes = classes_of(domain, labels);
  const auto& cell = context.record.cell;
  const auto seed = seed_of({"langevin", "quality", cell.dataset, std::to_string(cell.seed)});
  const auto trial_seed =
      seed_of({"langevin", "guidance", cell.dataset, std::to_string(cell.seed)});
  auto& record = context.record;
  // The guidance is chosen on samples of its own; what is reported is from new ones. One alone is
  // taken without a trial.
  const auto trial_labels = even_labels(domain, settings.integer("quality.trial_samples"));
  const auto weights = settings.numbers("quality.guidance");
  double best = -1, chosen = weights.empty() ? 1 : weights.front();
  for (std::size_t i = 0; i < weights.size() && weights.size() > 1; ++i) {
    context.progress.update(0.5 * static_cast<double>(i) / static_cast<double>(weights.size()),
                            fmt::format("guidance {}", weights[i]));
    const auto agrees = agreement(
        evaluator.probabilities(samples(prior, trial_labels, weights[i], steps, trial_seed)),
        classes_of(domain, trial_labels));
    if (agrees > best) {
      best = agrees;
      chosen = weights[i];
    }
  }
  note(record, "guidance", chosen, Direction::Neither);
  const auto& part = evaluation_items(domain, cell);
  const auto judged = std::min(n, part.x_0.size(0));
  const auto real_features =
      evaluator.features(part.x_0.slice(0, 0, judged).to(device_of_context(context)));
  // What items of the prior's own part score that it learnt from, as many: no sampler does better.
  // Cameras and speakers differ between the parts.
  const auto floor = metrics::frechet_distance(
      evaluator.features(learnt.x_0.slice(0, 0, judged).to(device_of_context(context))),
      real_features);
  note(record, "frechet_floor", floor, Direction::Neither, "",
       evaluator.protocol("frechet", judged));
  at::Tensor shown;
  for (const auto& [name, weight] :
       std::map<std::string, double>{{"", chosen}, {"_unguided", 1.0}}) {
    const auto x = samples(prior, labels, weight, steps, seed);
    note_agreement(evaluator, "agreement" + name, evaluator.probabilities(x), classes, true,
                   record);
    const auto features = evaluator.features(x.slice(0, 0, judged));
    note_distances(evaluator, features, real_features, name, context);
    note(record, "over_floor" + name, metrics::frechet_distance(features, real_features) / floor,
         Direction::LowerIsBetter, "", evaluator.protocol("frechet", judged));
    if (name.empty()) shown = x;
  }
  note(record, "twins", twins(part.x_0.slice(0, 0, judged), learnt.x_0), Direction::Neither);
  // Of real items, what the evaluator agrees with is the most that a sample can have.
  note_agreement(evaluator, "agreement_real", evaluator.probabilities(part.x_0.slice(0, 0, judged)),
                 classes_of(domain, part.labels.slice(0, 0, judged)), true, record,
                 Direction::Neither);
  note_agreement(
      evaluator, "agreement_prior", evaluator.probabilities(learnt.x_0.slice(0, 0, judged)),
      classes_of(domain, learnt.labels.slice(0, 0, judged)), true, record, Direction::Neither);
  // Of the prior, and nothing that is sampled: where seeds share it they share this noise.
  const auto validation = domain.validation.x_0.to(device_of_context(context));
  for (const auto sigma : settings.numbers("inversion.sigmas"))
    note(record, "mmse_" + number_text(sigma), least_error(*prior.D, validation, sigma, context),
         Direction::LowerIsBetter);
  write_sheet(context.folder / "samples.png", shown, 4 * class_count(domain), class_count(domain));
}

void run_inversion(CellContext& context) {
  const auto& settings = context.settings;
  const auto domain = domain_data(context);
  const auto variant = variant_of(context);
  const auto options = inversion_options(variant, settings),
             down = inversion_options({.method = variant.method}, settings);
  const auto churning = models::churn_options(settings.text("inversion.churn"));
  const auto D = trained_prior(context, Network::Main);
  const bool judged = domain_named(context.record.cell.dataset).judged;
  const auto other = judged ? trained_prior(context, Network::Other) : models::Prior{};
  const auto D_aux = auxiliary(variant.method, D, context);
  const auto evaluator = trained_evaluator(context, domain);
  const auto seed = seed_of({"langevin", "inversion", std::to_string(context.record.cell.seed)});
  const auto items_seed = seed_of({"langevin", "inversion", std::to_string(data_seed_of(context))});
  const auto n = std::min(settings.integer("inversion.items"), domain.test.x_0.size(0));
  const auto device = device_of_context(context);
  const auto clean = domain.test.x_0.slice(0, 0, n).to(device),
             labels = classes_of(domain, domain.test.labels.slice(0, 0, n));
  const auto validation = domain.validation.x_0.to(device);
  const auto sigmas = levels_in_reach(options, settings);
  auto& record = context.record;
  const auto off = off_manifold(clean, items_seed);
  const auto shown = torch::div(torch::arange(10, at::kLong) * n, 10, "floor");
  records::Curves curves;
  for (std::size_t i = 0; i < sigmas.size(); ++i) {
    const auto sigma = sigmas[i];
    const auto at = number_text(sigma);
    const auto error = least_error(*D.D, validation, sigma, context);
    for (const std::string where : {"on", "off"}) {
      if (i == 0)
        note_agreement(evaluator, "label_picture_" + where,
                       evaluator.probabilities(where == "on" ? clean : off), labels, true, record);
      context.progress.update(
          (static_cast<double>(i) + (where == "on" ? 0 : 0.5)) / static_cast<double>(sigmas.size()),
          fmt::format("sigma {}, {} the manifold", at, where));
      const auto& x_0 = where == "on" ? clean : off;
      const auto [x_sigma, seconds] = inverted(*D_aux, x_0, sigma, options, seed);
      record.seconds["inversion"] += seconds;
      const auto back = sampled_back(*D.D, x_sigma, sigma, down),
                 seen = denoised(*D_aux, x_sigma, sigma);
      const auto keep = [&](const std::string& metric, double value, Direction direction) {
        note_at(record, metric + "_" + where, sigma, value, direction);
        curves[metric + "_" + where].push_back(value);
      };
      keep("back", mean_psnr(back.clamp(-1, 1), x_0), Direction::HigherIsBetter);
      keep("fidelity", mean_psnr(seen, x_0), Direction::HigherIsBetter);
      note_agreement(evaluator, fmt::format("label_{}_{}", where, at),
                     evaluator.probabilities(back), labels, true, record);
      curves["label_" + where].push_back(record.metrics.back().value);
      const auto level = models::noise_level(*D.D, x_sigma, sigma, error) / sigma;
      note_level(record, level, where, sigma);
      curves["level_" + where].push_back(average(level));
      // What a churn would change of the picture, and how fine that is ([0049]).
      const auto epsilon =
          models::unit_noise(x_sigma, training::torch_generator(shared_seed(context, "update")));
      const auto update =
          denoised(*D_aux, models::churn(*D.D, x_sigma, sigma, churning, epsilon), sigma) - seen;
      keep("update_frequency", average(metrics::mean_frequency(update.cpu())),
           Direction::LowerIsBetter);
      keep("update_size", update.square().mean().sqrt().item<double>(), Direction::Neither);
      if (judged) {
        const auto content =
            denoised(*other.D, x_sigma, sigma);  // by a network that no inversion used
        keep("psnr", mean_psnr(content, x_0), Direction::HigherIsBetter);
        note_agreement(evaluator, fmt::format("label_seen_{}_{}", where, at),
                       evaluator.probabilities(content), labels, true, record);
        if (std::min(x_0.size(2), x_0.size(3)) >=
            metrics::ssim_window)  // it has no value of smaller pictures
          keep("ssim", average(metrics::ssim(content.clamp(-1, 1), x_0, 2)),
               Direction::HigherIsBetter);
        if (where == "off")
          note_corruptions(record, at, shares(content), shares(x_0), shares(level));
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
