// Clips with exact landmarks from stills: a virtual camera moves smoothly over a photograph (or a
// drawn head), and for a few frames at a time what it shows is damaged (scene/gaps.h).
//
// The camera looks at a square centred near the middle of the landmarks' box and moves on smooth
// paths p_x, p_y, p_zoom, p_turn (smooth_path.h, values in [-1, 1]):
//     side(t)   = box * enlarged * exp(camera * zoom * p_zoom(t))          box: the longer side of the landmarks' box; of a run of
//                                                                           images, of the box around all of them
//     centre(t) = middle + side(t) * (jitter * offset * j + camera * shift * (p_x(t), p_y(t)))
//     angle(t)  = camera * turn * p_turn(t)
// enlarged is drawn once a clip around its middle, at most `jitter * enlarged_spread` away; j once
// a clip from [-1, 1]^2. A pixel (u, v) of a crop of S pixels shows the still's point (pixel
// centres at whole numbers in both)
//     centre + side / S * Rot(angle) ((u, v) - (S - 1) / 2)
// and landmarks go through the exact inverse. Shrinking averages over as many samples as the scale
// asks for; beyond its border the still is reflected. With camera = jitter = degradation = 0 every
// frame is the plain crop.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "datasets/scene/gaps.h"

namespace reprise::datasets {

struct MotionOptions {
  std::int64_t frames = 8;                   ///< T
  std::int64_t size = 64;                    ///< S, pixels
  double period_low = 20, period_high = 60;  ///< of the paths, frames: shorter is faster
  double degradation = 1;                    ///< 0 to 1: chance and strength of all gaps
  double camera = 1;                         ///< 0 to 1: scales zoom, turn and shift
  double jitter = 1;  ///< 0 to 1: scales how badly the face is centred and framed
  bool gray = true;   ///< colour becomes gray (Rec. 601 luma); false keeps it
  double zoom = 0.12, turn = 12, shift = 0.08;  ///< natural logarithm; degrees; share of the side
  double enlarged = 1.45, enlarged_spread = 0.15, offset = 0.06;
  GapOptions gaps;
};

struct MotionClips {
  at::Tensor frames;     ///< [N, T, S, S] gray or [N, T, S, S, 3], uint8
  at::Tensor landmarks;  ///< [N, T, K, 2], float32, pixels of the crop
  at::Tensor damaged;    ///< [N, T], bool: the frame lies in a gap
};

/// One clip a run. A run of one index is a still under the camera for T frames; a run of T indices
/// is a real burst, and the camera's path goes on over its frames, around a box that holds the
/// landmarks of all of them. images: [H, W] or [H, W, 3], uint8, of any size; landmarks: [M, K, 2],
/// floating, one row an image. The same for any number of threads; clip i draws from
/// random.split(..., i), and `random` is not advanced. UsageError:
/// images and landmarks that do not belong together; an index or a run's length that does not fit
/// (run named); an image's landmarks not finite or all in one place (image named); gray and colour
/// mixed in colour clips; an option out of range.
MotionClips faces_in_motion(const std::vector<at::Tensor>& images, const at::Tensor& landmarks,
                            const std::vector<std::vector<std::int64_t>>& runs,
                            const MotionOptions& options, const Random& random);

}  // namespace reprise::datasets
