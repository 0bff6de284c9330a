// Tables churn, steering, completion and painting: Algorithm 1 on digits.
#include <torch/torch.h>

#include <cmath>

#include "baselines/diffusion/repaint.h"
#include "baselines/diffusion/score_distillation.h"
#include "baselines/diffusion/sdedit.h"
#include "core/text.h"
#include "metrics/seams.h"
#include "models/diffusion/likelihood.h"
#include "models/diffusion/noise_level.h"
#include "models/representations/canvas.h"
#include "models/representations/coordinate_images.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/corruptions.h"
#include "reproduce/langevin/measures.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;

/// Data, networks and random seeds that these tables share.
struct LoopExperiment {
  DomainData domain;
  models::Prior D, other;
  models::Evaluator evaluator;
  std::uint64_t seed;             ///< random seed of the method
  std::uint64_t items_seed;       ///< random seed of the corruptions
  std::uint64_t likelihood_seed;  ///< random seed of the probes of nll()
  std::uint64_t energy_seed;      ///< random seed of the noise of energy()
  at::Tensor clean, labels;       ///< validation items of a search cell, else test items
  models::LabelledItems others;   ///< further items of the same split, as many
  at::Tensor features;            ///< evaluator features of the clean items
  explicit LoopExperiment(const CellContext& context, const std::string& section)
      : domain(load_cell_domain(context)),
        D(load_trained_prior(context, Network::Main)),
        other(load_trained_prior(context, Network::Other)),
        evaluator(load_trained_evaluator(context, domain)) {
    const auto& cell = context.record.cell;
    // The method draws anew for every seed; items and noise of measures follow the data seed.
    seed = seed_of({"langevin", cell.table, cell.dataset, std::to_string(cell.seed)});
    items_seed =
        seed_of({"langevin", cell.table, cell.dataset, std::to_string(cell_data_seed(context))});
    likelihood_seed = shared_seed(context, "likelihood");
    energy_seed = shared_seed(context, "energy");
    const auto& part = evaluation_items(domain, cell);
    const auto n = std::min(context.settings.integer(section + ".items"), part.x_0.size(0));
    clean = part.x_0.slice(0, 0, n).to(cell_device(context));
    labels = part.labels.slice(0, 0, n);
    others = {part.x_0.slice(0, n, 2 * n).to(clean.device()), part.labels.slice(0, n, 2 * n)};
    features = evaluator.features(clean);
  }
  /// Returns -ln p per dimension (nats) of the first n items, by the probability-flow ODE of D''.
  double nll(const at::Tensor& x, std::int64_t n) {
    const auto some = x.slice(0, 0, n);
    // Hutchinson's estimate of the divergence uses random signs.
    const auto signs = models::random_signs(some, training::torch_generator(likelihood_seed));
    const models::LikelihoodOptions options{.sigma_max = other.sigma_high(),
                                            .sigma_data = other.metadata.sigma_data};
    return average(models::map_batches(some.size(0), 64, [&](const auto& part) {
      return models::negative_log_likelihood(*other.D, part(some), part(signs), options,
                                             other.D->mu());
    }));
  }
  double energy(const at::Tensor& x) { return average(denoising_energy(*other.D, x, energy_seed)); }
};

/// Returns SDEdit's sampler. Like every other sampler it stops at the smallest level that D
/// learned.
models::SamplerOptions make_sdedit_sampler(const LoopExperiment& experiment,
                                           const CellContext& context) {
  return models::make_stochastic(
      models::make_sampler_options(experiment.D, context.settings.integer("quality.steps")));
}

/// Adds the realism metrics of items, with suffix `when`. Returns the evaluator's probabilities.
at::Tensor record_realism(LoopExperiment& experiment, const at::Tensor& x, const std::string& when,
                          CellContext& context) {
  auto& record = context.record;
  auto probabilities = experiment.evaluator.probabilities(x);
  add_metric(record, "energy" + when, experiment.energy(x), Direction::LowerIsBetter);
  record_confidence(experiment.evaluator, "confidence" + when, probabilities, record);
  record_distances(experiment.evaluator, experiment.evaluator.features(x), experiment.features,
                   when, context);
  return probabilities;
}

/// A sheet of ten objects, one row per added round. It shows the first ten, or every `stride`-th.
class RoundSheet {
 public:
  explicit RoundSheet(std::int64_t stride = 1) : stride_(stride) {}
  void add(const at::Tensor& x) {
    rows_.push_back(x.slice(0, 0, 10 * stride_, stride_).detach().clone().cpu());
  }
  void write(const std::filesystem::path& path) const {
    write_sheet(path, torch::cat(rows_), 10 * static_cast<std::int64_t>(rows_.size()),
                rows_[0].size(0));
  }

