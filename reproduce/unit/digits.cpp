// Table digits: adaptation of a classifier to a set of digits without labels.
#include <fmt/format.h>
#include <torch/torch.h>

#include <filesystem>

#include "core/random.h"
#include "datasets/formats/clip_sheets.h"
#include "datasets/formats/images.h"
#include "experiments/adversarial_training.h"
#include "experiments/evaluator_cell.h"
#include "experiments/names.h"
#include "metrics/classification.h"
#include "metrics/inception_score.h"
#include "models/translation/digit_unit.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/digit_sets.h"
#include "reproduce/unit/external.h"
#include "reproduce/unit/methods.h"
#include "reproduce/unit/training_curves.h"
#include "training/progress.h"

namespace reprise::reproduce::unit_study {
namespace {

using records::Direction;
using training::Domain;

double measure_accuracy(training::Adapter& adapter, const training::Examples& digits, Domain of) {
  return metrics::accuracy(adapter.probabilities(digits.x, of).argmax(1), digits.labels);
}

/// Returns the inception score of unlabelled target digits: high if predictions are confident and
/// balanced over classes. It selects a checkpoint without labels.
double certainty(training::Adapter& adapter, const at::Tensor& target) {
  return metrics::inception_score(adapter.probabilities(target, Domain::B), 1).mean;
}

/// Repeats grey pictures to the three channels that evaluators take.
at::Tensor to_three_channels(const at::Tensor& x) { return x.expand({-1, 3, -1, -1}); }
training::Examples to_three_channels(const training::Examples& digits) {
  return {.x = to_three_channels(digits.x), .labels = digits.labels};
}

models::EvaluatorOptions digit_evaluator_options(const Settings& settings) {
  return evaluator_options({.size = settings.integer("digits.size"), .frames = 0, .classes = 10},
                           settings, "reader");
}

/// Adds the fraction of translated digits that the evaluator of the target set recognises, and the
/// fraction before translation.
/// No method uses the evaluator, whereas UNIT's own classifier was trained on its translations.
void record_recognition(const std::string& set, const at::Tensor& translated,
                        const training::Examples& digits, const std::string& suffix,
                        CellContext& context) {
  const auto evaluator =
      load_evaluator(digit_evaluator_options(context.settings), digit_evaluator_cell(set), context);
  const auto n = translated.size(0);
  const auto add = [&](const char* name, const at::Tensor& x, Direction better,
                       std::int64_t items) {
    const double accuracy =
        evaluator.accuracy(to_three_channels({.x = x, .labels = digits.labels}));
    context.record.metrics.push_back({.name = name + suffix,
                                      .value = accuracy,
                                      .unit = "",
                                      .direction = better,
                                      .protocol = evaluator.protocol("read", n),
                                      .items = items});
  };
  add("read", translated, Direction::HigherIsBetter, n);
  add("read_untouched", digits.x, Direction::Neither, 0);
}

}  // namespace

void run_digits(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto parts = load_digit_parts(record.cell.dataset, context);
  const auto checkpoint = context.folder / "checkpoint.safetensors";
  const auto methods = list_adapters(settings, checkpoint);
  const auto& method = find_named(methods, "way of adaptation", record.cell.method);
  const auto adapter = method.make();
  TrainingCurves curves(context.folder / "watched.json");
  // Certainty is measured on a few unlabelled training digits.
  const auto unlabelled = parts.learned.target.slice(0, 0, settings.integer("digits.watched"));
  adapter->watch = [&](std::int64_t iterations) {
    curves.add(iterations,
               {{"certainty", certainty(*adapter, unlabelled)},
                {"accuracy", measure_accuracy(*adapter, parts.target_test, Domain::B)}});
  };
  const auto seed =
      seed_of({"unit", "digits", record.cell.method, std::to_string(record.cell.seed)});
  const at::Device device(context.device);
  const training::AdaptationData learned{.source = parts.learned.source.to(device),
                                         .labels = parts.learned.labels.to(device),
                                         .target = parts.learned.target.to(device)};
  // Training, with evaluations at every digits.watch_every iterations.
  adapter->fit(learned, seed, context.progress);
  // The last point, after training.
  adapter->watch(settings.integer("digits.iterations"));
  const auto n = parts.target_test.labels.size(0);
  const auto add = [&](const std::string& name, double value, Direction better,
                       const std::string& protocol, std::int64_t items) {
    record.metrics.push_back({.name = name,
                              .value = value,
                              .unit = "",
                              .direction = better,
                              .protocol = protocol,
                              .items = items});
  };
  const std::string protocol =
      fmt::format("{}/{}, N={}", metrics::accuracy_protocol, record.cell.dataset, n);
  add("accuracy", measure_accuracy(*adapter, parts.target_test, Domain::B),
      Direction::HigherIsBetter, protocol, n);
  add("accuracy_selected", curves.value_at_maximum("certainty", "accuracy"),
      Direction::HigherIsBetter, protocol, n);
  // Selected on the test set: an upper bound, not a result.
  add("accuracy_oracle", curves.value_at_maximum("accuracy", "accuracy"), Direction::Neither,
      protocol + ", best of all looks at the test set", 0);
  add("accuracy_source", measure_accuracy(*adapter, parts.source_test, Domain::A),
      Direction::HigherIsBetter,
      fmt::format("{}/source, N={}", metrics::accuracy_protocol, parts.source_test.labels.size(0)),
      0);
  // Only UNIT translates pictures.
  if (auto* unit = dynamic_cast<models::DigitUnit*>(adapter.get())) {
    const auto [source, target] = parse_digit_pair(record.cell.dataset);
    const auto translated = unit->translate(parts.source_test.x, Domain::A),
               back = unit->translate(parts.target_test.x, Domain::B);
    add("accuracy_translated",
        measure_accuracy(*adapter, {translated, parts.source_test.labels}, Domain::B),
        Direction::HigherIsBetter,
        fmt::format(
            "held-out digits of the source, translated, named by the target's classifier, N={}",
            translated.size(0)),
        translated.size(0));
    record_recognition(target.name, translated, parts.source_test, "", context);
    // Translations back are recognised by the evaluator of the source.
    record_recognition(source.name, back, parts.target_test, "_back", context);
    if (record.cell.seed == 0) {
      datasets::write_png(context.folder / "source_to_target.png",
                          datasets::draw_pairs(parts.source_test.x, translated));
      datasets::write_png(context.folder / "target_to_source.png",
                          datasets::draw_pairs(parts.target_test.x, back));
    }
  }
  record_network(*adapter, context.record);
  if (const auto* adversary = dynamic_cast<const models::DigitAdversary*>(adapter.get()))
    record_adversarial(adversary->report(), record);
  context.store.write_curves(record.cell, curves.curves());
  // The record has the curves, so files of a resumable run can go.
  curves.remove_file();
  std::filesystem::remove(checkpoint);
}

void run_digit_evaluator(CellContext& context) {
  const auto& set = context.record.cell.dataset;
  const auto digits = load_evaluator_digits(set, context);
  const auto [learned, validation] = models::hold_out_eighth(to_three_channels(digits.learned));
  train_evaluator({.options = digit_evaluator_options(context.settings),
                   .learned = learned,
                   .validation = validation,
                   .test = to_three_channels(digits.test),
                   .seed = seed_of({"unit", "reader", set})},
                  context);
}

void measure_external_digits(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto digits = load_digit_parts(cell.dataset, context).source_test;
  const auto translated = load_external_translations(context, digits.x);
  record_recognition(parse_digit_pair(cell.dataset).second.name, translated, digits, "", context);
  if (cell.seed == 0)
    datasets::write_png(
        context.folder / "source_to_target.png",
        datasets::draw_pairs(to_three_channels(digits.x), to_three_channels(translated)));
}

}  // namespace reprise::reproduce::unit_study
