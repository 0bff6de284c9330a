// Landmark error, and the cumulative error curve made from it.
//
// The error of a frame is the mean distance of its K predicted points from the true ones, divided
// by a length of the true face:
//     e_t = 1/K Σ_k |p_tk - q_tk| / L_t
// L_t is the diagonal of the box around q_t (300-VW, the default), or the distance of the outer eye
// corners (300-W). The corners are points 37 and 46, counted from 1.
//
// The curve F(x) is the fraction of frames with e <= x. The area under the curve up to a limit,
// divided by the limit, is exactly
//     AUC = 1/T Σ_t max(0, 1 - e_t / limit)
// AUC is 1 when every error is 0, and 0 when no error is below the limit. The failure rate is the
// fraction of frames with e > limit.
//
// Values are comparable only for equal length, limit and number of points. protocol() names these
// in records.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::metrics {

/// End of the cumulative error curve, in lengths of the face.
inline constexpr double ced_limit = 0.08;  // 300-W; Sagonas et al. 2016

enum class FaceLength { BoxDiagonal, OuterEyeCorners };

/// Errors [T] (float64) of predicted landmarks [T, K, 2] against the truth [T, K, 2], both in
/// pixels. UsageError: different shapes; K other than 68 with OuterEyeCorners; a coordinate that is
/// not finite; a true face without extent (names the first five frames, counted from 0).
at::Tensor landmark_error(const at::Tensor& predicted, const at::Tensor& truth,
                          FaceLength length = FaceLength::BoxDiagonal);

/// Scores of errors of any shape, one element per frame.
/// UsageError: no frame; an error that is negative or not finite; a limit not above 0.
double auc(const at::Tensor& error, double limit = ced_limit);
double failure_rate(const at::Tensor& error, double limit = ced_limit);
double mean_error(const at::Tensor& error);

/// Cumulative error curve for plotting: x_i = limit i / (samples - 1), y_i = F(x_i).
struct ErrorCurve {
  std::vector<double> x, y;
};
/// Samples the curve. UsageError: as auc(); samples < 2.
ErrorCurve error_curve(const at::Tensor& error, double limit = ced_limit,
                       std::int64_t samples = 81);

/// Mean error at each position of a clip, [T] (float64), from errors [N, T] of N clips. It rises
/// for a method that drifts, and falls where memory helps.
/// UsageError: as auc(); not two dimensions.
at::Tensor error_by_position(const at::Tensor& error);

/// Jitter of N sequences of T frames, predicted and truth [N, T, K, 2]: root mean square change of
/// p_tk - q_tk from frame to frame, divided by the length of the true face. A constant error has
/// jitter 0. UsageError: as landmark_error(); fewer than two frames.
double landmark_jitter(const at::Tensor& predicted, const at::Tensor& truth,
                       FaceLength length = FaceLength::BoxDiagonal);

/// Lag of the predicted points, in frames (metrics/lag.h). Shapes as in landmark_jitter().
/// UsageError: as landmark_jitter(); fewer than three frames; points that never move.
double landmark_lag(const at::Tensor& predicted, const at::Tensor& truth);

/// Mean error by time since the last clear frame, [1 + n], from error and damaged, both [N, T].
/// Value 0 is the mean over clear frames, value i that of the i-th frame of gaps. Only gaps that
/// follow a clear frame of their clip count; n is the longest of them. The values show how long
/// memory lasts. A length without a gap repeats the value before it.
/// UsageError: different shapes; no clear frame.
at::Tensor error_in_gaps(const at::Tensor& error, const at::Tensor& damaged);

/// "box-diagonal" or "outer-eye-corners".
std::string_view name_of(FaceLength length);

/// Name of a metric in records: "auc@0.08/box-diagonal/68", or "mean_error/box-diagonal/68" without
/// a limit.
std::string protocol(std::string_view metric, FaceLength length,
                     std::optional<double> limit = std::nullopt, std::int64_t points = 68);

}  // namespace reprise::metrics
