// The networks of a world: priors, and the judge.
#include <fmt/format.h>
#include <torch/torch.h>

#include <filesystem>

#include "core/sha256.h"
#include "metrics/classification.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/replicates.h"
#include "training/fit.h"
#include "training/module_state.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

constexpr std::int64_t steps_between_validations = 100;  // of a judge

std::vector<std::int64_t> whole_numbers(const std::vector<double>& values) { return {values.begin(), values.end()}; }

std::uint64_t network_seed(const CellContext& context) {
  const auto& cell = context.record.cell;
  return seed_of({"langevin", cell.dataset, cell.method, std::to_string(cell.seed)});
}

/// "WORLD.KEY", of the small network "WORLD.small_KEY".
std::string key_of(const CellContext& context, const std::string& key) {
  const auto& cell = context.record.cell;
  return cell.dataset + (cell.method == "small" ? ".small_" : ".") + key;
}

models::Backbone judge_network(const World& world, const Settings& settings, std::uint64_t seed) {
  Random random(seed);
  return models::small_network({.channels = world.facts.item[0],
                                .size = world.facts.item[1],
                                .trunk = settings.text("judge.trunk"),
                                .width = settings.integer("judge.width"),
                                .outputs = class_count(world)},
                               random);
}

constexpr auto penultimate = "fc7";

/// The file that the setting prior.weights names for a network of this cell's world; "" where the cell of table prior has it.
std::filesystem::path kept_network(const CellContext& context, const std::string& name) {
  const auto kept = context.settings.text("prior.weights");
  return kept.empty() ? std::filesystem::path()
                      : kept_weights(fmt::format("{}_{}_{}.safetensors", kept, context.record.cell.dataset, name));
}

}  // namespace

std::int64_t data_seed_of(const CellContext& context) { return data_seed(context.settings, context.record.cell.seed); }

World world_of(const CellContext& context) {
  return world_named(context.record.cell.dataset, context.settings, context.data, data_seed_of(context));
}

void run_prior(CellContext& context) {
  const auto& settings = context.settings;
  const auto world = world_of(context);
  const auto& learnt = context.record.cell.method == "other" ? world.judge : world.prior;
  Random random(network_seed(context));
  auto facts = world.facts;
  facts.noise = {settings.number("prior.P_mean"), settings.number("prior.P_std")};
  const auto mu = learnt.x_0.mean(0);
  facts.sigma_data = (learnt.x_0 - mu).square().mean().sqrt().item<double>();
  const auto prior = models::new_prior(facts,
                                       {.patch = settings.integer(context.record.cell.dataset + ".patch"),
                                        .channels = whole_numbers(settings.numbers(key_of(context, "channels"))),
                                        .blocks = settings.integer(context.record.cell.dataset + ".blocks"),
                                        .attention = whole_numbers(settings.numbers(context.record.cell.dataset + ".attention")),
                                        .embedding = settings.integer("prior.embedding")},
                                       mu, random);
  const auto device = device_of_context(context);
  prior.D->to(device);
  const auto there = [&device](const models::LabelledItems& items) {
    return models::LabelledItems{items.x_0.to(device), items.labels.to(device)};
  };
  const auto items = there(learnt);
  const models::DiffusionTask task{.draw = [&](std::int64_t n, Random& r) { return models::drawn(items, n, r); },
                                   .validation = there(world.validation),
                                   .batches_per_epoch = settings.integer("prior.steps_an_epoch"),
                                   .batch = settings.integer("prior.batch"),
                                   .learning_rate = settings.number("prior.learning_rate"),
                                   .noise = facts.noise,
                                   .label_dropout = settings.number("prior.label_dropout")};
  const auto report = models::fit_denoiser(*prior.D, task,
                                           with_rounding({.epochs = settings.integer(key_of(context, "epochs")),
                                                          .warmup_steps = settings.integer("prior.warmup_steps"),
                                                          .clip_norm = settings.number("prior.clip_norm"),
                                                          .ema_decay = settings.number("prior.ema_decay"),
                                                          .seed = network_seed(context),
                                                          .checkpoint = context.folder / "checkpoint.safetensors"},
                                                         settings),
                                           context.progress);
  models::save_prior(prior, context.folder / "prior.safetensors");
  std::filesystem::remove(context.folder / "checkpoint.safetensors");
  auto& record = context.record;
  for (const auto& [phase, seconds] : report.seconds) record.seconds[phase] = seconds;
  std::int64_t weights = 0;
  for (const auto& parameter : prior.D->parameters()) weights += parameter.numel();
  record.parameters["all"] = weights;
  note(record, "validation_loss", report.validation_error.at(static_cast<std::size_t>(report.best_epoch)),
       records::Direction::LowerIsBetter);
  context.store.write_curves(record.cell, {{"train_loss", report.train_loss}, {"validation_loss", report.validation_error}});
}

