// Clips of differing lengths: MoCoGAN learns from clips of [lengths] shortest to longest frames, of which D_V sees the shortest on end, and
// is asked for the longest. Real clips that long say what a clip does at its end: of all other tables' sets there is none that goes on
// beyond its last frame.
#include <fmt/format.h>
#include <torch/torch.h>

#include "core/random.h"
#include "metrics/shape_clips.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"
#include "reproduce/mocogan/methods.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using records::Direction;

/// A clip goes on to its end when it moves there at least so much of what real clips do.
constexpr double least_step_kept = 0.8;

/// How many frames of each of n clips are known, lengths.shortest to lengths.longest as often as one another: [n], int64.
at::Tensor drawn_lengths(std::int64_t n, const CellContext& context) {
  const auto& settings = context.settings;
  return torch::randint(settings.integer("lengths.shortest"), settings.integer("lengths.longest") + 1, {n},
                        training::torch_generator(seed_of({"mocogan", "lengths", std::to_string(context.record.cell.seed)})), at::kLong);
}

/// Of the last `frames` frames of each clip.
double step_at_end(const metrics::ShapeTracks& tracks, std::int64_t frames) {
  return metrics::shape_motion_scores(metrics::window_of(tracks, tracks.shown.size(1) - frames, frames)).step;
}

}  // namespace

void run_lengths(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto& settings = context.settings;
  const auto n = settings.integer("clips.test"), shortest = settings.integer("lengths.shortest"),
             longest = settings.integer("lengths.longest");
  const auto of = [&](Part part, std::int64_t count, std::int64_t stretch) {
    return generated_clips(cell.dataset, part, count, longest, context, stretch);
  };
  at::Tensor clips;
  if (cell.method == real_row) {
    clips = of(Part::Test, n, real_stretch).x;
  } else {
    auto learned = of(Part::Training, settings.integer("clips.training"), 0);
    learned.lengths = drawn_lengths(learned.x.size(0), context);
    clips = trained_generator(learned, longest, context)->sample({.count = n, .seed = seed_of_training(cell) + 1, .frames = longest});
  }
  const auto tracks = metrics::track_shapes(clips), real = metrics::track_shapes(of(Part::Test, n, test_stretch).x);
  const auto scores = metrics::shape_motion_scores(tracks);
  const auto add = [&](const std::string& name, double value, Direction better, const std::string& protocol) {
    context.record.metrics.push_back({name, value, "", better, fmt::format("{}, {} frames, N={}", protocol, longest, n)});
  };
  const auto at_end = fmt::format("pixels a frame, last {} frames", shortest);
  add("acd", metrics::average_content_distance(tracks), Direction::LowerIsBetter, metrics::acd_protocol);
  add("diversity", metrics::content_diversity(tracks), Direction::Neither, "colour distance between clips, 0..255");
  add("step", scores.step, Direction::Neither, "pixels a frame");
  add("step_at_end", step_at_end(tracks, shortest), Direction::HigherIsBetter, at_end);
  add("step_at_end_bound", least_step_kept * step_at_end(real, shortest), Direction::Neither, at_end);  // ours
  add("empty", scores.empty, Direction::LowerIsBetter, "fraction of frames");
  if (cell.seed == 0) draw_clips(context, "clips", clips);
}

}  // namespace reprise::reproduce::mocogan_study
