// Two-way analysis of variance: how much of the variance in a grid of items two factors explain.
// Use: clips are generated from every pair of a content code and a motion code. Colour should
// follow the content alone, and the path the motion alone.
//
// v_ab is the vector of the item with content a of A and motion b of B; v_a., v_.b and v_.. are
// means. With S = Σ_ab |v_ab - v_..|²:
//
//     total       S / (A B)
//     content     B Σ_a |v_a. - v_..|² / S       1: motion has no effect on v
//     motion      A Σ_b |v_.b - v_..|² / S       1: content has no effect on v
//     both        1 - content - motion           interaction of the two
//
// There is one item per cell of the grid. If v depends on neither factor, the expected values are:
//     content     (A - 1) / (A B - 1)
//     motion      (B - 1) / (A B - 1)
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::metrics {

struct FactorVariance {
  double content = 0, motion = 0, both = 0;  ///< fractions; all 0 if nothing varies
  double total = 0;                          ///< variance, in the square of v's unit
};

/// Analysis of variance of values [A, B, d].
/// UsageError: another shape; fewer than two contents or motions; a value that is not finite.
FactorVariance factor_variance(const at::Tensor& values);

}  // namespace reprise::metrics
