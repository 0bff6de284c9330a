// Tables generated and actions: trains a generator and scores its clips.
#include <torch/torch.h>

#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"
#include "reproduce/mocogan/methods.h"

namespace reprise::reproduce::mocogan_study {

void run_generation(CellContext& context) {
  const auto& cell = context.record.cell;
  const ClipEvaluator clip_evaluator(context);
  const auto frames = context.settings.integer("clips.frames");
  at::Tensor requested;
  // Classes take turns in table actions.
  if (cell.table == actions_table)
    requested =
        torch::arange(clip_evaluator.count())
            .remainder(static_cast<std::int64_t>(class_names(cell.dataset, context.data).size()));
  const auto sampled = [&](training::Generator& generator, std::uint64_t seed) {
    return generator.sample(
        {.count = clip_evaluator.count(), .seed = seed, .labels = requested, .frames = frames});
  };
  // Evaluations during training use other codes than the final clips.
  const auto seed = training_seed(cell) + 1;
  const auto generator = train_generator(
      clip_evaluator.training(), frames, context, [&](training::Generator& learning) {
        return clip_evaluator.evaluate(sampled(learning, seed + 1));
      });
  const auto clips = sampled(*generator, seed);
  clip_evaluator.record_scores(clips, requested, context);
  clip_evaluator.record_mean_distance(generator->report().curves, context);
  if (cell.seed == 0) write_clip_images(context, "clips", clips);
}

}  // namespace reprise::reproduce::mocogan_study
