// Whether a clip continues an image: its first frame is like the image, and the clip goes on from
// there.
//
//     place_error    mean over clips of |q_1 - q|        q, c: place and colour of the image's shape, q_t, c_t: of frame t's
//     colour_error   mean of |c_1 - c|, 0 to 255                                                        (shape_clips.h)
//     acd            of the clips: whether the colour stays
//     step           of the clips, pixels a frame: whether they move
//     jump           mean of |q_2 - q_1|, pixels, where both frames have a shape: whether the second frame follows from the first
//     empty          fraction of frames without a shape
// No number says it alone: an image that is repeated has no error and no motion; an unrelated clip
// moves, and begins elsewhere in another colour. A first frame without a shape has its place in the
// middle, and is black.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::metrics {

struct ContinuationScores {
  double place_error = 0, colour_error = 0, acd = 0, step = 0, jump = 0, empty = 0;
};

/// images: [N, 3, H, W]; clips: [N, T, 3, H, W], clip i from image i. UsageError: as
/// track_shapes(); another number or size of images; fewer than 3 frames.
ContinuationScores continuation_scores(const at::Tensor& images, const at::Tensor& clips);

}  // namespace reprise::metrics
