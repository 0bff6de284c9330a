// Table control: what content and motion codes each control, and clips longer than those of
// training.
#include <fmt/format.h>
#include <torch/torch.h>

#include "core/random.h"
#include "metrics/factor_variance.h"
#include "metrics/shape_clips.h"
#include "models/adversarial/mocogan.h"
#include "models/adversarial/trained_mocogan.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using records::Direction;

/// Adds the variance that each code explains. `content_decides`: content should control these
/// values, not motion.
void record_factors(const std::string& of, const at::Tensor& values, bool content_decides,
                    records::Record& record) {
  const auto fraction = metrics::factor_variance(values);
  const std::string protocol = fmt::format("fraction of the variance of {}, {} x {} clips", of,
                                           values.size(0), values.size(1));
  const auto add = [&](const std::string& by, double value, bool decides) {
    record.metrics.push_back(
        {.name = of + "_by_" + by,
         .value = value,
         .unit = "",
         .direction = decides ? Direction::HigherIsBetter : Direction::LowerIsBetter,
         .protocol = protocol});
  };
  add("content", fraction.content, content_decides);
  add("motion", fraction.motion, !content_decides);
}

/// Samples a clip of every content with every motion, [A, B, T, 3, S, S].
/// sample_clips() draws code i of a seed for clip i. So each clip has its own call, with the seed
/// of its content and that of its motion.
at::Tensor sample_grid(const models::TrainedMocogan& trained, std::int64_t contents,
                       std::int64_t motions, std::uint64_t seed) {
  std::vector<at::Tensor> clips;
  for (std::int64_t a = 0; a < contents; ++a)
    for (std::int64_t b = 0; b < motions; ++b)
      clips.push_back(models::sample_clips(
          trained.G, {.count = 1,
                      .content_seed = seed_of({"content", std::to_string(seed), std::to_string(a)}),
                      .motion_seed = seed_of({"motion", std::to_string(seed), std::to_string(b)}),
                      .frames = trained.metadata.frames}));
  return at::cat(clips).unflatten(0, std::vector<std::int64_t>{contents, motions});
}

void measure_factors(const models::TrainedMocogan& trained, std::uint64_t seed,
                     CellContext& context) {
  const auto contents = context.settings.integer("control.contents");
  const auto motions = context.settings.integer("control.motions");
  const auto clips = sample_grid(trained, contents, motions, seed);
  // Colours and paths of the shapes in all clips.
  const auto tracks = metrics::track_shapes(clips.flatten(0, 1));
  const auto of = [&](const at::Tensor& values) {
    return values.unflatten(0, std::vector<std::int64_t>{contents, motions});
  };
  record_factors("colour", of(tracks.colour.mean(1)), true, context.record);
  // Paths are relative to the first frame, so that the starting place does not count.
  record_factors("path", of((tracks.centre - tracks.centre.slice(1, 0, 1)).flatten(1)), false,
                 context.record);
  // The page shows the first seed.
  if (context.record.cell.seed == 0) {
    write_clip_images(context, "same_motion", clips.select(1, 0));
    write_clip_images(context, "same_content", clips[0]);
  }
}

/// Stores curves over windows of training length: first_frame, acd, step, empty.
void measure_lengths(const models::TrainedMocogan& trained, std::uint64_t seed,
                     CellContext& context) {
  const auto frames = trained.metadata.frames;
  const auto times = context.settings.integer("control.times");
  const auto clips =
      models::sample_clips(trained.G, {.count = context.settings.integer("control.long_clips"),
                                       .content_seed = seed,
                                       .motion_seed = seed + 1,
                                       .frames = frames * times});
  records::Curves curves;
  for (const auto& window : metrics::score_windows(metrics::track_shapes(clips), frames)) {
    // One point per window.
    curves["first_frame"].push_back(static_cast<double>(window.first));
    curves["acd"].push_back(window.average_content_distance);
    curves["step"].push_back(window.motion.step);
    curves["empty"].push_back(window.motion.empty);
  }
  context.record.metrics.push_back(
      {.name = "step_kept",
       .value = curves["step"].back() / curves["step"].front(),
       .unit = "",
       .direction = Direction::HigherIsBetter,
       .protocol = fmt::format("step of window {} over that of the first", times)});
  context.store.write_curves(context.record.cell, curves);
}

}  // namespace

void run_control(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto trained = load_trained_mocogan(cell.method, context);
  const auto seed = seed_of({"mocogan", "control", cell.method, std::to_string(cell.seed)});
  measure_factors(trained, seed, context);
  measure_lengths(trained, seed, context);
}

}  // namespace reprise::reproduce::mocogan_study
