// Head pose estimated from the landmarks of one picture, where no measured pose exists.
//
// The estimate is the rotation R, scale s and translation t that bring a head at rest nearest to
// the landmarks (scaled orthographic projection):
//
//     min over R, s, t of   sum_k | s (R X_k)_xy + t - x_k |^2
//
// X: mean landmarks of rendered heads at rest, camera frame (scene/synthetic_head.h). k: eyes,
// nose, corners of the mouth, and chin. These hardly move with the expression. Jaw points are left
// out, because in photographs they follow the outline of the head.
//
// The estimate is biased: a nose longer than the mean looks like a turned head, and perspective of
// a near camera is ignored. On rendered heads its mean error is 4 degrees of pitch (3.5 of them a
// constant), 5 of yaw and 1.5 of roll.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::datasets {

/// Estimates pitch, yaw and roll in degrees, float32 [..., 3], from landmarks [..., 68, 2] in
/// pixels. UsageError: another shape; a landmark is not finite; all points coincide.
at::Tensor estimate_pose(const at::Tensor& landmarks);

}  // namespace reprise::datasets
