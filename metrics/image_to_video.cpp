#include "metrics/image_to_video.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"
#include "metrics/shape_clips.h"

namespace reprise::metrics {

ContinuationScores continuation_scores(const at::Tensor& images, const at::Tensor& clips) {
  if (images.dim() != 4 || clips.dim() != 5 || images.sizes() != clips.select(1, 0).sizes())
    throw UsageError(
        fmt::format("images {} for clips {}", c10::str(images.sizes()), c10::str(clips.sizes())),
        "give an image for each clip, [N, 3, H, W] for [N, T, 3, H, W]");
  const auto of_images = track_shapes(images.unsqueeze(1)), tracks = track_shapes(clips);
  const auto motion = shape_motion_scores(tracks);
  const auto distance = [](const at::Tensor& a, const at::Tensor& b) { return (a - b).norm(2, 1); };
  // A jump needs a shape in the first two frames.
  const auto both = tracks.visible.select(1, 0) & tracks.visible.select(1, 1);
  const auto jumps =
      distance(tracks.centre.select(1, 0), tracks.centre.select(1, 1)).masked_select(both);
  return {
      .place_error =
          distance(tracks.centre.select(1, 0), of_images.centre.select(1, 0)).mean().item<double>(),
      .colour_error =
          distance(tracks.colour.select(1, 0), of_images.colour.select(1, 0)).mean().item<double>(),
      .acd = average_content_distance(tracks),
      .step = motion.step,
      .jump = jumps.numel() == 0 ? 0 : jumps.mean().item<double>(),
      .empty = motion.empty};
}

}  // namespace reprise::metrics
