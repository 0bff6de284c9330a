// Lag: the delay of an estimate, in frames, for any estimated quantity.
//
//     lag = - sum (e_t,k - mean_k) (v_t,k - mean_k) / sum (v_t,k - mean_k)^2
//
// e is the error and v the speed of the truth; sums are over sequences, frames t and values k. An
// estimate that repeats the truth of s frames ago has lag s if the motion is straight for that
// long. Source: own definition.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::metrics {

/// Lag in frames. error: [N, T, K]; speed: [N, T - 2, K], change per frame, without the first and
/// last frame of each sequence. UsageError: a truth that never moves.
double lag(const at::Tensor& error, const at::Tensor& speed);

}  // namespace reprise::metrics
