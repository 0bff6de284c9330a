// Head pose, and points of the head in space: how far estimates are from the truth, and how
// restless they are.
//
//     e_t,a  = p_t,a - q_t,a, brought into [-180, 180)           estimate less truth at frame t, a = pitch, yaw, roll, degrees
//     error  = mean over frames of |e_t,a|                       of each axis, and the mean of the three
//     jitter = standard deviation over frames of e_t,a - e_t-1,a within sequences, mean of the three axes
//     lag    = - sum (e_t,a - mean) (v_t,a - mean) / sum (v_t,a - mean)^2,   v_t,a = (q_t+1,a - q_t-1,a) / 2, over frames and axes
//
// A tracker that is off by a constant has jitter 0, and so has a perfect one. One that gives a
// constant whatever it sees has the jitter of the truth's own motion, which can be less than a good
// tracker's: jitter says nothing without error and lag. An estimate of what was true s frames ago
// has a lag of s, as far as motion is straight for so long; frames, of which the first and last of
// a sequence have no v. Source: sheet of document dynamic_face (error, jitter); the lag is ours.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

namespace reprise::metrics {

struct PoseError {
  std::array<double, 3> axis{};  ///< pitch, yaw, roll; degrees
  double mean = 0;
};

/// predicted, truth: [..., 3], degrees. UsageError: shapes differ; no frame; a value that is not
/// finite (its frame is counted).
PoseError pose_error(const at::Tensor& predicted, const at::Tensor& truth);

/// predicted, truth: [N, T, 3], N sequences of T frames without gaps. UsageError: as pose_error();
/// fewer than two differences.
double pose_jitter(const at::Tensor& predicted, const at::Tensor& truth);
/// The same of sequences of any lengths, each [T, 3].
double pose_jitter(const std::vector<at::Tensor>& predicted, const std::vector<at::Tensor>& truth);

/// Frames. predicted, truth: as pose_jitter(). UsageError: as pose_error(); sequences of fewer than
/// three frames; a truth that never moves.
double pose_lag(const at::Tensor& predicted, const at::Tensor& truth);

/// Points in space, [..., P, 3] both: the mean distance of an estimated point to the true one, in
/// their unit. UsageError: shapes differ; no point; a value that is not finite.
double place_error(const at::Tensor& predicted, const at::Tensor& truth);

inline constexpr auto place_error_protocol = "mean distance of points in space, millimetres";
inline constexpr auto pose_error_protocol = "mean absolute error, degrees";
inline constexpr auto pose_lag_protocol = "regression of the error on the head's speed, frames";
inline constexpr auto pose_jitter_protocol =
    "deviation of the error's frame-to-frame difference, degrees";

}  // namespace reprise::metrics
