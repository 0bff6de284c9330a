// Head pose and 3-D landmarks: error, jitter and lag of estimates.
//
// The error of axis a (pitch, yaw, roll) at frame t, in degrees, is
//     e_t,a = p_t,a - q_t,a, wrapped to [-180, 180)
// with the estimate p and the truth q.
//
//   - error: mean over frames of |e_t,a|, per axis, and the mean of the three axes.
//   - jitter: standard deviation over frames of e_t,a - e_t-1,a, mean of the three axes.
//   - lag: metrics/lag.h of e and v, with the speed v_t,a = (q_t+1,a - q_t-1,a) / 2.
//
// Differences are taken within sequences. The first and the last frame of a sequence have no v.
//
// A tracker with a constant error has jitter 0. A tracker with a constant output has the jitter of
// the true motion, which can be less than that of a good tracker. Jitter therefore means nothing
// without error and lag.
// Source: sheet of document dynamic_face (error, jitter); the lag is this project's.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

namespace reprise::metrics {

struct PoseError {
  std::array<double, 3> axis{};  ///< pitch, yaw, roll; degrees
  double mean = 0;
};

/// Pose error. predicted, truth: [..., 3], degrees.
/// UsageError: different shapes; no frame; values that are not finite (names how many frames).
PoseError pose_error(const at::Tensor& predicted, const at::Tensor& truth);

/// Jitter in degrees. predicted, truth: [N, T, 3], N sequences of T frames without gaps.
/// UsageError: as pose_error(); fewer than two differences.
double pose_jitter(const at::Tensor& predicted, const at::Tensor& truth);
/// Jitter of sequences of different lengths, each [T, 3].
double pose_jitter(const std::vector<at::Tensor>& predicted, const std::vector<at::Tensor>& truth);

/// Lag in frames. predicted, truth: as for pose_jitter().
/// UsageError: as pose_error(); sequences of fewer than three frames; a truth that never moves.
double pose_lag(const at::Tensor& predicted, const at::Tensor& truth);

/// Mean distance of estimated 3-D landmarks [..., P, 3] from the true ones, in their unit.
/// UsageError: different shapes; no point; a value that is not finite.
double landmark_error_3d(const at::Tensor& predicted, const at::Tensor& truth);

/// Names of the metrics in records.
inline constexpr auto landmark_error_3d_protocol = "mean distance of points in space, millimetres";
inline constexpr auto pose_error_protocol = "mean absolute error, degrees";
inline constexpr auto pose_lag_protocol = "regression of the error on the head's speed, frames";
inline constexpr auto pose_jitter_protocol =
    "deviation of the error's frame-to-frame difference, degrees";

}  // namespace reprise::metrics
