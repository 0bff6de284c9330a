// Tables steering, completion and painting: uses of Algorithm 1 on digits.
#include <torch/torch.h>

#include <memory>

#include "baselines/diffusion/repaint.h"
#include "baselines/diffusion/score_distillation.h"
#include "baselines/diffusion/sdedit.h"
#include "metrics/seams.h"
#include "models/representations/canvas.h"
#include "models/representations/coordinate_images.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/loop_experiment.h"
#include "reproduce/langevin/measures.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;

/// Protocol of metrics seam and seam_real.
const std::string seam_protocol = "seam over elsewhere";

}  // namespace

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
                 if ((round.number + 1) % sheet_stride(options.rounds) == 0)
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

namespace {

/// Digits whose left half is known.
struct HalfKnown {
  at::Tensor clean;
  at::Tensor known;  ///< 1 where a pixel is known, else 0

  explicit HalfKnown(const at::Tensor& digits) : clean(digits), known(torch::zeros_like(digits)) {
    known.slice(3, 0, border()).fill_(1);
  }
  std::int64_t border() const { return clean.size(3) / 2; }
  /// Returns x with the known half of the digits.
  at::Tensor restore(const at::Tensor& x) const { return torch::where(known > 0, clean, x); }
};

/// Completes digits by a sampler that restores the known half at every level.
at::Tensor complete_by_sampling(const HalfKnown& digits, const at::Tensor& start,
                                const Configuration& config, LoopExperiment& experiment,
                                const Settings& settings) {
  // SDEdit starts from the blank half at its own level, RePaint from noise at the highest one.
  const bool from_start = config.method.algorithm == Algorithm::Sdedit;
  const auto sigma_max = from_start ? config.value_or("sigma", 1) : experiment.D.sigma_high();
  return baselines::repaint(*experiment.D.D, digits.clean, digits.known,
                            {.levels = {.steps = settings.integer("completion.rounds"),
                                        .sigma_min = settings.number("inversion.sigma_min"),
                                        .sigma_max = sigma_max},
                             .resamplings = static_cast<std::int64_t>(config.value_or("U", 1)),
                             .start = from_start ? start : at::Tensor()},
                            training::torch_generator(experiment.seed));
}

/// Completes digits by rounds, and adds one per quarter to the sheet.
at::Tensor complete_by_rounds(const HalfKnown& digits, const at::Tensor& start,
                              const Configuration& config, LoopExperiment& experiment,
                              CellContext& context, RoundSheet& sheet) {
  const auto D_aux = load_auxiliary_denoiser(config.method, experiment.D, context);
  const auto options = synthesis_options(config, "completion", context.settings, experiment.seed);
  models::Canvas canvas(start);
  run_rounds(canvas, config, *experiment.D.D, *D_aux, options, {},
             [&](const models::SynthesisRound& round) {
               const torch::NoGradGuard no_grad;
               report_round(round, options.rounds, context);
               // A round changes both halves, so the known one is restored after each.
               canvas.content().copy_(digits.restore(canvas.content()));
               if ((round.number + 1) % sheet_stride(options.rounds) == 0)
                 sheet.add(canvas.content());
             });
  return canvas.content().detach();
}

}  // namespace

