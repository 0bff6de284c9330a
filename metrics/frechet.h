// Distances between two distributions, estimated from a set of feature vectors of each.
//
//     Fréchet distance   |μ_a - μ_b|² + tr(C_a + C_b - 2 (C_a C_b)^(1/2))
//     kernel distance    mean_{i≠j} k(a_i, a_j) + mean_{i≠j} k(b_i, b_j) - 2 mean_ij k(a_i, b_j)
//
// μ: mean. C: covariance with n - 1. k(x, y) = (x·y / d + 1)³.
//
// The Fréchet distance compares the Gaussians with these moments. It is 0 for equal sets, and |s|²
// for a set and its copy shifted by s. It is biased upwards: sets of fewer than about 200 items
// from one distribution have mostly this bias.
//
// The kernel distance is the unbiased squared maximum mean discrepancy. Its expectation for one
// distribution is 0 at any set size, and single values can be negative.
//
// The trace uses no covariance matrix, so a singular one costs no precision. With centred items
// X = QR it is the sum of the singular values of R_a R_bᵀ, divided by
//     ((n - 1) (m - 1))^(1/2)
//
// Sources: Heusel et al. 2017 (FID); Bińkowski et al. 2018 (KID).
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::metrics {

/// Distances of two sets. a: [N, d], b: [M, d], in any order; computed in float64.
/// UsageError: other shapes; d = 0; fewer than two items; values that are not finite (names how
/// many items have one).
double frechet_distance(const at::Tensor& a, const at::Tensor& b);
double kernel_distance(const at::Tensor& a, const at::Tensor& b);

}  // namespace reprise::metrics
