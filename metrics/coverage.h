// Coverage and copying: does a generated set cover the real set, repeat itself, or repeat its
// training set? These metrics detect a generator with few distinct items; a mean distance between
// pairs does not. Items are feature vectors or flattened pixels.
//
// Let r_k(x, A) be the distance from x to the k-th nearest item of A, without x itself. The
// manifold of A is the union of the balls around its items a with radius r_k(a, A).
//
//   - precision: fraction of generated items inside the manifold of the real set.
//   - recall: fraction of real items inside the manifold of the generated set.
//   - repeats: fraction of generated items g whose r_1(g, G) is below a quantile.
//   - copies: fraction of generated items whose nearest training item is closer than a quantile.
//
// The quantile p of `repeats` is taken over r_1 of equally many real items, that of `copies` over
// the distances of held-out real items to the training set.
//
// Precision 1: every generated item looks real. Recall 1: the generator covers all real items.
// For real items, repeats and copies have the expectation p = repeat_quantile. Sixteen items
// repeated many times have recall 0 and repeats 1; copied training items have copies 1.
//
// Pale or dark sets are close to everything and can count as copies, so metrics of content must be
// read as well. Nearest distances shrink with the size of a set: compare sets of equal size.
// Source: Kynkäänniemi et al. 2019 (precision and recall, k = 3).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

struct PrecisionRecall {
  double precision = 0, recall = 0;
};

/// Precision and recall. real: [N, d], generated: [M, d]; computed in float64.
/// UsageError: other shapes; a value that is not finite; k < 1; k or fewer items.
PrecisionRecall precision_recall(const at::Tensor& real, const at::Tensor& generated,
                                 std::int64_t k = 3);

/// The quantile p: expected fraction of repeats or copies in a real set.
inline constexpr double repeat_quantile = 0.02;

/// Fraction of repeats. generated, real: [N, d].
/// UsageError: other shapes; a value that is not finite; fewer than two items.
double repeat_fraction(const at::Tensor& generated, const at::Tensor& real);

/// Fraction of copies. generated: [M, d], training: [N, d], held_out: [L, d], real items that
/// nothing was trained on. UsageError: other shapes; no item; a value that is not finite.
double copy_fraction(const at::Tensor& generated, const at::Tensor& training,
                     const at::Tensor& held_out);

}  // namespace reprise::metrics