 private:
  std::int64_t stride_;
  std::vector<at::Tensor> rows_;
};

/// Returns the mean noise level that D measures in latents, over the requested level.
double measure_level(LoopExperiment& experiment, const at::Tensor& latent, double sigma,
                     const CellContext& context) {
  const auto validation = experiment.domain.validation.x_0.to(latent.device());
  return average(models::noise_level(*experiment.D.D, latent, sigma,
                                     estimate_mmse(*experiment.D.D, validation, sigma, context)) /
                 sigma);
}

/// Runs a method's rounds from x and returns the end. Outside a search it also measures levels
/// before and after each churn.
at::Tensor run_loop(const at::Tensor& x, const Configuration& config, LoopExperiment& experiment,
                    CellContext& context, RoundSheet& sheet, records::Curves& curves) {
  auto& record = context.record;
  const auto D_aux = load_auxiliary_denoiser(config.method, experiment.D, context);
  const auto options = synthesis_options(config, "churn", context.settings, experiment.seed);
  models::Canvas canvas(x);
  // Trials need only the end.
  const bool followed = !records::is_trial(record.cell);
  // Round 0 is the start, whose content is exact (60 dB).
  curves = {{"round", {0}},
            {"energy", {record.metric("energy_start").value_or(std::nan(""))}},
            {"confidence", {record.metric("confidence_start").value_or(std::nan(""))}},
            {"content", {60}}};
  double inverted = 0, churned = 0;
  run_rounds(canvas, config, *experiment.D.D, *D_aux, options, {},
             [&](const models::SynthesisRound& round) {
               report_round(round, options.rounds, context);
               if (!followed) return;
               const auto now = canvas.content().detach();
               curves["round"].push_back(static_cast<double>(round.number + 1));
               // Only methods with an inversion have latents.
               if (round.nudge.x_sigma.defined()) {
                 const double before =
                     measure_level(experiment, round.nudge.x_sigma, round.sigma, context);
                 const double after =
                     measure_level(experiment, round.nudge.x_churned, round.sigma, context);
                 inverted += before / static_cast<double>(options.rounds);
                 churned += after / static_cast<double>(options.rounds);
                 curves["level_inverted"].push_back(before);
                 curves["level_churned"].push_back(after);
               }
               curves["energy"].push_back(experiment.energy(now));
               curves["confidence"].push_back(confidence(experiment.evaluator.probabilities(now)));
               curves["content"].push_back(mean_psnr(now.clamp(-1, 1), x));
               // The sheet shows a round per quarter.
               if (round.number % std::max<std::int64_t>(1, options.rounds / 4) == 0)
                 sheet.add(now);
             });
  // Means over rounds.
  if (inverted > 0) {
    add_metric(record, "level_inverted", inverted, Direction::Neither);
    add_metric(record, "level_churned", churned, Direction::Neither);
  }
  return canvas.content().detach();
}

}  // namespace

void run_churn(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto config = choose_configuration(context);
  LoopExperiment experiment(context, "churn");
  const auto x = corrupt_items(experiment.clean, experiment.items_seed);
  // The likelihood is measured on the first items of a random order, which has every corruption.
  const auto spread =
      torch::randperm(x.size(0),
                      training::torch_generator(shared_seed(context, "likelihood items")),
                      at::TensorOptions(at::kLong))
          .to(x.device());
  const auto likelihood = [&](const at::Tensor& at, const std::string& when) {
    add_metric(
        record, "nll" + when,
        experiment.nll(at.index_select(0, spread), settings.integer("churn.likelihood_items")),
        Direction::LowerIsBetter, "nat a dimension");
  };
  // Metrics of the start do not depend on the method, so trials skip them.
  const bool trial = records::is_trial(record.cell);
  if (!trial) {
    record_realism(experiment, x, "_start", context);
    likelihood(x, "_start");
    add_metric(record, "energy_clean", experiment.energy(experiment.clean), Direction::Neither);
    add_metric(record, "energy_blank", experiment.energy(torch::full_like(experiment.clean, -1)),
               Direction::Neither);
    record_agreement(experiment.evaluator, "label_start", experiment.evaluator.probabilities(x),
                     experiment.labels, true, record, Direction::Neither);
  }
  // Items at a stride of a tenth show every corruption.
  RoundSheet sheet(std::max<std::int64_t>(1, x.size(0) / 10));
  sheet.add(experiment.clean);
  sheet.add(x);
  records::Curves curves;
  // The end: real items, SDEdit, the loop, or the unchanged start.
  const auto algorithm = config.method.algorithm;
  const bool real = algorithm == Algorithm::RealItems;
  at::Tensor end = real ? experiment.others.x_0 : x;
  if (algorithm == Algorithm::Sdedit)
    end = baselines::sdedit(*experiment.D.D, x, config.value_or("sigma", 1),
                            make_sdedit_sampler(experiment, context),
                            training::torch_generator(experiment.seed));
  else if (runs_in_rounds(config.method))
    end = run_loop(x, config, experiment, context, sheet, curves);
  sheet.add(end);
  const auto probabilities = record_realism(experiment, end, "_end", context);
  record_agreement(experiment.evaluator, "label_kept", probabilities,
                   real ? experiment.others.labels : experiment.labels, true, record);
  // Real items have no start to preserve.
  if (!real) {
    add_metric(record, "content", mean_psnr(end.clamp(-1, 1), x), Direction::HigherIsBetter, "dB");
    add_metric(record, "to_clean", mean_psnr(end.clamp(-1, 1), experiment.clean),
               Direction::HigherIsBetter, "dB");
  }
  if (!trial) {
    // Curves of one point let a Pareto figure show the end of a confirmation seed.
    for (const std::string metric : {"label_kept", "content", "log_frechet_end", "energy_end"})
      if (const auto value = record.metric(metric)) curves["one_" + metric] = {*value};
    likelihood(end, "_end");
    context.store.write_curves(record.cell, curves);
  }
  sheet.write(context.folder / "rounds.png");
}

