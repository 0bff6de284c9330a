// Negative controls: real clips with one defect each, and the real clips themselves.
#include <torch/torch.h>

#include "baselines/generators.h"
#include "core/random.h"
#include "experiments/names.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"

namespace reprise::reproduce::mocogan_study {

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
    const auto learned =
        method.info.role == training::Role::Bound ? bench.training_windows() : real;
    const auto seed = seed_of({"mocogan", "worthless", cell.method, std::to_string(cell.seed)});
    generator->fit(learned, seed, context.progress);
    clips = generator->sample({.count = bench.count(), .seed = seed, .labels = labels});
  }
  bench.note(clips, labels, context);
  if (cell.seed == 0) draw_clips(context, "clips", clips);
}

}  // namespace reprise::reproduce::mocogan_study
