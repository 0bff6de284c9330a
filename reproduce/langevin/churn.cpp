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
#include "reproduce/langevin/corruptions.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/langevin/variants.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;

/// What every one of these tables starts from.
struct Bench {
  DomainData domain;
  models::Prior D, other;
  models::Evaluator evaluator;
  std::uint64_t seed,
      items_seed;  ///< of what the method draws, and of what is done to the items before
  std::uint64_t likelihood_seed, energy_seed;  ///< of the noise of these measures
  at::Tensor clean, labels;      ///< validation items of a search cell, else test items
  models::LabelledItems others;  ///< as many more of the same part
  at::Tensor features;           ///< the evaluator's, of the clean items
  explicit Bench(const CellContext& context, const std::string& section)
      : domain(domain_data(context)),
        D(trained_prior(context, Network::Main)),
        other(trained_prior(context, Network::Other)),
        evaluator(trained_evaluator(context, domain)) {
    const auto& cell = context.record.cell;
    seed = seed_of({"langevin", cell.table, cell.dataset, std::to_string(cell.seed)});
    items_seed =
        seed_of({"langevin", cell.table, cell.dataset, std::to_string(data_seed_of(context))});
    likelihood_seed = shared_seed(context, "likelihood"),
    energy_seed = shared_seed(context, "energy");
    const auto& part = evaluation_items(domain, cell);
    const auto n = std::min(context.settings.integer(section + ".items"), part.x_0.size(0));
    clean = part.x_0.slice(0, 0, n).to(device_of_context(context));
    labels = part.labels.slice(0, 0, n);
    others = {part.x_0.slice(0, n, 2 * n).to(clean.device()), part.labels.slice(0, n, 2 * n)};
    features = evaluator.features(clean);
  }
  /// -ln p a dimension by the ODE of the network that measures likelihood, of the first items.
  double nll(const at::Tensor& x, std::int64_t n) {
    const auto some = x.slice(0, 0, n);
    const auto signs = models::random_signs(some, training::torch_generator(likelihood_seed));
    const models::LikelihoodOptions options{.sigma_max = other.sigma_high(),
                                            .sigma_data = other.facts.sigma_data};
    return average(models::in_batches(some.size(0), 64, [&](const auto& part) {
      return models::negative_log_likelihood(*other.D, part(some), part(signs), options,
                                             other.D->mu());
    }));
  }
  double energy(const at::Tensor& x) { return average(denoising_energy(*other.D, x, energy_seed)); }
};

/// SDEdit's sampler goes down to where D has learnt, as that of every other sample does.
models::SamplerOptions sdedit_sampler(const Bench& bench, const CellContext& context) {
  return models::stochastic(
      models::sampler_over(bench.D, context.settings.integer("quality.steps")));
}

/// How realistic items are, each metric with `when` behind its name. Returns the evaluator's
/// probabilities.
at::Tensor note_realism(Bench& bench, const at::Tensor& x, const std::string& when,
                        CellContext& context) {
  auto& record = context.record;
  auto probabilities = bench.evaluator.probabilities(x);
  note(record, "energy" + when, bench.energy(x), Direction::LowerIsBetter);
  note_confidence(bench.evaluator, "confidence" + when, probabilities, record);
  note_distances(bench.evaluator, bench.evaluator.features(x), bench.features, when, context);
  return probabilities;
}

/// Ten objects from start to end, a row a round shown: the first, or every `apart`th.
class Strip {
 public:
  explicit Strip(std::int64_t apart = 1) : apart_(apart) {}
  void add(const at::Tensor& x) {
    rows_.push_back(x.slice(0, 0, 10 * apart_, apart_).detach().clone().cpu());
  }
  void write(const std::filesystem::path& path) const {
    write_sheet(path, torch::cat(rows_), 10 * static_cast<std::int64_t>(rows_.size()),
                rows_[0].size(0));
  }

 private:
  std::int64_t apart_;
  std::vector<at::Tensor> rows_;
};