void run_completion(CellContext& context) {
  auto& record = context.record;
  const auto config = choose_configuration(context);
  LoopExperiment experiment(context, "completion");
  const HalfKnown digits(experiment.clean);
  // The missing half starts black.
  auto end = digits.restore(torch::full_like(experiment.clean, -1));
  RoundSheet sheet;
  sheet.add(experiment.clean);
  sheet.add(end);
  const auto algorithm = config.method.algorithm;
  if (algorithm == Algorithm::Repaint || algorithm == Algorithm::Sdedit)
    end = complete_by_sampling(digits, end, config, experiment, context.settings);
  else if (runs_in_rounds(config.method))
    end = complete_by_rounds(digits, end, config, experiment, context, sheet);
  sheet.add(end);
  record_agreement(experiment.evaluator, "label_right", experiment.evaluator.probabilities(end),
                   experiment.labels, true, record);
  // The known half is equal in all methods, so only the other half is compared.
  const auto border = digits.border();
  add_metric(record, "psnr_unknown",
             mean_psnr(end.slice(3, border).clamp(-1, 1), experiment.clean.slice(3, border)),
             Direction::HigherIsBetter, "dB");
  add_metric(record, "seam", metrics::seam_energy(end, 3, {border}), Direction::Neither, "",
             seam_protocol);
  add_metric(record, "seam_real", metrics::seam_energy(experiment.clean, 3, {border}),
             Direction::Neither, "", seam_protocol);
  record_realism(experiment, end, "", context);
  sheet.write(context.folder / "rounds.png");
}

namespace {

/// Makes the representation of a painter: grey pixels, or one coordinate network per picture.
std::unique_ptr<models::Representation> make_painting(Painter painter,
                                                      const LoopExperiment& experiment,
                                                      const Settings& settings) {
  const auto& clean = experiment.clean;
  if (painter == Painter::Pixels) return std::make_unique<models::Canvas>(torch::zeros_like(clean));
  auto networks = std::make_unique<models::CoordinateImages>(
      models::CoordinateImagesOptions{.images = clean.size(0),
                                      .channels = clean.size(1),
                                      .height = clean.size(2),
                                      .width = clean.size(3),
                                      .fit = {.steps = settings.integer("painting.fit_steps"),
                                              .rate = settings.number("painting.fit_rate")},
                                      .seed = experiment.seed});
  networks->to(clean.device());
  return networks;
}

}  // namespace

void run_painting(CellContext& context) {
  const auto& settings = context.settings;
  const auto config = choose_configuration(context);
  LoopExperiment experiment(context, "painting");
  const auto measure = [&](const at::Tensor& end, const at::Tensor& wanted) {
    record_agreement(experiment.evaluator, "target_reached",
                     experiment.evaluator.probabilities(end), wanted, true, context.record);
    record_realism(experiment, end, "", context);
  };
  if (config.method.algorithm == Algorithm::RealItems)
    return measure(experiment.others.x_0, experiment.others.labels);
  // Classes take turns, so that each is painted equally often.
  const auto wanted =
      torch::arange(experiment.clean.size(0), at::kLong).remainder(class_count(experiment.domain));
  const models::Conditions conditions{.D = wanted.to(experiment.clean.device())};
  const auto D = models::make_guided_denoiser(
      experiment.D, config.value_or("guidance", settings.number("painting.guidance")));
  const auto phi = make_painting(config.method.painter, experiment, settings);
  // A view is a whole picture, so that the random numbers do not matter.
  Random any(shared_seed(context, "views"));
  const auto all = phi->views(any);
  const auto render = [&] {
    const torch::NoGradGuard no_grad;
    return phi->render(all).detach();
  };
  RoundSheet sheet;
  const auto options = synthesis_options(config, "painting", settings, experiment.seed);
  if (config.method.algorithm == Algorithm::ScoreDistillation) {
    baselines::distil(*phi, *D,
                      {.steps = settings.integer("painting.sds_steps"),
                       .rate = config.value_or("rate", 3e-3),
                       .sigma_min = settings.number("painting.last"),
                       .sigma_max = config.value_or("first", settings.number("painting.first")),
                       .seed = experiment.seed},
                      conditions.D);
  } else {
    run_rounds(*phi, config, *D, *experiment.D.D, options, conditions,
               [&](const models::SynthesisRound& round) {
                 report_round(round, options.rounds, context);
                 if (round.number % sheet_stride(options.rounds) == 0) sheet.add(render());
               });
  }
  const auto end = render();
  sheet.add(end);
  sheet.write(context.folder / "rounds.png");
  measure(end, wanted);
}

}  // namespace reprise::reproduce::langevin_study
