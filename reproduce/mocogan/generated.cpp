// A generator: trained, and scored by its clips.
#include <torch/torch.h>

#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"
#include "reproduce/mocogan/methods.h"

namespace reprise::reproduce::mocogan_study {

void run_generated(CellContext& context) {
  const auto& cell = context.record.cell;
  const ScoreBench bench(context);
  const auto frames = context.settings.integer("clips.frames");
  const auto generator = trained_generator(bench.training(), frames, context);
  at::Tensor asked;
  if (cell.table == actions_table)
    asked = torch::arange(bench.count()).remainder(static_cast<std::int64_t>(class_names(cell.dataset, context.data).size()));
  const auto clips = generator->sample({.count = bench.count(), .seed = seed_of_training(cell) + 1, .labels = asked, .frames = frames});
  bench.note(clips, asked, context);
  if (cell.seed == 0) draw_clips(context, "clips", clips);
}

}  // namespace reprise::reproduce::mocogan_study