/// The level that D finds in a latent over the one asked for, the mean over items.
double found_level(Bench& bench, const at::Tensor& latent, double sigma,
                   const CellContext& context) {
  const auto validation = bench.domain.validation.x_0.to(latent.device());
  return average(models::noise_level(*bench.D.D, latent, sigma,
                                     least_error(*bench.D.D, validation, sigma, context)) /
                 sigma);
}

/// The rounds of a method from x on; where they are followed, the levels before and after each
/// churn too. Returns where they end.
at::Tensor churned(const at::Tensor& x, const Variant& variant, Bench& bench, CellContext& context,
                   Strip& strip, records::Curves& curves) {
  auto& record = context.record;
  const auto D_aux = auxiliary(variant.method, bench.D, context);
  const auto options = synthesis_options(variant, "churn", context.settings, bench.seed);
  models::Canvas canvas(x);
  const bool followed = !records::is_trial(record.cell);
  curves = {{"round", {0}},
            {"energy", {record.metric("energy_start").value_or(std::nan(""))}},
            {"confidence", {record.metric("confidence_start").value_or(std::nan(""))}},
            {"content", {60}}};
  double inverted = 0, churned = 0;
  run_rounds(canvas, variant, *bench.D.D, *D_aux, options, {}, [&](const models::Round& round) {
    show_round(round, options.rounds, context);
    if (!followed) return;
    const auto now = canvas.content().detach();
    curves["round"].push_back(static_cast<double>(round.number + 1));
    if (round.nudge.x_sigma.defined()) {
      const double before = found_level(bench, round.nudge.x_sigma, round.sigma, context),
                   after = found_level(bench, round.nudge.x_churned, round.sigma, context);
      inverted += before / static_cast<double>(options.rounds);
      churned += after / static_cast<double>(options.rounds);
      curves["level_inverted"].push_back(before);
      curves["level_churned"].push_back(after);
    }
    curves["energy"].push_back(bench.energy(now));
    curves["confidence"].push_back(confidence(bench.evaluator.probabilities(now)));
    curves["content"].push_back(mean_psnr(now.clamp(-1, 1), x));
    if (round.number % std::max<std::int64_t>(1, options.rounds / 4) == 0) strip.add(now);
  });
  if (inverted > 0) {
    note(record, "level_inverted", inverted, Direction::Neither);
    note(record, "level_churned", churned, Direction::Neither);
  }
  return canvas.content().detach();
}

}  // namespace

void run_churn(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto variant = chosen_variant(context);
  Bench bench(context, "churn");
  const auto x = off_manifold(bench.clean, bench.items_seed);
  // Every corruption has its share in the first items too.
  const auto spread =
      torch::randperm(x.size(0),
                      training::torch_generator(shared_seed(context, "likelihood items")),
                      at::TensorOptions(at::kLong))
          .to(x.device());
  const auto likelihood = [&](const at::Tensor& at, const std::string& when) {
    note(record, "nll" + when,
         bench.nll(at.index_select(0, spread), settings.integer("churn.likelihood_items")),
         Direction::LowerIsBetter, "nat a dimension");
  };
  const bool trial = records::is_trial(record.cell);
  if (!trial) {
    note_realism(bench, x, "_start", context);
    likelihood(x, "_start");
    note(record, "energy_clean", bench.energy(bench.clean), Direction::Neither);
    note(record, "energy_blank", bench.energy(torch::full_like(bench.clean, -1)),
         Direction::Neither);
    note_agreement(bench.evaluator, "label_start", bench.evaluator.probabilities(x), bench.labels,
                   true, record, Direction::Neither);
  }
  Strip strip(std::max<std::int64_t>(1, x.size(0) / 10));  // of every corruption some
  strip.add(bench.clean);
  strip.add(x);
  records::Curves curves;
  const auto algorithm = variant.method.algorithm;
  const bool real = algorithm == Algorithm::RealItems;
  at::Tensor end = real ? bench.others.x_0 : x;
  if (algorithm == Algorithm::Sdedit)
    end = baselines::sdedit(*bench.D.D, x, variant.or_else("sigma", 1),
                            sdedit_sampler(bench, context), training::torch_generator(bench.seed));
  else if (goes_by_rounds(variant.method))
    end = churned(x, variant, bench, context, strip, curves);
  strip.add(end);
  const auto probabilities = note_realism(bench, end, "_end", context);
  note_agreement(bench.evaluator, "label_kept", probabilities,
                 real ? bench.others.labels : bench.labels, true, record);
  if (!real) {
    note(record, "content", mean_psnr(end.clamp(-1, 1), x), Direction::HigherIsBetter, "dB");
    note(record, "to_clean", mean_psnr(end.clamp(-1, 1), bench.clean), Direction::HigherIsBetter,
         "dB");
  }
  if (!trial) {
    for (const std::string metric : {"label_kept", "content", "log_frechet_end", "energy_end"})
      if (const auto value = record.metric(metric)) curves["one_" + metric] = {*value};
    likelihood(end, "_end");
    context.store.write_curves(record.cell, curves);
  }
  strip.write(context.folder / "rounds.png");
}

