#include "metrics/shape_clips.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"

namespace reprise::metrics {
namespace {

constexpr double colour_mask = 0.9;   // of the largest brightness; pixels that give the colour
constexpr double centre_mask = 0.25;  // of the largest brightness; pixels that give the centre
constexpr double dimmest_shape = 32;  // of 255; darker frames have no shape

void require_clips(const at::Tensor& clips) {
  if (!clips.defined() || clips.dim() != 5 || clips.size(2) != 3 || clips.numel() == 0 ||
      !clips.is_floating_point())
    throw UsageError(fmt::format("clips have the shape {}",
                                 clips.defined() ? c10::str(clips.sizes()) : "of nothing"),
                     "give them as real numbers, [N, T, 3, H, W], with one value or more");
  // NaN fails both comparisons.
  const auto bad = (clips.ge(-1) & clips.le(1)).flatten(1).all(1).logical_not().nonzero();
  if (bad.size(0) > 0)
    throw UsageError(fmt::format("clip {} has a value that is not finite or outside [-1, 1]",
                                 bad[0].item<std::int64_t>()),
                     "scale clips to [-1, 1], as generators give them");
}

/// Mean length of the vectors where `valid`; 0 if there is none.
double mean_where(const at::Tensor& vectors, const at::Tensor& valid) {
  const auto count = valid.sum().item<std::int64_t>();
  if (count == 0) return 0;
  return vectors.norm(2, -1).masked_fill(valid.logical_not(), 0).sum().item<double>() /
         static_cast<double>(count);
}

void require_tracks(const ShapeTracks& tracks, std::int64_t frames) {
  if (tracks.visible.size(1) < frames)
    throw UsageError(fmt::format("clips have {} frames", tracks.visible.size(1)),
                     fmt::format("give clips of {} or more", frames));
}

}  // namespace

ShapeTracks track_shapes(const at::Tensor& clips) {
  require_clips(clips);
  const auto n = clips.size(0);
  const auto frames = clips.size(1);
  const auto height = clips.size(3);
  const auto width = clips.size(4);
  ShapeTracks tracks{.colour = at::empty({n, frames, 3}, at::kDouble),
                     .centre = at::empty({n, frames, 2}, at::kDouble),
                     .visible = at::empty({n, frames}, at::kBool),
                     .side = static_cast<double>(height + width) / 2};
  // Positions of pixel centres.
  const auto x = at::arange(width, at::kDouble) + 0.5;
  const auto y = at::arange(height, at::kDouble) + 0.5;
  // Clip by clip, so that memory does not grow with their number.
  for (std::int64_t i = 0; i < n; ++i) {
    const auto colours = (clips[i].to(at::kCPU, at::kDouble) + 1) * 127.5;
    const auto brightness = colours.amax(1);
    const auto most = brightness.amax({1, 2}, true);
    // The brightest pixels give the colour, without the dim rim of the shape.
    const auto mask = brightness.gt(colour_mask * most).to(at::kDouble);
    tracks.colour[i] =
        (colours * mask.unsqueeze(1)).sum({2, 3}) / mask.sum({1, 2}).clamp_min(1).unsqueeze(1);
    // More pixels give the centre, weighted by brightness, which locates it between pixels.
    const auto weight = brightness * brightness.gt(centre_mask * most);
    const auto total = weight.sum({1, 2}).clamp_min(1e-12);
    tracks.centre[i] =
        at::stack({weight.sum(1).matmul(x) / total, weight.sum(2).matmul(y) / total}, 1);
    tracks.visible[i] = most.flatten() >= dimmest_shape;
  }
  // Frames without a shape count as a shape at the centre.
  const auto middle =
      at::tensor({static_cast<double>(width) / 2, static_cast<double>(height) / 2}, at::kDouble);
  tracks.centre = at::where(tracks.visible.unsqueeze(2), tracks.centre, middle);
  return tracks;
}

ShapeTracks cut_window(const ShapeTracks& tracks, std::int64_t first, std::int64_t frames) {
  const auto all = tracks.visible.size(1);
  if (first < 0 || frames < 1 || first + frames > all)
    throw UsageError(fmt::format("frames {} to {} of clips of {} frames were requested", first,
                                 first + frames - 1, all),
                     "request frames inside the clips");
  return {tracks.colour.slice(1, first, first + frames),
          tracks.centre.slice(1, first, first + frames),
          tracks.visible.slice(1, first, first + frames), tracks.side};
}

double average_content_distance(const ShapeTracks& tracks) {
  require_tracks(tracks, 2);
  const auto frames = tracks.colour.size(1);
  // Distances of all ordered pairs of frames; the diagonal is 0.
  const auto apart = (tracks.colour.unsqueeze(1) - tracks.colour.unsqueeze(2)).norm(2, -1);
  return (apart.sum({1, 2}) / static_cast<double>(frames * (frames - 1))).mean().item<double>();
}

double content_diversity(const ShapeTracks& tracks) {
  const auto colours = tracks.colour.mean(1);
  const auto n = colours.size(0);
  if (n < 2) throw UsageError("diversity is between clips, and there is one", "give 2 or more");
  return (colours.unsqueeze(0) - colours.unsqueeze(1)).norm(2, -1).sum().item<double>() /
         static_cast<double>(n * (n - 1));
}

ShapeMotionScores shape_motion_scores(const ShapeTracks& tracks) {
  require_tracks(tracks, 3);
  const auto& [colour, centre, visible, side] = tracks;
  const auto frames = visible.size(1);
  // Frames first .. T - last - 1 of every clip, to form differences of shifted copies.
  const auto at = [frames](const at::Tensor& values, std::int64_t first, std::int64_t last) {
    return values.slice(1, first, frames - last);
  };
  // A step needs a shape in both frames, a second difference in all three.
  const auto steps = at(centre, 1, 0) - at(centre, 0, 1);
  const auto both = at(visible, 1, 0) & at(visible, 0, 1);
  const auto turns = at(centre, 2, 0) - 2 * at(centre, 1, 1) + at(centre, 0, 2);
  const auto three = at(visible, 2, 0) & at(visible, 1, 1) & at(visible, 0, 2);
  // Largest distance of any two visible centres of a clip.
  const auto pair = visible.unsqueeze(1) & visible.unsqueeze(2);
  const auto apart =
      (centre.unsqueeze(1) - centre.unsqueeze(2)).norm(2, -1).masked_fill(pair.logical_not(), 0);
  return {.step = mean_where(steps, both),
          .jerk = mean_where(turns, three),
          .still = apart.amax({1, 2}).lt(side / 8).to(at::kDouble).mean().item<double>(),
          .empty = visible.logical_not().to(at::kDouble).mean().item<double>()};
}

double path_error(const at::Tensor& predicted, const at::Tensor& truth) {
  if (predicted.dim() != 3 || predicted.size(2) != 2 || predicted.sizes() != truth.sizes() ||
      predicted.numel() == 0)
    throw UsageError(fmt::format("paths have the shapes {} and {}", c10::str(predicted.sizes()),
                                 c10::str(truth.sizes())),
                     "give both as [N, T, 2]");
  return (predicted.to(at::kDouble) - truth.to(at::kDouble)).norm(2, -1).mean().item<double>();
}

std::vector<WindowScores> score_windows(const ShapeTracks& tracks, std::int64_t frames) {
  if (frames < 3)
    throw UsageError(fmt::format("windows of {} frames have no motion to score", frames),
                     "use 3 frames or more");
  require_tracks(tracks, frames);
  std::vector<WindowScores> scores;
  // Windows do not overlap; frames after the last whole window are left out.
  for (std::int64_t first = 0; first + frames <= tracks.visible.size(1); first += frames) {
    const auto window = cut_window(tracks, first, frames);
    scores.push_back({first, average_content_distance(window), shape_motion_scores(window)});
  }
  return scores;
}

}  // namespace reprise::metrics
