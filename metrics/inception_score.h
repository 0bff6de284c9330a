// Inception score: whether a classifier is sure of each item (its class distribution has low
// entropy) and the items are of many classes (their mean distribution has high entropy).
//
//     IS = exp( 1/N Σ_i Σ_c p_ic log(p_ic / p_c) ),   p_c = 1/N Σ_i p_ic
//
// From 1 (every item has the same distribution) to C, the number of classes (each item surely of
// one class, all classes as frequent). It sees neither motion nor content that the classifier does
// not, nor repetition within a class. Source: Salimans et al. 2016.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

struct InceptionScore {
  double mean = 0,
         deviation =
             0;  ///< over the splits; the deviation with n in the denominator, as it is published
};

/// probabilities: [N, C]; split s of S holds the items floor(s N / S) to floor((s + 1) N / S) - 1,
/// in their order: shuffle what is sorted. UsageError: another shape; splits outside 1 to N; a row
/// that is no distribution (named): a value below 0, or a sum off 1 by 1e-3.
InceptionScore inception_score(const at::Tensor& probabilities, std::int64_t splits = 10);

}  // namespace reprise::metrics
