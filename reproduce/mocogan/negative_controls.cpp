// Negative controls: real clips with one defect each, and the real clips themselves.
#include <torch/torch.h>

#include "baselines/generators.h"
#include "core/random.h"
#include "experiments/names.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"

namespace reprise::reproduce::mocogan_study {

void run_negative_control(CellContext& context) {
  const auto& cell = context.record.cell;
  const ClipEvaluator clip_evaluator(context);
  // Controls start from unseen real clips, so that each has one defect only.
  const auto real =
      load_clips(cell.dataset, Part::Test, clip_evaluator.count(), context, real_segment);
  at::Tensor clips = real.x, labels = real.labels;
  if (cell.method != real_row) {
    const auto& method = find_named(baselines::generators(), "generator", cell.method);
    const auto generator = method.make();
    // A bound uses the training clips.
    const auto learned =
        method.info.role == training::Role::Bound ? clip_evaluator.training_windows() : real;
    const auto seed = seed_of({"mocogan", "worthless", cell.method, std::to_string(cell.seed)});
    generator->fit(learned, seed, context.progress);
    clips = generator->sample({.count = clip_evaluator.count(), .seed = seed, .labels = labels});
  }
  clip_evaluator.record_scores(clips, labels, context);
  if (cell.seed == 0) write_clip_images(context, "clips", clips);
}

}  // namespace reprise::reproduce::mocogan_study
