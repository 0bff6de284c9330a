#include "reproduce/langevin/loop_experiment.h"

#include <torch/torch.h>

#include <algorithm>

#include "models/diffusion/likelihood.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/measures.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {

LoopExperiment::LoopExperiment(const CellContext& context, const std::string& section)
    : domain(load_cell_domain(context)),
      D(load_trained_prior(context, Network::Main)),
      other(load_trained_prior(context, Network::Other)),
      evaluator(load_trained_evaluator(context, domain)) {
  const auto& cell = context.record.cell;
  // Every seed has its own noise of the method. Items and noise of measures follow the data seed,
  // which seeds can share.
  seed = seed_of({"langevin", cell.table, cell.dataset, std::to_string(cell.seed)});
  items_seed =
      seed_of({"langevin", cell.table, cell.dataset, std::to_string(cell_data_seed(context))});
  likelihood_seed = shared_seed(context, "likelihood");
  energy_seed = shared_seed(context, "energy");
  const auto& part = evaluation_items(domain, cell);
  const auto n = std::min(context.settings.integer(section + ".items"), part.x_0.size(0));
  clean = part.x_0.slice(0, 0, n).to(cell_device(context));
  labels = part.labels.slice(0, 0, n);
  others = {.x_0 = part.x_0.slice(0, n, 2 * n).to(clean.device()),
            .labels = part.labels.slice(0, n, 2 * n)};
  features = evaluator.features(clean);
}

double LoopExperiment::nll(const at::Tensor& x, std::int64_t n) {
  const auto some = x.slice(0, 0, n);
  // Hutchinson's estimate of the divergence uses random signs. One seed gives all methods the same
  // signs, so that their differences do not contain this noise.
  const auto signs = models::random_signs(some, training::torch_generator(likelihood_seed));
  const models::LikelihoodOptions options{.sigma_max = other.sigma_high(),
                                          .sigma_data = other.metadata.sigma_data};
  return average(models::map_batches(some.size(0), 64, [&](const auto& part) {
    return models::negative_log_likelihood(*other.D, part(some), part(signs), options,
                                           other.D->mu());
  }));
}

double LoopExperiment::energy(const at::Tensor& x) {
  return average(denoising_energy(*other.D, x, energy_seed));
}

models::SamplerOptions make_sdedit_sampler(const LoopExperiment& experiment,
                                           const CellContext& context) {
  return models::make_stochastic(
      models::make_sampler_options(experiment.D, context.settings.integer("quality.steps")));
}

at::Tensor record_realism(LoopExperiment& experiment, const at::Tensor& x, const std::string& when,
                          CellContext& context) {
  auto& record = context.record;
  auto probabilities = experiment.evaluator.probabilities(x);
  add_metric(record, "energy" + when, experiment.energy(x), records::Direction::LowerIsBetter);
  record_confidence(experiment.evaluator, "confidence" + when, probabilities, record);
  record_distances(experiment.evaluator, experiment.evaluator.features(x), experiment.features,
                   when, context);
  return probabilities;
}

void RoundSheet::add(const at::Tensor& x) {
  // A copy, because the loop changes its canvas in place.
  rows_.push_back(x.slice(0, 0, 10 * stride_, stride_).detach().clone().cpu());
}

void RoundSheet::write(const std::filesystem::path& path) const {
  // With fewer than ten items the sheet has fewer columns.
  write_sheet(path, torch::cat(rows_), 10 * static_cast<std::int64_t>(rows_.size()),
              rows_[0].size(0));
}

std::int64_t sheet_stride(std::int64_t rounds) { return std::max<std::int64_t>(1, rounds / 4); }

}  // namespace reprise::reproduce::langevin_study