void run_steering(CellContext& context) {
  auto& record = context.record;
  const auto variant = chosen_variant(context);
  Bench bench(context, "steering");
  const auto guidance = variant.or_else("guidance", 1);
  const auto D = models::guided(bench.D, guidance);
  const auto wanted = (bench.labels + 3).remainder(class_count(bench.domain));
  Strip strip;
  strip.add(bench.clean);
  // guidance 0: D without a label, the control.
  const models::Conditions conditions{.D = guidance == 0 ? at::Tensor()
                                                         : wanted.to(bench.clean.device())};
  const auto options = synthesis_options(variant, "steering", context.settings, bench.seed);
  models::Canvas canvas(bench.clean);
  if (variant.method.algorithm == Algorithm::Sdedit) {
    canvas.fit(canvas.windows(0),
               baselines::sdedit(*D, bench.clean, variant.or_else("sigma", 1),
                                 sdedit_sampler(bench, context),
                                 training::torch_generator(bench.seed), conditions.D));
    strip.add(canvas.content());
  } else {
    run_rounds(canvas, variant, *D, *auxiliary(variant.method, bench.D, context), options,
               conditions, [&](const models::Round& round) {
                 show_round(round, options.rounds, context);
                 if ((round.number + 1) % std::max<std::int64_t>(1, options.rounds / 4) == 0)
                   strip.add(canvas.content());
               });
  }
  const auto end = canvas.content().detach();
  const auto probabilities = bench.evaluator.probabilities(end);
  note_agreement(bench.evaluator, "target_reached", probabilities, wanted, true, record);
  note_agreement(bench.evaluator, "label_kept", probabilities, bench.labels, true, record,
                 Direction::Neither);
  note(record, "content", mean_psnr(end.clamp(-1, 1), bench.clean), Direction::HigherIsBetter,
       "dB");
  note_realism(bench, end, "", context);
  strip.write(context.folder / "rounds.png");
}