models::Prior trained_prior(const CellContext& context, const std::string& name) {
  const auto& own = context.record.cell;
  const auto trained = context.store.folder(cell("prior", own.dataset, name, data_seed_of(context))) / "prior.safetensors";
  const auto kept = kept_network(context, name);
  return models::load_prior(kept.empty() ? trained : kept, device_of_context(context));
}

void run_judge(CellContext& context) {
  const auto& settings = context.settings;
  const auto world = world_of(context);
  auto network = judge_network(world, settings, network_seed(context));
  const auto device = device_of_context(context);
  network->to(device);
  const auto x = world.judge.x_0.to(device), y = classes_of(world, world.judge.labels).to(device);
  const auto wrong = [&](const models::LabelledItems& items) {
    const auto guessed = models::in_batches(items.x_0.size(0), 128,
                                            [&](const auto& part) { return network->forward(part(items.x_0).to(device)).argmax(1).cpu(); });
    return 1 - metrics::accuracy(guessed, classes_of(world, items.labels));
  };
  const auto batch = settings.integer("judge.batch"), steps = settings.integer("judge.steps");
  const training::Task task{
      .batches_per_epoch = std::min(steps, steps_between_validations),
      .batch = [&](std::int64_t, std::int64_t, Random& random) -> training::Batch {
        const auto items = models::drawn({x, y}, batch, random);
        return {items.x_0, items.labels};
      },
      .forward = [&](const torch::Tensor& items) { return network->forward(items); },
      .loss = [](const torch::Tensor& scores, const torch::Tensor& labels) { return torch::cross_entropy_loss(scores, labels); },
      .validate = [&] { return wrong(world.validation); }};
  const auto report = training::fit(*network, {{network->parameters(), settings.number("judge.learning_rate")}}, task,
                                    with_rounding({.epochs = (steps + steps_between_validations - 1) / steps_between_validations,
                                                   .seed = network_seed(context),
                                                   .checkpoint = context.folder / "checkpoint.safetensors"},
                                                  settings),
                                    context.progress);
  training::save_weights(*network, context.folder / "weights.safetensors");
  std::filesystem::remove(context.folder / "checkpoint.safetensors");
  {
    const torch::NoGradGuard no_grad;
    note(context.record, "accuracy", 1 - wrong(world.test), records::Direction::HigherIsBetter, "", metrics::accuracy_protocol);
  }
  context.store.write_curves(context.record.cell, {{"train_loss", report.train_loss}, {"validation_error", report.validation_error}});
}

Judge::Judge(const CellContext& context, const World& world) : network_(judge_network(world, context.settings, 0)) {
  const auto& own = context.record.cell;
  const auto trained = context.store.folder(cell("prior", own.dataset, "judge", data_seed_of(context))) / "weights.safetensors";
  const auto kept = kept_network(context, "judge");
  training::load_weights(*network_, kept.empty() ? trained : kept);
  // What the extractor is: its settings and what it learnt from. Its weights differ from seed to seed, as everything of a replicate does.
  nlohmann::json identity{{"data", world.facts.data}, {"items", world.judge.x_0.size(0)}, {"shape", world.facts.item}};
  for (const auto& [key, value] : context.settings.all().items())
    if (key.starts_with("judge.")) identity[key] = value;
  hash_ = sha256(identity.dump()).substr(0, 8);
  network_->to(device_of_context(context));
  network_->eval();
}

at::Tensor Judge::probabilities(const at::Tensor& items) {
  const torch::NoGradGuard no_grad;
  return models::in_batches(items.size(0), 128,
                            [&](const auto& part) { return network_->forward(part(items).clamp(-1, 1)).softmax(1).cpu(); });
}

at::Tensor Judge::features(const at::Tensor& items) {
  const torch::NoGradGuard no_grad;
  return models::in_batches(items.size(0), 128,
                            [&](const auto& part) { return network_->features(part(items).clamp(-1, 1), penultimate).cpu(); });
}

std::string Judge::protocol(const std::string& metric, std::int64_t n) const { return fmt::format("{}/judge-{}/N={}", metric, hash_, n); }

}  // namespace reprise::reproduce::langevin_study
