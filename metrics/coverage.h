// Whether a generated set covers the real one, whether it repeats itself, and whether it repeats
// what it was trained on. Sets of feature vectors, or of flattened pixels. A mean distance between
// pairs does not see that a generator knows sixteen items: these do.
//
// With r_k(x, A) the distance from x to the k-th nearest item of A (x itself not counted), the
// k-nearest-neighbour manifold of A is the union of balls around its items a with radius r_k(a, A),
// and
//     precision  fraction of generated items inside the manifold of the real ones    1: all look real
//     recall     fraction of real items inside the manifold of the generated ones    1: everything real can be generated
//     repeats    fraction of generated items g with r_1(g, G) below the quantile p of r_1 over as many real items
//     copies     fraction of generated items whose nearest training item is nearer than the quantile p of that distance over fresh real
//                items
// Repeats and copies of real items have the expectation p, here 0.02; of sixteen items again and
// again recall is 0 and repeats is 1, of training items again copies is 1. A pale or dark set is
// near everything, and may count as copies: read them beside metrics of content. Nearest distances
// fall with the size of a set: compare sets of one size. Sources: Kynkäänniemi et al. 2019
// (precision and recall, k = 3).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

struct PrecisionRecall {
  double precision = 0, recall = 0;
};

/// real: [N, d], generated: [M, d]; computed in float64. UsageError: other shapes; a value that is
/// not finite; k < 1; k or fewer items.
PrecisionRecall precision_recall(const at::Tensor& real, const at::Tensor& generated,
                                 std::int64_t k = 3);

inline constexpr double repeat_quantile = 0.02;

/// generated, real: [N, d] both. UsageError: other shapes; a value that is not finite; fewer than 2
/// items.
double repeats(const at::Tensor& generated, const at::Tensor& real);

/// generated: [M, d], training: [N, d], fresh: [L, d], real items that nothing was trained on.
/// UsageError: other shapes; no item; a value that is not finite.
double copies(const at::Tensor& generated, const at::Tensor& training, const at::Tensor& fresh);

}  // namespace reprise::metrics
