// Synthetic clips with exact landmarks from still images: a virtual camera moves smoothly over a
// photograph or a rendered head. Gaps (scene/gaps.h) damage a few frames at a time.
//
// The camera views a square near the centre of the landmarks' box. It moves on smooth paths p_x,
// p_y, p_zoom, p_turn (smooth_path.h, values in [-1, 1]):
//
//     side(t)   = box * enlarged * exp(camera * zoom * p_zoom(t))
//     centre(t) = middle + side(t) * (jitter * offset * j + camera * shift * (p_x(t), p_y(t)))
//     angle(t)  = camera * turn * p_turn(t)
//
// box: the longer side of the landmarks' box; for a run of images, of the box around all of them.
// enlarged: drawn once per clip, at most `jitter * enlarged_spread` from its mean. j: drawn once
// per clip from [-1, 1]^2.
//
// A pixel (u, v) of a crop of S pixels shows the still's point (pixel centres at whole numbers in
// both)
//
//     centre + side / S * Rot(angle) ((u, v) - (S - 1) / 2)
//
// Landmarks are mapped by the exact inverse. Shrinking averages as many samples as the scale
// requires. Beyond its border the still is reflected. With camera = jitter = degradation = 0 every
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
  double period_low = 20, period_high = 60;  ///< periods of the paths, frames; shorter is faster
  double degradation = 1;                    ///< probability and strength of all gaps, 0 to 1
  double camera = 1;                         ///< factor on zoom, turn and shift, 0 to 1
  double jitter = 1;                         ///< error of the face's centring and framing, 0 to 1
  bool gray = true;        ///< colour becomes gray (Rec. 601 luma); false keeps it
  double zoom = 0.12;      ///< natural logarithm of the factor
  double turn = 12;        ///< degrees
  double shift = 0.08;     ///< fraction of the side
  double enlarged = 1.45;  ///< mean side of the square, over that of the landmarks' box
  double enlarged_spread = 0.15;
  double offset = 0.06;
  GapOptions gaps;
};

struct MotionClips {
  at::Tensor frames;     ///< [N, T, S, S] gray or [N, T, S, S, 3], uint8
  at::Tensor landmarks;  ///< [N, T, K, 2], float32, pixels of the crop
  at::Tensor damaged;    ///< [N, T], bool: the frame lies in a gap
};

/// Renders one clip per run of indices.
///
/// A run of one index is a still under the camera for T frames. A run of T indices is a real burst.
/// The camera then moves over the frames, around a box that contains the landmarks of all of them.
/// images: [H, W] or [H, W, 3], uint8, of any size. landmarks: [M, K, 2], floating, one row per
/// image. Clip i draws from random.split(..., i), and `random` is not advanced, so clips do not
/// depend on the number of threads.
///
/// UsageError: images and landmarks do not belong together. UsageError: an index or a run's length
/// does not fit (run named). UsageError: landmarks are not finite or all coincide (image named).
/// UsageError: gray and colour are mixed in colour clips; an option is out of range.
MotionClips generate_face_motion(const std::vector<at::Tensor>& images, const at::Tensor& landmarks,
                                 const std::vector<std::vector<std::int64_t>>& runs,
                                 const MotionOptions& options, const Random& random);

}  // namespace reprise::datasets
