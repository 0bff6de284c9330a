// Similarity of two pictures: PSNR and SSIM, per item of a batch.
//
//     PSNR = 10 log10(range² / mean (a - b)²)                    decibels; infinite for equal items
//     SSIM = mean over channels and windows of
//            (2 μ_a μ_b + c1) (2 σ_ab + c2) / ((μ_a² + μ_b² + c1) (σ_a² + σ_b² + c2))
//
// c1 = (0.01 range)², c2 = (0.03 range)². μ, σ² and σ_ab are the weighted mean, variance and
// covariance of a window of 11 x 11 pixels. The weights are a normalised Gaussian with standard
// deviation 1.5 pixels. Only windows that lie inside the picture count.
//
// SSIM is symmetric, 1 for equal items, less for all others, and can be negative. `range` is the
// difference of the largest and the least possible value: 255 for bytes, 2 for [-1, 1].
// Source: Wang et al. 2004.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

inline constexpr std::int64_t ssim_window = 11;  ///< side of the window, pixels; Wang et al. 2004

/// PSNR of each item, [N], float64. a, b: [N, ...], bytes or real numbers.
/// UsageError: different or empty shapes; range not above 0; a value that is not finite.
at::Tensor psnr(const at::Tensor& a, const at::Tensor& b, double range);

/// SSIM of each item, [N], float64. a, b: [N, C, H, W].
/// UsageError: as psnr(); H or W below 11.
at::Tensor ssim(const at::Tensor& a, const at::Tensor& b, double range);

}  // namespace reprise::metrics
