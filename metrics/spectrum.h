// How fine the detail of a picture is.
//
//     mean frequency = Σ_k |k| |X_k|² / Σ_k |X_k|²          X: the two-dimensional Fourier transform of the picture less its mean
//
// |k| in cycles a pixel: a wave of period P along one axis has 1 / P, white noise about 0.38, a picture that changes slowly has little. A
// picture without any change has 0.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::metrics {

/// pictures: [N, ..., H, W]; powers are summed over all axes between. Returns [N], float64.
/// UsageError: fewer than three axes, a side below 2, a value that is not finite.
at::Tensor mean_frequency(const at::Tensor& pictures);

}  // namespace reprise::metrics
