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
// a near camera is ignored. Its mean error on rendered heads is, in degrees:
//
//     pitch   4     of which 3.5 are a constant
//     yaw     5
//     roll    1.5
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::datasets {

/// Estimates pitch, yaw and roll in degrees, float32 [..., 3], from landmarks [..., 68, 2] in
/// pixels. UsageError: another shape; a landmark is not finite; all points coincide.
at::Tensor estimate_pose(const at::Tensor& landmarks);

}  // namespace reprise::datasets
