// Table lengths: MoCoGAN learns from clips of [lengths] shortest to longest frames, and generates
// the longest. D_V sees windows of the shortest length. Real clips of the longest length are the
// reference for the end of a clip; no other table has such clips.
#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

#include "core/random.h"
#include "experiments/resampling.h"
#include "metrics/shape_clips.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"
#include "reproduce/mocogan/methods.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using records::Direction;

/// Tolerances of the last frames: step within 20 % of the real one, jerk at most 1.5 times the real
/// one.
constexpr double step_bound = 0.2;
constexpr double jerk_bound = 1.5;

/// Draws the length of each of n clips uniformly from lengths.shortest to lengths.longest, [n],
/// int64.
at::Tensor draw_lengths(std::int64_t n, const CellContext& context) {
  const auto& settings = context.settings;
  return torch::randint(
      settings.integer("lengths.shortest"), settings.integer("lengths.longest") + 1, {n},
      training::torch_generator(
          seed_of({"mocogan", "lengths", context.record.cell.dataset,
                   std::to_string(data_seed(settings, context.record.cell.seed))})),
      at::kLong);
}

/// Adds metrics of the last `frames` frames of clips of `length` frames. A generator makes frames
/// in order, so the start of a longer clip is a shorter clip.
void record_end(const std::string& name, std::int64_t length, std::int64_t frames,
                const metrics::ShapeTracks& tracks, const metrics::ShapeTracks& real,
                records::Record& record) {
  const auto of = [&](const metrics::ShapeTracks& all) {
    return metrics::shape_motion_scores(metrics::cut_window(all, length - frames, frames));
  };
  const auto own = of(tracks);
  const auto theirs = of(real);
  const auto add = [&](const std::string& number, double value, Direction better,
                       const std::string& what) {
    record.metrics.push_back({.name = number + "_" + name,
                              .value = value,
                              .unit = "",
                              .direction = better,
                              .protocol = fmt::format("{}, last {} of {} frames, N={}", what,
                                                      frames, length, tracks.visible.size(0))});
  };
  add("step", own.step, Direction::Neither, "pixels a frame");
  add("step_off", std::abs(own.step / theirs.step - 1), Direction::LowerIsBetter,
      "part of the real step");
  add("step_off_bound", step_bound, Direction::LowerIsBetter, "part of the real step");
  add("jerk", own.jerk, Direction::LowerIsBetter, "pixels, second difference");
  add("jerk_bound", jerk_bound * theirs.jerk, Direction::LowerIsBetter,
      "pixels, second difference");
}

}  // namespace

void run_lengths(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto& settings = context.settings;
  const auto n = settings.integer("clips.test");
  const auto shortest = settings.integer("lengths.shortest");
  const auto longest = settings.integer("lengths.longest");
  const auto of = [&](Part part, std::int64_t count, std::int64_t segment) {
    return generate_clips(cell.dataset, part, count, longest, context, segment);
  };
  at::Tensor clips;
  // Real clips come from another segment than the reference.
  if (cell.method == real_row) {
    clips = of(Part::Test, n, real_segment).x;
  } else {
    auto learned = of(Part::Training, settings.integer("clips.training"), 0);
    learned.lengths = draw_lengths(learned.x.size(0), context);
    clips = train_generator(learned, longest, context)
                ->sample({.count = n, .seed = training_seed(cell) + 1, .frames = longest});
  }
  const auto tracks = metrics::track_shapes(clips),
             real = metrics::track_shapes(of(Part::Test, n, test_segment).x);
  const auto scores = metrics::shape_motion_scores(tracks);
  const auto add = [&](const std::string& name, double value, Direction better,
                       const std::string& protocol) {
    context.record.metrics.push_back(
        {.name = name,
         .value = value,
         .unit = "",
         .direction = better,
         .protocol = fmt::format("{}, {} frames, N={}", protocol, longest, n)});
  };
  add("acd", metrics::average_content_distance(tracks), Direction::LowerIsBetter,
      metrics::acd_protocol);
  add("diversity", metrics::content_diversity(tracks), Direction::Neither,
      "colour distance between clips, 0..255");
  add("step", scores.step, Direction::Neither, "pixels a frame");
  // Ends of clips of the shortest, middle and longest length, over equally many frames.
  record_end("short", shortest, shortest, tracks, real, context.record);
  record_end("middle", (shortest + longest) / 2, shortest, tracks, real, context.record);
  record_end("long", longest, shortest, tracks, real, context.record);
  add("empty", scores.empty, Direction::LowerIsBetter, "fraction of frames");
  if (cell.seed == 0) write_clip_images(context, "clips", clips);
}

}  // namespace reprise::reproduce::mocogan_study
