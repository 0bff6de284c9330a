#include "experiments/evaluator_cell.h"

#include <torch/torch.h>

#include <filesystem>
#include <optional>

#include "experiments/base_network.h"
#include "metrics/classification.h"
#include "training/module_state.h"

namespace reprise::reproduce {
namespace {

constexpr auto evaluator_weights = "weights.safetensors";

}  // namespace

models::EvaluatorOptions evaluator_options(models::EvaluatorOptions items, const Settings& settings,
                                           const std::string& section) {
  items.trunk = settings.text("evaluator.trunk");
  items.steps = settings.integer(section + ".steps");
  items.batch = settings.integer("evaluator.batch");
  items.learning_rate = settings.number("evaluator.learning_rate");
  return items;
}

void train_evaluator(const EvaluatorTask& task, CellContext& context) {
  std::optional<models::Evaluator> evaluator;
  const auto checkpoint = context.folder / "checkpoint.safetensors";
  const auto report = train_base_network(context, "", [&](std::int64_t draw) -> BaseTraining {
    const auto seed = seed_of_draw(task.seed, draw);
    // Each draw starts with a new network.
    evaluator.emplace(task.options, seed);
    evaluator->network->to(at::Device(context.device));
    const training::FitOptions options{.seed = seed, .checkpoint = checkpoint};
    return {.report = evaluator->fit(task.learned, task.validation, options, context.progress),
            .trivial_error = trivial_error_rate(task.validation.labels.cpu()),
            .live_units = least_live_fraction(
                evaluator->network, task.validation.x,
                [&](const at::Tensor& items) { return evaluator->input(items); })};
  });
  training::save_weights(*evaluator->network, context.folder / evaluator_weights);
  // The weights are saved; the checkpoint only served an interrupted training.
  std::filesystem::remove(checkpoint);
  context.store.write_curves(context.record.cell, {{"train_loss", report.train_loss},
                                                   {"validation_error", report.validation_error}});

  const auto probabilities = evaluator->probabilities(task.test.x);
  const auto predicted = task.predict ? task.predict(probabilities) : probabilities.argmax(1);
  context.record.metrics.push_back({.name = "accuracy",
                                    .value = metrics::accuracy(predicted, task.test.labels.cpu()),
                                    .direction = records::Direction::HigherIsBetter,
                                    .protocol = metrics::accuracy_protocol,
                                    .items = task.test.x.size(0)});
}

models::Evaluator load_evaluator(const models::EvaluatorOptions& options, const records::Cell& cell,
                                 const CellContext& context) {
  return load_evaluator(options, context.store.folder(cell) / evaluator_weights, context);
}

models::Evaluator load_evaluator(const models::EvaluatorOptions& options,
                                 const std::filesystem::path& weights, const CellContext& context) {
  // The seed has no effect: all weights are loaded.
  models::Evaluator evaluator(options, 0);
  evaluator.load(weights);
  evaluator.network->to(at::Device(context.device));
  return evaluator;
}

}  // namespace reprise::reproduce
