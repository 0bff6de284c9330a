// The pose of a head from its landmarks in one picture, where nobody measured it: the turn, scale
// and place that bring a head at rest nearest to them,
//     min over R, s, t of   sum_k | s (R X_k)_xy + t - x_k |^2              (scaled orthographic projection)
// X: mean landmarks of rendered heads at rest, camera frame (scene/synthetic_head.h); k: eyes,
// nose, corners of the mouth and chin, which hardly move with the expression and are not the
// outline of the head, as a jaw's points are in photographs.
//
// It is not a measurement: whoever's nose is longer than the mean looks turned, and a near camera
// is taken for a far one. On drawn heads, whose true pose is known, it is off by 4 degrees of pitch
// (3.5 of them a constant), 5 of yaw and 1.5 of roll.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::datasets {

/// landmarks: [..., 68, 2], pixels -> [..., 3]: pitch, yaw, roll; degrees, float32. UsageError:
/// another shape; a landmark that is not finite; points all in one place.
at::Tensor pose_of_landmarks(const at::Tensor& landmarks);

}  // namespace reprise::datasets
