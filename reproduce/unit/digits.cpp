// Table digits: adaptation of a classifier to a set of digits without labels.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

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
                           settings, "digit_classifier");
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

/// The trainings of one cell. With digits.starts > 1 several begin, and one of them goes on.
class DigitTraining {
 public:
  DigitTraining(CellContext& context, const DigitParts& parts)
      : context_(context), settings_(context.settings), parts_(parts) {
    const at::Device device(context.device);
    learned_ = {.source = parts.learned.source.to(device),
                .labels = parts.learned.labels.to(device),
                .target = parts.learned.target.to(device)};
    // Certainty is measured on a few unlabelled training digits.
    unlabelled_ = parts.learned.target.slice(0, 0, settings_.integer("digits.evaluated"));
  }

  /// Trains to the end, evaluating every digits.evaluate_every iterations.
  void train() {
    if (settings_.integer("digits.starts") > 1) choose_start();
    curves_.emplace(curves_file(start_));
    adapter_ = make_adapter(start_);
    adapter_->watch = [this](std::int64_t iterations) {
      evaluate(*adapter_, iterations, *curves_);
    };
    adapter_->fit(learned_, start_seed(start_), context_.progress);
    // The last point, after training.
    adapter_->watch(settings_.integer("digits.iterations"));
  }

  training::Adapter& adapter() { return *adapter_; }
  const TrainingCurves& curves() const { return *curves_; }

  /// Adds the taken start and the certainties of all, if there was a choice.
  void record_starts() {
    const auto add = [&](const std::string& name, double value, const std::string& protocol) {
      context_.record.metrics.push_back({.name = name,
                                         .value = value,
                                         .unit = "",
                                         .direction = Direction::Neither,
                                         .protocol = protocol,
                                         .items = 0});
    };
    if (certainties_.empty()) return;
    add("start_taken", static_cast<double>(start_), "the start with the highest certainty");
    for (std::size_t start = 0; start < certainties_.size(); ++start)
      add(fmt::format("certainty_of_start_{}", start), certainties_[start],
          fmt::format("inception score of {} unlabelled target digits after {} iterations",
                      unlabelled_.size(0), settings_.integer("digits.start_iterations")));
  }

  /// Removes the files of a resumable run. The record has the curves.
  void remove_files() const {
    for (std::int64_t start = 0; start < settings_.integer("digits.starts"); ++start) {
      std::filesystem::remove(curves_file(start));
      std::filesystem::remove(checkpoint_file(start));
    }
  }

 private:
  /// Thrown by an evaluation to end a start. Its checkpoint allows to go on from there.
  struct StartEnds {};

  static std::string file_suffix(std::int64_t start) {
    return start == 0 ? "" : fmt::format("_start{}", start);
  }
  std::filesystem::path curves_file(std::int64_t start) const {
    return context_.folder / ("watched" + file_suffix(start) + ".json");
  }
  std::filesystem::path checkpoint_file(std::int64_t start) const {
    return context_.folder / ("checkpoint" + file_suffix(start) + ".safetensors");
  }
  /// Seed of the first weights, batches and noise. Data are the same for all starts.
  std::uint64_t start_seed(std::int64_t start) const {
    const auto& cell = context_.record.cell;
    const auto seed = std::to_string(cell.seed);
    if (start == 0) return seed_of({"unit", "digits", cell.method, seed});
    return seed_of({"unit", "digits", cell.method, seed, "start", std::to_string(start)});
  }
  std::unique_ptr<training::Adapter> make_adapter(std::int64_t start) const {
    const auto methods = list_adapters(settings_, checkpoint_file(start));
    return find_named(methods, "way of adaptation", context_.record.cell.method).make();
  }

  void evaluate(training::Adapter& adapter, std::int64_t iterations, TrainingCurves& curves) const {
    curves.add(iterations,
               {{"certainty", certainty(adapter, unlabelled_)},
                {"accuracy", measure_accuracy(adapter, parts_.target_test, Domain::B)}});
  }

