// The networks of a domain: its priors and its evaluator.
#include <fmt/format.h>
#include <torch/torch.h>

#include <filesystem>

#include "core/sha256.h"
#include "experiments/base_network.h"
#include "experiments/resampling.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "training/fit.h"
#include "training/module_state.h"
#include "training/scripted_denoiser.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

std::vector<std::int64_t> to_integers(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

models::EvaluatorOptions make_evaluator_options(const DomainData& domain,
                                                const Settings& settings) {
  const models::EvaluatorOptions items{.channels = domain.metadata.item[0],
                                       .size = domain.metadata.item[1],
                                       .frames = 0,
                                       .classes = class_count(domain),
                                       .width = settings.integer("evaluator.width"),
                                       .steps_between_validations = 100,
                                       .items_at_once = 128,
                                       .hash_of_file = true};
  return evaluator_options(items, settings);
}

}  // namespace

std::string network_setting(const std::string& domain, Network network, const std::string& key) {
  return domain + (network == Network::Small ? ".small_" : ".") + key;
}

std::uint64_t network_seed(const CellContext& context) {
  const auto& cell = context.record.cell;
  return seed_of({"langevin", cell.dataset, cell.method, std::to_string(cell.seed)});
}

std::filesystem::path committed_checkpoint(const CellContext& context, Network network) {
  const auto committed = context.settings.text("prior.weights");
  return committed.empty()
             ? std::filesystem::path()
             : committed_weights(fmt::format("{}_{}_{}.safetensors", committed,
                                             context.record.cell.dataset, network_name(network)),
                                 context.data);
}

std::int64_t cell_data_seed(const CellContext& context) {
  return data_seed(context.settings, context.record.cell.seed);
}

std::int64_t prior_seed(const Settings& settings, std::int64_t seed) {
  const auto own = data_seed(settings, seed);
  const auto trained = settings.integer("prior.seeds");
  return trained > 0 ? own % trained : own;
}

std::uint64_t shared_seed(const CellContext& context, const std::string& purpose) {
  return seed_of(
      {"langevin", purpose, context.record.cell.dataset, std::to_string(cell_data_seed(context))});
}

DomainData load_cell_domain(const CellContext& context) {
  return load_domain(context.record.cell.dataset, context.settings, context.data,
                     cell_data_seed(context));
}

models::LabelledItems load_prior_items(const DomainData& domain, const CellContext& context) {
  const auto learnt = prior_seed(context.settings, context.record.cell.seed);
  // Loaded again only if another seed trained the prior.
  return learnt == cell_data_seed(context)
             ? domain.prior
             : load_domain(context.record.cell.dataset, context.settings, context.data, learnt)
                   .prior;
}

void run_evaluator(CellContext& context) {
  const auto domain = load_cell_domain(context);
  const auto device = cell_device(context);
  const auto to_examples = [&](const models::LabelledItems& items) {
    return training::Examples{.x = items.x_0.to(device),
                              .labels = class_indices(domain, items.labels).to(device)};
  };
  // Validation items stop the training; test items give its accuracy.
  train_evaluator({.options = make_evaluator_options(domain, context.settings),
                   .learned = to_examples(domain.evaluator),
                   .validation = to_examples(domain.validation),
                   .test = to_examples(domain.test),
                   .seed = network_seed(context)},
                  context);
}

models::Evaluator load_trained_evaluator(const CellContext& context, const DomainData& domain) {
  const auto options = make_evaluator_options(domain, context.settings);
  const auto committed = committed_checkpoint(context, Network::Evaluator);
  // The evaluator of seed 0 serves all seeds.
  const auto trained = cell(prior_table, context.record.cell.dataset,
                            network_name(Network::Evaluator), evaluator_seed);
  return committed.empty() ? load_evaluator(options, trained, context)
                           : load_evaluator(options, committed, context);
}

