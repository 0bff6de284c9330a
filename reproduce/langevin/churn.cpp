// Table churn: Algorithm 1 on corrupted digits, round by round.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "baselines/diffusion/sdedit.h"
#include "models/diffusion/noise_level.h"
#include "models/representations/canvas.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/corruptions.h"
#include "reproduce/langevin/loop_experiment.h"
#include "reproduce/langevin/measures.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;

/// Returns the mean noise level that D measures in latents, over the requested level.
double measure_level(LoopExperiment& experiment, const at::Tensor& latent, double sigma,
                     const CellContext& context) {
  const auto validation = experiment.domain.validation.x_0.to(latent.device());
  const auto error = estimate_mmse(*experiment.D.D, validation, sigma, context);
  return average(models::noise_level(*experiment.D.D, latent, sigma, error) / sigma);
}

/// Measures the canvas after each round of a loop that starts from x.
class RoundMeasures {
 public:
  RoundMeasures(const at::Tensor& x, LoopExperiment& experiment, CellContext& context)
      : x_(x), experiment_(experiment), context_(context) {
    const auto& record = context.record;
    // Round 0 is the start, whose content is exact: 60 dB is the largest value of mean_psnr().
    curves_ = {{"round", {0}},
               {"energy", {record.metric("energy_start").value_or(std::nan(""))}},
               {"confidence", {record.metric("confidence_start").value_or(std::nan(""))}},
               {"content", {60}}};
  }

  void add(const models::SynthesisRound& round, const at::Tensor& now) {
    curves_["round"].push_back(static_cast<double>(round.number + 1));
    // Only methods with an inversion have latents.
    if (round.nudge.x_sigma.defined()) {
      curves_["level_inverted"].push_back(
          measure_level(experiment_, round.nudge.x_sigma, round.sigma, context_));
      curves_["level_churned"].push_back(
          measure_level(experiment_, round.nudge.x_churned, round.sigma, context_));
    }
    curves_["energy"].push_back(experiment_.energy(now));
    curves_["confidence"].push_back(confidence(experiment_.evaluator.probabilities(now)));
    curves_["content"].push_back(mean_psnr(now.clamp(-1, 1), x_));
  }

  /// Adds the mean levels over all rounds, if the method has latents. Returns the curves.
  records::Curves finish(std::int64_t rounds) {
    for (const std::string name : {"level_inverted", "level_churned"}) {
      if (!curves_.contains(name)) continue;
      double mean = 0;
      for (const auto level : curves_[name]) mean += level / static_cast<double>(rounds);
      add_metric(context_.record, name, mean, Direction::Neither);
    }
    return curves_;
  }

 private:
  at::Tensor x_;
  LoopExperiment& experiment_;
  CellContext& context_;
  records::Curves curves_;
};

/// Runs a method's rounds from x and returns the end. Outside a search it also measures every
/// round, and fills `sheet` and `curves`.
at::Tensor run_loop(const at::Tensor& x, const Configuration& config, LoopExperiment& experiment,
                    CellContext& context, RoundSheet& sheet, records::Curves& curves) {
  const auto D_aux = load_auxiliary_denoiser(config.method, experiment.D, context);
  const auto options = synthesis_options(config, "churn", context.settings, experiment.seed);
  models::Canvas canvas(x);
  RoundMeasures measures(x, experiment, context);
  // A search compares only the ends of its trials.
  const bool followed = !records::is_trial(context.record.cell);
  run_rounds(canvas, config, *experiment.D.D, *D_aux, options, {},
             [&](const models::SynthesisRound& round) {
               report_round(round, options.rounds, context);
               if (!followed) return;
               const auto now = canvas.content().detach();
               measures.add(round, now);
               if (round.number % sheet_stride(options.rounds) == 0) sheet.add(now);
             });
  curves = measures.finish(options.rounds);
  return canvas.content().detach();
}

/// Measures -ln p of items by D'', as metric nll_START or nll_END.
class LikelihoodMeasure {
 public:
  LikelihoodMeasure(LoopExperiment& experiment, CellContext& context)
      : experiment_(experiment), context_(context) {
    // The likelihood is slow and is measured on the first items of a random order. Corruptions lie
    // in blocks of items, so that the first items as they come would have only one of them.
    const auto n = experiment.clean.size(0);
    order_ = torch::randperm(n, training::torch_generator(shared_seed(context, "likelihood items")),
                             at::TensorOptions(at::kLong))
                 .to(experiment.clean.device());
  }
  void record(const at::Tensor& x, const std::string& when) {
    const auto n = context_.settings.integer("churn.likelihood_items");
    add_metric(context_.record, "nll" + when, experiment_.nll(x.index_select(0, order_), n),
               Direction::LowerIsBetter, "nat a dimension");
  }

 private:
  LoopExperiment& experiment_;
  CellContext& context_;
  at::Tensor order_;
};

/// Records the corrupted digits and two bounds of the energy: clean digits and blank pictures.
void record_start(LoopExperiment& experiment, const at::Tensor& x, LikelihoodMeasure& likelihood,
                  CellContext& context) {
  auto& record = context.record;
  record_realism(experiment, x, "_start", context);
  likelihood.record(x, "_start");
  add_metric(record, "energy_clean", experiment.energy(experiment.clean), Direction::Neither);
  add_metric(record, "energy_blank", experiment.energy(torch::full_like(experiment.clean, -1)),
             Direction::Neither);
  record_agreement(experiment.evaluator, "label_start", experiment.evaluator.probabilities(x),
                   experiment.labels, true, record, Direction::Neither);
}

}  // namespace

void run_churn(CellContext& context) {
  auto& record = context.record;
  const auto config = choose_configuration(context);
  LoopExperiment experiment(context, "churn");
  const auto x = corrupt_items(experiment.clean, experiment.items_seed);
  LikelihoodMeasure likelihood(experiment, context);
  // Metrics of the start do not depend on the method, so trials skip them.
  const bool trial = records::is_trial(record.cell);
  if (!trial) record_start(experiment, x, likelihood, context);
  // Corruptions lie in blocks of items: a stride of a tenth of the items shows every one.
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
    likelihood.record(end, "_end");
    context.store.write_curves(record.cell, curves);
  }
  sheet.write(context.folder / "rounds.png");
}

}  // namespace reprise::reproduce::langevin_study
