// Image-to-video: does a clip start with its image and then move on from it?
//
// q, c are the position and colour of the shape in the image, q_t, c_t those in frame t
// (shape_clips.h).
//
//   - place_error: mean over clips of |q_1 - q|, pixels.
//   - colour_error: mean over clips of |c_1 - c|, 0 to 255.
//   - acd: ACD of the clips: does the colour stay constant?
//   - step: step of the clips, pixels per frame: do they move?
//   - jump: mean of |q_2 - q_1|, pixels, over clips with a shape in both frames.
//   - empty: fraction of frames without a shape.
//
// No single score is enough. A repeated image has no error, but no motion either. An unrelated clip
// moves, but starts at another position in another colour. A first frame without a shape counts as
// a black shape at the centre.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::metrics {

struct ContinuationScores {
  double place_error = 0, colour_error = 0, acd = 0, step = 0, jump = 0, empty = 0;
};

/// Scores of clips that continue images. images: [N, 3, H, W]; clips: [N, T, 3, H, W], clip i
/// continues image i. UsageError: as track_shapes(); different numbers or sizes; fewer than three
/// frames.
ContinuationScores continuation_scores(const at::Tensor& images, const at::Tensor& clips);

}  // namespace reprise::metrics
