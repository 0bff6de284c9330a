#include "reproduce/langevin/judge.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <filesystem>
#include <functional>

#include "core/sha256.h"
#include "experiments/base_network.h"
#include "metrics/classification.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "training/fit.h"
#include "training/module_state.h"

namespace reprise::reproduce::langevin_study {

namespace {

constexpr std::int64_t steps_between_validations = 100;  // of a judge

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

}  // namespace

void run_judge(CellContext& context) {
  const auto& settings = context.settings;
  const auto world = world_of(context);
  models::Backbone network(nullptr);
  const auto device = device_of_context(context);
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
  const auto report = train_base_network(context, "", [&](std::int64_t draw) -> BaseTraining {
    const auto seed = seed_of_draw(network_seed(context), draw);
    network = judge_network(world, settings, seed);
    network->to(device);
    const training::FitOptions options{.epochs = (steps + steps_between_validations - 1) / steps_between_validations,
                                       .seed = seed,
                                       .rounding = settings.integer("rounding"),
                                       .checkpoint = context.folder / "checkpoint.safetensors"};
    return {.report =
                training::fit(*network, {{network->parameters(), settings.number("judge.learning_rate")}}, task, options, context.progress),
            .trivial_error = trivial_error_rate(classes_of(world, world.validation.labels).cpu()),
            .live_units = least_live_fraction(network, world.validation.x_0, std::identity())};
  });
  training::save_weights(*network, context.folder / "weights.safetensors");
  std::filesystem::remove(context.folder / "checkpoint.safetensors");
  {
    const torch::NoGradGuard no_grad;
    note(context.record, "accuracy", 1 - wrong(world.test), records::Direction::HigherIsBetter, "", metrics::accuracy_protocol,
         world.test.x_0.size(0));
  }
  context.store.write_curves(context.record.cell, {{"train_loss", report.train_loss}, {"validation_error", report.validation_error}});
}

Judge::Judge(const CellContext& context, const World& world) : network_(judge_network(world, context.settings, 0)) {
  const auto kept = kept_network(context, Network::Judge);
  const auto trained = context.store.folder(cell(prior_table, context.record.cell.dataset, name_of(Network::Judge), judge_seed));
  const auto file = kept.empty() ? trained / "weights.safetensors" : kept;
  training::load_weights(*network_, file);
  hash_ = sha256_file(file).substr(0, 8);
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

std::string Judge::protocol(const std::string& metric) const { return fmt::format("{}/judge-{}", metric, hash_); }

std::string Judge::protocol(const std::string& metric, std::int64_t n) const { return fmt::format("{}/N={}", protocol(metric), n); }

}  // namespace reprise::reproduce::langevin_study
