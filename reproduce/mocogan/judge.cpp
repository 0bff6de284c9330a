// The judge of clips, and the generators that are worthless.
#include <torch/torch.h>

#include "baselines/generators.h"
#include "core/random.h"
#include "experiments/base_network.h"
#include "experiments/names.h"
#include "metrics/classification.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"

namespace reprise::reproduce::mocogan_study {

void run_judge(CellContext& context) {
  const auto& settings = context.settings;
  const auto& dataset = context.record.cell.dataset;
  const auto seed = seed_of({"mocogan", "judge", dataset});
  const auto learned = judge_clips_of(dataset, settings.integer("judge.clips"), context);
  const auto judge = train_judge(judge_options(dataset, settings, context.data), learned.x, learned.labels, seed, context);
  const auto n = settings.integer("clips.test");
  const auto test = clips_of(dataset, Part::Judge, n, context, /*stretch=*/1);
  context.record.metrics.push_back({"accuracy", metrics::accuracy(motions(judge, dataset, test.x), test.labels), "",
                                    records::Direction::HigherIsBetter, metrics::accuracy_protocol, n});
}

void run_worthless(CellContext& context) {
  const auto& cell = context.record.cell;
  const ScoreBench bench(context);
  // The flaw of a row is then its only one: it starts from real clips that nothing else has seen.
  const auto real = clips_of(cell.dataset, Part::Test, bench.count(), context, real_stretch);
  at::Tensor clips = real.x, labels = real.labels;
  if (cell.method != real_row) {
    const auto& method = find_named(baselines::generators(), "generator", cell.method);
    const auto generator = method.make();
    // A bound knows what generators learn from.
    const auto learned = method.info.role == training::Role::Bound ? bench.training_windows() : real;
    const auto seed = seed_of({"mocogan", "worthless", cell.method, std::to_string(cell.seed)});
    generator->fit(learned, seed, context.progress);
    clips = generator->sample({.count = bench.count(), .seed = seed, .labels = labels});
  }
  bench.note(clips, labels, context);
  if (cell.seed == 0) draw_clips(context, "clips", clips);
}

}  // namespace reprise::reproduce::mocogan_study
