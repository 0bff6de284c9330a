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
  at::Tensor asked;
  if (cell.table == actions_table)
    asked = torch::arange(bench.count()).remainder(static_cast<std::int64_t>(class_names(cell.dataset, context.data).size()));
  const auto sampled = [&](training::Generator& generator, std::uint64_t seed) {
    return generator.sample({.count = bench.count(), .seed = seed, .labels = asked, .frames = frames});
  };
  const auto seed = seed_of_training(cell) + 1;
  const auto generator = trained_generator(bench.training(), frames, context,
                                           [&](training::Generator& learning) { return bench.look(sampled(learning, seed + 1)); });
  const auto clips = sampled(*generator, seed);
  bench.note(clips, asked, context);
  bench.note_looks(generator->report().curves, context);
  if (cell.seed == 0) draw_clips(context, "clips", clips);
}

}  // namespace reprise::reproduce::mocogan_study
