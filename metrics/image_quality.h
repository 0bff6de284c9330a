// How near one picture is to another: PSNR and SSIM, both of each item of a batch.
//
//     PSNR = 10 log10(range² / mean (a - b)²)                                  decibels; infinite for equal items
//     SSIM = mean over channels and windows of
//            (2 μ_a μ_b + c1) (2 σ_ab + c2) / ((μ_a² + μ_b² + c1) (σ_a² + σ_b² + c2)),   c1 = (0.01 range)², c2 = (0.03 range)²
//
// μ, σ² and σ_ab are the weighted mean, variance and covariance of a window of 11 x 11 pixels; the
// weights are a Gaussian with standard standard deviation 1.5 that sums to 1. Only windows that lie
// wholly inside count, (H - 10)(W - 10) of them. SSIM is 1 for equal items and below 1 for all
// others, may be below 0, and is the same with a and b exchanged. Range is the distance from the
// least to the greatest value that a picture can have: 255 for bytes, 2 for [-1, 1]. Source: Wang
// et al. 2004.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

inline constexpr std::int64_t ssim_window = 11;  ///< pixels a side

/// a, b: [N, ...], bytes or real numbers. Returns [N], float64. UsageError: shapes differ or have
/// no item or nothing in one; range is not above 0; a value that is not finite.
at::Tensor psnr(const at::Tensor& a, const at::Tensor& b, double range);

/// a, b: [N, C, H, W]. Returns [N], float64. UsageError: as psnr(); H or W below 11.
at::Tensor ssim(const at::Tensor& a, const at::Tensor& b, double range);

}  // namespace reprise::metrics
