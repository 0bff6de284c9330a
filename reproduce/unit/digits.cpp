// Adaptation of a classifier of digits to a set without labels.
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
#include "reproduce/unit/watched.h"
#include "training/progress.h"

namespace reprise::reproduce::unit_study {
namespace {

using records::Direction;
using training::Domain;

double accuracy_of(training::Adapter& adapter, const training::Examples& digits, Domain of) {
  return metrics::accuracy(adapter.probabilities(digits.x, of).argmax(1), digits.labels);
}

/// How sure a classifier is of each picture of the target, and how even over all classes: it needs
/// no label. By it a checkpoint is chosen.
double certainty(training::Adapter& adapter, const at::Tensor& target) {
  return metrics::inception_score(adapter.probabilities(target, Domain::B), 1).mean;
}

/// Pictures as evaluators take them.
at::Tensor three_channels(const at::Tensor& x) { return x.expand({-1, 3, -1, -1}); }
training::Examples three_channels(const training::Examples& digits) {
  return {.x = three_channels(digits.x), .labels = digits.labels};
}

models::EvaluatorOptions digit_evaluator_options(const Settings& settings) {
  return evaluator_options({.size = settings.integer("digits.size"), .frames = 0, .classes = 10},
                           settings, "reader");
}

/// Fraction of translated digits that the evaluator of the target set recognises, and of the same
/// digits before. No method uses the evaluator:
/// UNIT's own classifier has learned from what UNIT's generator makes.
void note_read(const std::string& set, const at::Tensor& translated,
               const training::Examples& digits, const std::string& suffix, CellContext& context) {
  const auto evaluator =
      load_evaluator(digit_evaluator_options(context.settings), digit_evaluator_cell(set), context);
  const auto n = translated.size(0);
  const auto add = [&](const char* name, const at::Tensor& x, Direction better,
                       std::int64_t items) {
    const double accuracy = evaluator.accuracy(three_channels({.x = x, .labels = digits.labels}));
    context.record.metrics.push_back(
        {name + suffix, accuracy, "", better, evaluator.protocol("read", n), items});
  };
  add("read", translated, Direction::HigherIsBetter, n);
  add("read_untouched", digits.x, Direction::Neither, 0);
}

}  // namespace

void run_digits(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto parts = digit_parts(record.cell.dataset, context);
  const auto checkpoint = context.folder / "checkpoint.safetensors";
  const auto methods = adapters(settings, checkpoint);
  const auto& method = find_named(methods, "way of adaptation", record.cell.method);
  const auto adapter = method.make();
  Watched watched(context.folder / "watched.json");
  const auto unlabelled = parts.learned.target.slice(0, 0, settings.integer("digits.watched"));
  adapter->watch = [&](std::int64_t iterations) {
    watched.add(iterations, {{"certainty", certainty(*adapter, unlabelled)},
                             {"accuracy", accuracy_of(*adapter, parts.target_test, Domain::B)}});
  };
  const auto seed =
      seed_of({"unit", "digits", record.cell.method, std::to_string(record.cell.seed)});
  const at::Device device(context.device);
  const training::AdaptationData learned{.source = parts.learned.source.to(device),
                                         .labels = parts.learned.labels.to(device),
                                         .target = parts.learned.target.to(device)};
  adapter->fit(learned, seed, context.progress);
  adapter->watch(settings.integer("digits.iterations"));
  const auto n = parts.target_test.labels.size(0);
  const auto add = [&](const std::string& name, double value, Direction better,
                       const std::string& protocol, std::int64_t items) {
    record.metrics.push_back({name, value, "", better, protocol, items});
  };
  const std::string protocol =
      fmt::format("{}/{}, N={}", metrics::accuracy_protocol, record.cell.dataset, n);
  add("accuracy", accuracy_of(*adapter, parts.target_test, Domain::B), Direction::HigherIsBetter,
      protocol, n);
  add("accuracy_selected", watched.at_largest("certainty", "accuracy"), Direction::HigherIsBetter,
      protocol, n);
  // Chosen by what it is evaluated on: an upper bound of what any way to choose gives, and no
  // result of a method.
  add("accuracy_oracle", watched.at_largest("accuracy", "accuracy"), Direction::Neither,
      protocol + ", best of all looks at the test set", 0);
  add("accuracy_source", accuracy_of(*adapter, parts.source_test, Domain::A),
      Direction::HigherIsBetter,
      fmt::format("{}/source, N={}", metrics::accuracy_protocol, parts.source_test.labels.size(0)),
      0);
  if (auto* unit = dynamic_cast<models::DigitUnit*>(adapter.get())) {
    const auto [source, target] = digit_pair(record.cell.dataset);
    const auto translated = unit->translate(parts.source_test.x, Domain::A),
               back = unit->translate(parts.target_test.x, Domain::B);
    add("accuracy_translated",
        accuracy_of(*adapter, {translated, parts.source_test.labels}, Domain::B),
        Direction::HigherIsBetter,
        fmt::format(
            "held-out digits of the source, translated, named by the target's classifier, N={}",
            translated.size(0)),
        translated.size(0));
    note_read(target.name, translated, parts.source_test, "", context);
    note_read(source.name, back, parts.target_test, "_back", context);
    if (record.cell.seed == 0) {
      datasets::write_png(context.folder / "source_to_target.png",
                          datasets::pairs(parts.source_test.x, translated));
      datasets::write_png(context.folder / "target_to_source.png",
                          datasets::pairs(parts.target_test.x, back));
    }
  }
  note_network(*adapter, context.record);
  if (const auto* adversary = dynamic_cast<const models::DigitAdversary*>(adapter.get()))
    note_adversarial(adversary->report(), record);
  context.store.write_curves(record.cell, watched.curves());
  watched.remove_file();
  std::filesystem::remove(checkpoint);
}

void run_digit_evaluator(CellContext& context) {
  const auto& set = context.record.cell.dataset;
  const auto digits = evaluator_digits(set, context);
  const auto [learned, validation] = models::hold_out_eighth(three_channels(digits.learned));
  train_evaluator({.options = digit_evaluator_options(context.settings),
                   .learned = learned,
                   .validation = validation,
                   .test = three_channels(digits.test),
                   .seed = seed_of({"unit", "reader", set})},
                  context);
}

void measure_external_digits(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto digits = digit_parts(cell.dataset, context).source_test;
  const auto translated = external_translations(context, digits.x);
  note_read(digit_pair(cell.dataset).second.name, translated, digits, "", context);
  if (cell.seed == 0)
    datasets::write_png(context.folder / "source_to_target.png",
                        datasets::pairs(three_channels(digits.x), three_channels(translated)));
}

}  // namespace reprise::reproduce::unit_study