void run_steering(CellContext& context) {
  auto& record = context.record;
  const auto config = choose_configuration(context);
  LoopExperiment experiment(context, "steering");
  const auto guidance = config.value_or("guidance", 1);
  const auto D = models::make_guided_denoiser(experiment.D, guidance);
  // The target is another class for every label: three classes on, cyclically.
  const auto wanted = (experiment.labels + 3).remainder(class_count(experiment.domain));
  RoundSheet sheet;
  sheet.add(experiment.clean);
  // Control: guidance 0 gives D no label.
  const models::Conditions conditions{.D = guidance == 0 ? at::Tensor()
                                                         : wanted.to(experiment.clean.device())};
  const auto options = synthesis_options(config, "steering", context.settings, experiment.seed);
  models::Canvas canvas(experiment.clean);
  if (config.method.algorithm == Algorithm::Sdedit) {
    // SDEdit is one step from the start.
    canvas.fit(canvas.windows(0),
               baselines::sdedit(*D, experiment.clean, config.value_or("sigma", 1),
                                 make_sdedit_sampler(experiment, context),
                                 training::torch_generator(experiment.seed), conditions.D));
    sheet.add(canvas.content());
  } else {
    run_rounds(canvas, config, *D, *load_auxiliary_denoiser(config.method, experiment.D, context),
               options, conditions, [&](const models::SynthesisRound& round) {
                 report_round(round, options.rounds, context);
                 if ((round.number + 1) % std::max<std::int64_t>(1, options.rounds / 4) == 0)
                   sheet.add(canvas.content());
               });
  }
  // Metrics of the end, whatever method made it.
  const auto end = canvas.content().detach();
  const auto probabilities = experiment.evaluator.probabilities(end);
  record_agreement(experiment.evaluator, "target_reached", probabilities, wanted, true, record);
  record_agreement(experiment.evaluator, "label_kept", probabilities, experiment.labels, true,
                   record, Direction::Neither);
  add_metric(record, "content", mean_psnr(end.clamp(-1, 1), experiment.clean),
             Direction::HigherIsBetter, "dB");
  record_realism(experiment, end, "", context);
  sheet.write(context.folder / "rounds.png");
}