void run_prior(CellContext& context) {
  const auto network = find_network(context.record.cell.method);
  if (network == Network::Evaluator) return run_evaluator(context);
  const auto& settings = context.settings;
  const auto domain = load_cell_domain(context);
  // A setting of this network.
  const auto own = [&](const std::string& key) {
    return network_setting(context.record.cell.dataset, network, key);
  };
  // D'' learns from the evaluator's split, so that it is independent of D.
  const auto& learnt = network == Network::Other ? domain.evaluator : domain.prior;
  auto metadata = domain.metadata;
  metadata.noise = {settings.number("prior.P_mean"), settings.number("prior.P_std")};
  // The network predicts deviations from the mean picture, scaled by sigma_data.
  const auto mu = learnt.x_0.mean(0);
  metadata.sigma_data = (learnt.x_0 - mu).square().mean().sqrt().item<double>();
  const models::UNetOptions shape{
      .patch = settings.integer(context.record.cell.dataset + ".patch"),
      .channels = to_integers(settings.numbers(own("channels"))),
      .blocks = settings.integer(context.record.cell.dataset + ".blocks"),
      .attention = to_integers(settings.numbers(context.record.cell.dataset + ".attention")),
      .embedding = settings.integer("prior.embedding")};
  const auto device = cell_device(context);
  const auto to_device = [&device](const models::LabelledItems& items) {
    return models::LabelledItems{items.x_0.to(device), items.labels.to(device)};
  };
  const auto items = to_device(learnt);
  const models::DiffusionTask task{
      .draw = [&](std::int64_t n, Random& r) { return models::draw_items(items, n, r); },
      .validation = to_device(domain.validation),
      .batches_per_epoch = settings.integer("prior.steps_an_epoch"),
      .batch = settings.integer("prior.batch"),
      .learning_rate = settings.number("prior.learning_rate"),
      .noise = metadata.noise,
      .label_dropout = settings.number("prior.label_dropout")};
  models::Prior prior;
  const auto report = train_base_network(context, "", [&](std::int64_t draw) -> BaseTraining {
    // A repeated training has another random seed.
    const auto seed = seed_of_draw(network_seed(context), draw);
    Random random(seed);
    prior = models::new_prior(metadata, shape, mu, random);
    prior.D->to(device);
    const auto options = fit_options(settings, "prior", settings.integer(own("epochs")), seed,
                                     context.folder / "checkpoint.safetensors");
    // The loss is scaled so that an untrained network has 1
    // (models/diffusion/diffusion_training.h).
    return {.report = models::fit_denoiser(*prior.D, task, options, context.progress),
            .trivial_error = 1};
  });
  models::save_prior(prior, context.folder / "prior.safetensors");
  // The checkpoint is needed only until the prior is stored.
  std::filesystem::remove(context.folder / "checkpoint.safetensors");
  auto& record = context.record;
  for (const auto& [phase, seconds] : report.seconds) record.seconds[phase] = seconds;
  std::int64_t weights = 0;
  for (const auto& parameter : prior.D->parameters()) weights += parameter.numel();
  record.parameters["all"] = weights;
  // Which precision the device used.
  add_metric(record, "bfloat16", report.precision == training::Precision::BFloat16 ? 1 : 0,
             records::Direction::Neither, "", "passes in bfloat16 rather than float32");
  add_metric(record, "validation_loss",
             report.validation_error.at(static_cast<std::size_t>(report.best_epoch)),
             records::Direction::LowerIsBetter);
  context.store.write_curves(record.cell, {{"train_loss", report.train_loss},
                                           {"validation_loss", report.validation_error}});
}

models::Prior load_trained_prior(const CellContext& context, Network network) {
  const auto& own = context.record.cell;
  const auto from = prior_seed(context.settings, own.seed);
  const auto trained =
      context.store.folder(cell(prior_table, own.dataset, network_name(network), from)) /
      "prior.safetensors";
  const auto committed = committed_checkpoint(context, network);
  return models::load_prior(committed.empty() ? trained : committed, cell_device(context));
}

std::shared_ptr<models::Denoiser> load_auxiliary_denoiser(const PriorMethod& method,
                                                          const models::Prior& D,
                                                          const CellContext& context) {
  // An external method brings D'.
  if (!method.aux_script.empty())
    return std::make_shared<training::ScriptedDenoiser>(method.aux_script, cell_device(context));
  return method.aux == Network::Main ? D.D : load_trained_prior(context, method.aux).D;
}

}  // namespace reprise::reproduce::langevin_study
