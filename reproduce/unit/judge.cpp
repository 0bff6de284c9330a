#include "reproduce/unit/judge.h"

#include <torch/torch.h>

#include "core/random.h"
#include "metrics/classification.h"
#include "training/module_state.h"

namespace reprise::reproduce::unit_study {
namespace {

models::JudgeOptions judge_options(const Settings& settings) {
  return {.size = settings.integer("photos.side"),
          .frames = 0,
          .classes = 2,
          .trunk = settings.text("judge.trunk"),
          .steps = settings.integer("judge.steps"),
          .batch = settings.integer("judge.batch"),
          .learning_rate = settings.number("judge.learning_rate")};
}

}  // namespace

PictureJudge::PictureJudge(const CellContext& context, const PictureSet& set) : Judge(judge_options(context.settings), 0) {
  training::load_weights(*network, context.store.folder(cell(judge_table, set.name, judge_method, judge_seed)) / "weights.safetensors");
}

void run_judge(CellContext& context) {
  const auto& set = picture_set(context.record.cell.dataset, photos_table);
  const auto seed = seed_of({"unit", "judge", set.name});
  models::Judge judge(judge_options(context.settings), seed);
  const auto learned = judged_pictures(set, context);
  const auto order = at::tensor(Random(seed).permutation(learned.x.size(0)), at::kLong);
  judge.fit(learned.x.index_select(0, order), learned.labels.index_select(0, order), seed, context.progress);
  training::save_weights(*judge.network, context.folder / "weights.safetensors");
  const auto parts = picture_parts(set, context);
  const auto test = at::cat({parts.test_a, parts.test_b});
  const auto labels = at::cat({at::zeros({parts.test_a.size(0)}, at::kLong), at::ones({parts.test_b.size(0)}, at::kLong)});
  context.record.metrics.push_back({"accuracy", metrics::accuracy(judge.probabilities(test).argmax(1), labels), "",
                                    records::Direction::HigherIsBetter, metrics::accuracy_protocol, labels.size(0)});
}

}  // namespace reprise::reproduce::unit_study
