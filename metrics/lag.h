// How late an estimate is, whatever is estimated.
//
//     lag = - sum (e_t,k - mean_k) (v_t,k - mean_k) / sum (v_t,k - mean_k)^2        over sequences, frames t and values k
// with e the error and v the speed of the truth. An estimate of what was true s frames ago has a
// lag of s, as far as motion is straight for so long. Source: ours.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::metrics {

/// Frames. error: [N, T, K]; speed: [N, T - 2, K], a frame, of all frames but the first and last of
/// each sequence. UsageError: a truth that never moves.
double lag(const at::Tensor& error, const at::Tensor& speed);

}  // namespace reprise::metrics