void run_completion(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto variant = chosen_variant(context);
  Bench bench(context, "completion");
  const auto width = bench.clean.size(3), half = width / 2;
  auto known = torch::zeros_like(bench.clean);
  known.slice(3, 0, half).fill_(1);
  const auto hold = [&](const at::Tensor& x) { return torch::where(known > 0, bench.clean, x); };
  auto end = hold(torch::full_like(bench.clean, -1));
  Strip strip;
  strip.add(bench.clean);
  strip.add(end);
  if (variant.method.algorithm == Algorithm::Repaint ||
      variant.method.algorithm == Algorithm::Sdedit) {
    const bool from_start = variant.method.algorithm == Algorithm::Sdedit;
    end = baselines::repaint(
        *bench.D.D, bench.clean, known,
        {.levels = {.steps = settings.integer("completion.rounds"),
                    .sigma_min = settings.number("inversion.sigma_min"),
                    .sigma_max = from_start ? variant.or_else("sigma", 1) : bench.D.sigma_high()},
         .resamplings = static_cast<std::int64_t>(variant.or_else("U", 1)),
         .start = from_start ? end : at::Tensor()},
        training::torch_generator(bench.seed));
  } else if (goes_by_rounds(variant.method)) {
    const auto D_aux = auxiliary(variant.method, bench.D, context);
    const auto options = synthesis_options(variant, "completion", settings, bench.seed);
    models::Canvas canvas(end);
    run_rounds(canvas, variant, *bench.D.D, *D_aux, options, {}, [&](const models::Round& round) {
      const torch::NoGradGuard no_grad;
      show_round(round, options.rounds, context);
      canvas.content().copy_(hold(canvas.content()));
      if ((round.number + 1) % std::max<std::int64_t>(1, options.rounds / 4) == 0)
        strip.add(canvas.content());
    });
    end = canvas.content().detach();
  }
  strip.add(end);
  note_agreement(bench.evaluator, "label_right", bench.evaluator.probabilities(end), bench.labels,
                 true, record);
  note(record, "psnr_unknown",
       mean_psnr(end.slice(3, half).clamp(-1, 1), bench.clean.slice(3, half)),
       Direction::HigherIsBetter, "dB");
  note(record, "seam", metrics::seam_energy(end, 3, {half}), Direction::Neither, "",
       "seam over elsewhere");
  note(record, "seam_real", metrics::seam_energy(bench.clean, 3, {half}), Direction::Neither, "",
       "seam over elsewhere");
  note_realism(bench, end, "", context);
  strip.write(context.folder / "rounds.png");
}

void run_painting(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto variant = chosen_variant(context);
  Bench bench(context, "painting");
  const auto measure = [&](const at::Tensor& end, const at::Tensor& wanted) {
    note_agreement(bench.evaluator, "target_reached", bench.evaluator.probabilities(end), wanted,
                   true, record);
    note_realism(bench, end, "", context);
  };
  if (variant.method.algorithm == Algorithm::RealItems)
    return measure(bench.others.x_0, bench.others.labels);
  const auto n = bench.clean.size(0);
  const auto wanted = torch::arange(n, at::kLong).remainder(class_count(bench.domain));
  const models::Conditions conditions{.D = wanted.to(bench.clean.device())};
  const auto D =
      models::guided(bench.D, variant.or_else("guidance", settings.number("painting.guidance")));
  std::unique_ptr<models::Representation> phi;
  if (variant.method.painter == Painter::Pixels) {
    phi = std::make_unique<models::Canvas>(torch::zeros_like(bench.clean));  // a grey picture
  } else {
    phi = std::make_unique<models::CoordinateImages>(
        models::CoordinateImagesOptions{.images = n,
                                        .channels = bench.clean.size(1),
                                        .height = bench.clean.size(2),
                                        .width = bench.clean.size(3),
                                        .fit = {.steps = settings.integer("painting.fit_steps"),
                                                .rate = settings.number("painting.fit_rate")},
                                        .seed = bench.seed});
    phi->to(bench.clean.device());
  }
  Random any(shared_seed(context, "views"));
  const auto all = phi->views(any);
  const auto shown = [&] {
    const torch::NoGradGuard no_grad;
    return phi->render(all).detach();
  };
  Strip strip;
  const auto options = synthesis_options(variant, "painting", settings, bench.seed);
  const auto after = [&](const models::Round& round) {
    show_round(round, options.rounds, context);
    if (round.number % std::max<std::int64_t>(1, options.rounds / 4) == 0) strip.add(shown());
  };
  if (variant.method.algorithm == Algorithm::ScoreDistillation) {
    baselines::distil(*phi, *D,
                      {.steps = settings.integer("painting.sds_steps"),
                       .rate = variant.or_else("rate", 3e-3),
                       .sigma_min = settings.number("painting.last"),
                       .sigma_max = variant.or_else("first", settings.number("painting.first")),
                       .seed = bench.seed},
                      conditions.D);
  } else {
    run_rounds(*phi, variant, *D, *bench.D.D, options, conditions, after);
  }
  const auto end = shown();
  strip.add(end);
  strip.write(context.folder / "rounds.png");
  measure(end, wanted);
}

}  // namespace reprise::reproduce::langevin_study