  /// Trains a start for digits.start_iterations and returns its certainty then. Returns nothing for
  /// a method that does not train in iterations.
  std::optional<double> try_start(std::int64_t start) const {
    const auto length = settings_.integer("digits.start_iterations");
    TrainingCurves curves(curves_file(start));
    if (const auto known = curves.value_at(length, "certainty")) return known;
    const auto adapter = make_adapter(start);
    adapter->watch = [&](std::int64_t iterations) {
      evaluate(*adapter, iterations, curves);
      if (iterations >= length) throw StartEnds();
    };
    try {
      adapter->fit(learned_, start_seed(start), context_.progress);
    } catch (const StartEnds&) {
      // The weights are dropped. The chosen start resumes from its checkpoint, with the same bits.
    }
    return curves.value_at(length, "certainty");
  }

  /// Chooses the start that is surest of the target. The choice uses no label of the target.
  void choose_start() {
    for (std::int64_t start = 0; start < settings_.integer("digits.starts"); ++start) {
      const auto sure = try_start(start);
      // A closed form has nothing to choose from.
      if (!sure) return;
      certainties_.push_back(*sure);
    }
    start_ = std::ranges::max_element(certainties_) - certainties_.begin();
  }

  CellContext& context_;
  const Settings& settings_;
  const DigitParts& parts_;
  training::AdaptationData learned_;
  at::Tensor unlabelled_;
  std::int64_t start_ = 0;
  std::vector<double> certainties_;  ///< one per start; none without a choice
  std::unique_ptr<training::Adapter> adapter_;
  std::optional<TrainingCurves> curves_;
};

/// Adds the accuracies of a trained adapter on test digits.
void record_accuracies(DigitTraining& training, const DigitParts& parts, CellContext& context) {
  auto& record = context.record;
  auto& adapter = training.adapter();
  const auto& curves = training.curves();
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
  add("accuracy", measure_accuracy(adapter, parts.target_test, Domain::B),
      Direction::HigherIsBetter, protocol, n);
  add("accuracy_selected", curves.value_at_maximum("certainty", "accuracy"),
      Direction::HigherIsBetter, protocol, n);
  // Selected on the test set: an upper bound, not a result.
  add("accuracy_oracle", curves.value_at_maximum("accuracy", "accuracy"), Direction::Neither,
      protocol + ", best of all looks at the test set", 0);
  add("accuracy_source", measure_accuracy(adapter, parts.source_test, Domain::A),
      Direction::HigherIsBetter,
      fmt::format("{}/source, N={}", metrics::accuracy_protocol, parts.source_test.labels.size(0)),
      0);
}

/// Adds how well UNIT's translations of test digits are recognised, and draws those of seed 0.
void record_translations(models::DigitUnit& unit, const DigitParts& parts, CellContext& context) {
  const auto& cell = context.record.cell;
  const auto [source, target] = parse_digit_pair(cell.dataset);
  const auto translated = unit.translate(parts.source_test.x, Domain::A),
             back = unit.translate(parts.target_test.x, Domain::B);
  const auto n = translated.size(0);
  context.record.metrics.push_back(
      {.name = "accuracy_translated",
       .value = measure_accuracy(unit, {translated, parts.source_test.labels}, Domain::B),
       .unit = "",
       .direction = Direction::HigherIsBetter,
       .protocol = fmt::format(
           "held-out digits of the source, translated, named by the target's classifier, N={}", n),
       .items = n});
  record_recognition(target.name, translated, parts.source_test, "", context);
  // Translations back are recognised by the evaluator of the source.
  record_recognition(source.name, back, parts.target_test, "_back", context);
  if (cell.seed != 0) return;
  datasets::write_png(context.folder / "source_to_target.png",
                      datasets::draw_pairs(parts.source_test.x, translated));
  datasets::write_png(context.folder / "target_to_source.png",
                      datasets::draw_pairs(parts.target_test.x, back));
}

}  // namespace

void run_digits(CellContext& context) {
  auto& record = context.record;
  const auto parts = load_digit_parts(record.cell.dataset, context);
  DigitTraining training(context, parts);
  training.train();
  record_accuracies(training, parts, context);
  // Only UNIT translates pictures.
  if (auto* unit = dynamic_cast<models::DigitUnit*>(&training.adapter()))
    record_translations(*unit, parts, context);
  training.record_starts();
  record_network(training.adapter(), record);
  if (const auto* adversary = dynamic_cast<const models::DigitAdversary*>(&training.adapter()))
    record_adversarial(adversary->report(), record);
  context.store.write_curves(record.cell, training.curves().curves());
  training.remove_files();
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
