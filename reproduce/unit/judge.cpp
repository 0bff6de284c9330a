#include "reproduce/unit/judge.h"

#include <torch/torch.h>

#include "core/random.h"
#include "experiments/base_network.h"
#include "metrics/classification.h"
#include "reproduce/unit/digit_sets.h"
#include "training/module_state.h"

namespace reprise::reproduce::unit_study {
namespace {

models::JudgeOptions judge_options(const Settings& settings, std::int64_t size, std::int64_t classes, const std::string& section) {
  return {.size = size,
          .frames = 0,
          .classes = classes,
          .trunk = settings.text("judge.trunk"),
          .steps = settings.integer(section + ".steps"),
          .batch = settings.integer("judge.batch"),
          .learning_rate = settings.number("judge.learning_rate")};
}

models::JudgeOptions of_photos(const Settings& settings) {
  return judge_options(settings, settings.integer("photos.side"), 2, judge_table);
}
models::JudgeOptions of_digits(const Settings& settings) {
  constexpr std::int64_t digits = 10;
  return judge_options(settings, settings.integer("digits.size"), digits, reader_table);
}

/// Of what a judge has not seen.
void note_accuracy(const at::Tensor& probabilities, const at::Tensor& labels, CellContext& context) {
  context.record.metrics.push_back({"accuracy", metrics::accuracy(probabilities.argmax(1), labels), "", records::Direction::HigherIsBetter,
                                    metrics::accuracy_protocol, labels.size(0)});
}

std::filesystem::path weights_of(const CellContext& context, const std::string& table, const std::string& set) {
  return context.store.folder(cell(table, set, table == judge_table ? judge_method : reader_method, judge_seed)) / "weights.safetensors";
}

/// A judge's pictures have three channels.
at::Tensor three_channels(const at::Tensor& x) { return x.size(1) == 3 ? x : x.expand({-1, 3, -1, -1}); }

}  // namespace

PictureJudge::PictureJudge(const CellContext& context, const PictureSet& set) : Judge(of_photos(context.settings), 0) {
  training::load_weights(*network, weights_of(context, judge_table, set.name));
  network->to(at::Device(context.device));
}

DigitReader::DigitReader(const CellContext& context, const std::string& set) : Judge(of_digits(context.settings), 0) {
  training::load_weights(*network, weights_of(context, reader_table, set));
  network->to(at::Device(context.device));
}

double DigitReader::reads(const at::Tensor& x, const at::Tensor& labels) const {
  return metrics::accuracy(probabilities(three_channels(x)).argmax(1), labels);
}

void run_reader(CellContext& context) {
  const auto& set = context.record.cell.dataset;
  const auto seed = seed_of({"unit", reader_table, set});
  const auto digits = reader_digits(set, context);
  const auto reader = train_judge(of_digits(context.settings), three_channels(digits.learned.x), digits.learned.labels, seed, context);
  note_accuracy(reader.probabilities(three_channels(digits.test.x)), digits.test.labels, context);
}

void run_judge(CellContext& context) {
  const auto& set = picture_set(context.record.cell.dataset, photos_table);
  const auto seed = seed_of({"unit", "judge", set.name});
  const auto learned = judged_pictures(set, context);
  const auto order = at::tensor(Random(seed).permutation(learned.x.size(0)), at::kLong);
  const auto judge =
      train_judge(of_photos(context.settings), learned.x.index_select(0, order), learned.labels.index_select(0, order), seed, context);
  const auto parts = picture_parts(set, context);
  const auto test = at::cat({parts.test_a, parts.test_b});
  const auto labels = at::cat({at::zeros({parts.test_a.size(0)}, at::kLong), at::ones({parts.test_b.size(0)}, at::kLong)});
  note_accuracy(judge.probabilities(test), labels, context);
}

}  // namespace reprise::reproduce::unit_study