void run_completion(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto config = choose_configuration(context);
  LoopExperiment experiment(context, "completion");
  const auto width = experiment.clean.size(3), half = width / 2;
  // The left half is known, and the right half starts black.
  auto known = torch::zeros_like(experiment.clean);
  known.slice(3, 0, half).fill_(1);
  const auto hold = [&](const at::Tensor& x) {
    return torch::where(known > 0, experiment.clean, x);
  };
  auto end = hold(torch::full_like(experiment.clean, -1));
  RoundSheet sheet;
  sheet.add(experiment.clean);
  sheet.add(end);
  if (config.method.algorithm == Algorithm::Repaint ||
      config.method.algorithm == Algorithm::Sdedit) {
    // SDEdit starts from the blank half at its own level, RePaint from noise.
    const bool from_start = config.method.algorithm == Algorithm::Sdedit;
    end = baselines::repaint(*experiment.D.D, experiment.clean, known,
                             {.levels = {.steps = settings.integer("completion.rounds"),
                                         .sigma_min = settings.number("inversion.sigma_min"),
                                         .sigma_max = from_start ? config.value_or("sigma", 1)
                                                                 : experiment.D.sigma_high()},
                              .resamplings = static_cast<std::int64_t>(config.value_or("U", 1)),
                              .start = from_start ? end : at::Tensor()},
                             training::torch_generator(experiment.seed));
  } else if (runs_in_rounds(config.method)) {
    const auto D_aux = load_auxiliary_denoiser(config.method, experiment.D, context);
    const auto options = synthesis_options(config, "completion", settings, experiment.seed);
    models::Canvas canvas(end);
    run_rounds(canvas, config, *experiment.D.D, *D_aux, options, {},
               [&](const models::SynthesisRound& round) {
                 const torch::NoGradGuard no_grad;
                 report_round(round, options.rounds, context);
                 // The known half is restored after every round.
                 canvas.content().copy_(hold(canvas.content()));
                 if ((round.number + 1) % std::max<std::int64_t>(1, options.rounds / 4) == 0)
                   sheet.add(canvas.content());
               });
    end = canvas.content().detach();
  }
  sheet.add(end);
  record_agreement(experiment.evaluator, "label_right", experiment.evaluator.probabilities(end),
                   experiment.labels, true, record);
  add_metric(record, "psnr_unknown",
             mean_psnr(end.slice(3, half).clamp(-1, 1), experiment.clean.slice(3, half)),
             Direction::HigherIsBetter, "dB");
  // A seam at the border of both halves, relative to elsewhere.
  add_metric(record, "seam", metrics::seam_energy(end, 3, {half}), Direction::Neither, "",
             "seam over elsewhere");
  add_metric(record, "seam_real", metrics::seam_energy(experiment.clean, 3, {half}),
             Direction::Neither, "", "seam over elsewhere");
  record_realism(experiment, end, "", context);
  sheet.write(context.folder / "rounds.png");
}

void run_painting(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto config = choose_configuration(context);
  LoopExperiment experiment(context, "painting");
  const auto measure = [&](const at::Tensor& end, const at::Tensor& wanted) {
    record_agreement(experiment.evaluator, "target_reached",
                     experiment.evaluator.probabilities(end), wanted, true, record);
    record_realism(experiment, end, "", context);
  };
  if (config.method.algorithm == Algorithm::RealItems)
    return measure(experiment.others.x_0, experiment.others.labels);
  const auto n = experiment.clean.size(0);
  // Classes take turns, so that each is painted equally often.
  const auto wanted = torch::arange(n, at::kLong).remainder(class_count(experiment.domain));
  const models::Conditions conditions{.D = wanted.to(experiment.clean.device())};
  const auto D = models::make_guided_denoiser(
      experiment.D, config.value_or("guidance", settings.number("painting.guidance")));
  std::unique_ptr<models::Representation> phi;
  if (config.method.painter == Painter::Pixels) {
    // Pixels start from a grey picture.
    phi = std::make_unique<models::Canvas>(torch::zeros_like(experiment.clean));
  } else {
    // One coordinate network per picture.
    phi = std::make_unique<models::CoordinateImages>(
        models::CoordinateImagesOptions{.images = n,
                                        .channels = experiment.clean.size(1),
                                        .height = experiment.clean.size(2),
                                        .width = experiment.clean.size(3),
                                        .fit = {.steps = settings.integer("painting.fit_steps"),
                                                .rate = settings.number("painting.fit_rate")},
                                        .seed = experiment.seed});
    phi->to(experiment.clean.device());
  }
  Random any(shared_seed(context, "views"));
  const auto all = phi->views(any);
  const auto render = [&] {
    const torch::NoGradGuard no_grad;
    return phi->render(all).detach();
  };
  RoundSheet sheet;
  const auto options = synthesis_options(config, "painting", settings, experiment.seed);
  const auto after = [&](const models::SynthesisRound& round) {
    report_round(round, options.rounds, context);
    if (round.number % std::max<std::int64_t>(1, options.rounds / 4) == 0) sheet.add(render());
  };
  if (config.method.algorithm == Algorithm::ScoreDistillation) {
    baselines::distil(*phi, *D,
                      {.steps = settings.integer("painting.sds_steps"),
                       .rate = config.value_or("rate", 3e-3),
                       .sigma_min = settings.number("painting.last"),
                       .sigma_max = config.value_or("first", settings.number("painting.first")),
                       .seed = experiment.seed},
                      conditions.D);
  } else {
    run_rounds(*phi, config, *D, *experiment.D.D, options, conditions, after);
  }
  const auto end = render();
  sheet.add(end);
  sheet.write(context.folder / "rounds.png");
  measure(end, wanted);
}

}  // namespace reprise::reproduce::langevin_study
