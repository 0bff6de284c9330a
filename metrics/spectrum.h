// Mean spatial frequency: how fine the detail of a picture is.
//
//     mean frequency = Σ_k |k| |X_k|² / Σ_k |X_k|²
//
// X is the two-dimensional Fourier transform of the picture minus its mean, and |k| is in cycles
// per pixel. A wave of period P along one axis has 1 / P, white noise about 0.38, a constant
// picture 0.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::metrics {

/// Mean frequency of each picture, [N], float64. pictures: [N, ..., H, W]; powers are summed over
/// the axes between. UsageError: fewer than three axes; a side below 2; a value that is not finite.
at::Tensor mean_frequency(const at::Tensor& pictures);

}  // namespace reprise::metrics
