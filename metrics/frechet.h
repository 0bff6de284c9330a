// How far one distribution is from another, judged by a set of feature vectors of each.
//
//     Fréchet distance   |μ_a - μ_b|² + tr(C_a + C_b - 2 (C_a C_b)^(1/2))          μ mean, C covariance with n - 1
//     kernel distance    mean_{i≠j} k(a_i, a_j) + mean_{i≠j} k(b_i, b_j) - 2 mean_ij k(a_i, b_j),   k(x, y) = (x·y / d + 1)³
//
// The Fréchet distance is that of the two Gaussians with these moments: 0 for the same set, |s|²
// for a set and its copy shifted by s. It is never below 0, so two sets of one distribution lie
// apart by chance, the more the smaller they are: below about 200 items it is mostly this bias. The
// kernel distance (the squared maximum mean discrepancy, unbiased) has the expectation 0 for one
// distribution at any size, and falls below 0 when the sets happen to be nearer than chance has it.
//
// With centred items X = QR, C = RᵀR / (n - 1), and tr (C_a C_b)^(1/2) is the sum of the singular
// values of R_a R_bᵀ over ((n - 1)(m - 1))^(1/2). No covariance is formed, none is inverted, and a
// singular one loses no digit.
//
// Sources: Heusel et al. 2017 (FID); Bińkowski et al. 2018 (KID).
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::metrics {

/// a: [N, d], b: [M, d]; the order of the items does not matter. Computed in float64. UsageError:
/// not such shapes, d = 0; fewer than 2 items; a value that is not finite (how many items have one
/// is said).
double frechet_distance(const at::Tensor& a, const at::Tensor& b);
double kernel_distance(const at::Tensor& a, const at::Tensor& b);

}  // namespace reprise::metrics
