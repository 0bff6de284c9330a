// How much of what varies in a grid of items each of two factors explains: of clips made from every
// pair of a content code and a motion code, whether colour follows the content alone, and the path
// the motion alone.
//
// With v_ab the vector of the item with content a of A and motion b of B, and means v_a., v_.b and
// v_..,
//     total       Σ_ab |v_ab - v_..|²  / (A B)
//     content     B Σ_a |v_a. - v_..|²  / Σ_ab |v_ab - v_..|²       1: motion does nothing to v
//     motion      A Σ_b |v_.b - v_..|²  / Σ_ab |v_ab - v_..|²       1: content does nothing to v
//     both        1 - content - motion                              what hangs on the pair
// the two-way analysis of variance with one item per cell. Items that follow neither factor score,
// by chance and in the mean, (A - 1) / (A B - 1) for content and (B - 1) / (A B - 1) for motion.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::metrics {

struct FactorVariance {
  double content = 0, motion = 0, both = 0;  ///< fractions; all 0 where nothing varies
  double total = 0;                          ///< in the square of v's unit
};

/// values: [A, B, d]. UsageError: another shape; fewer than 2 contents or motions; a value that is
/// not finite.
FactorVariance factor_variance(const at::Tensor& values);

}  // namespace reprise::metrics
