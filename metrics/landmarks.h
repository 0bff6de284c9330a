// Landmark error, and the cumulative error curve made from it.
//
// A frame's error is the mean distance of its K predicted points from the true ones, over a length
// of the true face:
//     e_t = 1/K Σ_k |p_tk - q_tk| / L_t
// with L_t the diagonal of the box around q_t (300-VW, the default) or the distance of the outer
// eye corners, points 37 and 46 counted from 1 (300-W: inter-ocular).
//
// The curve F(x) is the share of frames with e <= x. The area under it up to a limit, divided by
// the limit, is exactly
//     AUC = 1/T Σ_t max(0, 1 - e_t / limit)
// No grid is involved. AUC is 1 when every error is 0, and 0 when none is below the limit. The
// failure rate is the share of frames with e > limit: a frame exactly at the limit has not failed.
//
// Values of different protocol (length, limit, number of points) are not comparable: protocol()
// names them, and records keep it.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::metrics {

/// Where the cumulative error curve ends, in lengths of the face.
inline constexpr double ced_limit = 0.08;  // 300-W; Sagonas et al. 2016

enum class FaceLength { BoxDiagonal, OuterEyeCorners };

/// predicted, truth: [T, K, 2], pixels. Returns e: [T], float64. UsageError: shapes differ; K is
/// not 68 with OuterEyeCorners; a coordinate that is not finite, or a true face without extent (the
/// first five frames are named, counted from 0).
at::Tensor landmark_error(const at::Tensor& predicted, const at::Tensor& truth,
                          FaceLength length = FaceLength::BoxDiagonal);

/// error: [T] or of any shape, every element a frame. UsageError: no frame; an error that is
/// negative or not finite; limit <= 0.
double auc(const at::Tensor& error, double limit = ced_limit);
double failure_rate(const at::Tensor& error, double limit = ced_limit);
double mean_error(const at::Tensor& error);

/// The cumulative error curve, for plotting: x_i = limit i / (samples - 1), y_i = F(x_i).
/// UsageError: as auc(); samples < 2.
struct ErrorCurve {
  std::vector<double> x, y;
};
ErrorCurve error_curve(const at::Tensor& error, double limit = ced_limit,
                       std::int64_t samples = 81);

/// error: [N, T], N clips of T frames. Returns [T], float64: the mean over clips for each position
/// in the clip. It rises where a method drifts and falls where memory helps. UsageError: not two
/// dimensions; otherwise as auc().
at::Tensor error_by_position(const at::Tensor& error);

/// predicted, truth: [N, T, K, 2], N sequences of T frames. How restless the points are: the root
/// of the mean squared length of the change of p_tk - q_tk from frame to frame, over the length of
/// the true face; a constant error has none. UsageError: as landmark_error(); fewer than two
/// frames.
double landmark_jitter(const at::Tensor& predicted, const at::Tensor& truth,
                       FaceLength length = FaceLength::BoxDiagonal);

/// Frames that the points come late (metrics/lag.h). Shapes as landmark_jitter(). UsageError:
/// shapes; fewer than three frames; points that never move.
double landmark_lag(const at::Tensor& predicted, const at::Tensor& truth);

/// error, damaged: [N, T]. Returns [1 + n], float64: the mean error of clear frames, then of the
/// first, second, ... n-th frame of gaps that stand behind a clear frame of their clip; n: the
/// longest such gap. It shows how long what was seen before lasts. A length that no gap has repeats
/// the value before it, which cannot happen but with few clips. UsageError: shapes that differ; no
/// clear frame.
at::Tensor error_in_gaps(const at::Tensor& error, const at::Tensor& damaged);

/// "box-diagonal", "outer-eye-corners".
std::string_view name_of(FaceLength length);

/// The identity of a metric as records keep it: "auc@0.08/box-diagonal/68"; without a limit
/// "mean_error/box-diagonal/68".
std::string protocol(std::string_view metric, FaceLength length,
                     std::optional<double> limit = std::nullopt, std::int64_t points = 68);

}  // namespace reprise::metrics
