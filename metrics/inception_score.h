// Inception score: is a classifier confident about each item, and are the classes balanced?
// Confident means low entropy of an item's class distribution, balanced means high entropy of the
// mean distribution.
//
//     IS = exp( 1/N Σ_i Σ_c p_ic log(p_ic / p_c) ),   p_c = 1/N Σ_i p_ic
//
// The minimum 1 means that all items have the same distribution. The maximum is the number of
// classes C: every item is certain, and all classes are equally frequent. The score does not detect
// repetition within a class, or anything that the classifier ignores. Source: Salimans et al. 2016.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

struct InceptionScore {
  double mean = 0;     ///< mean over the splits
  double std_dev = 0;  ///< standard deviation over the splits, with n in the denominator
};

/// Inception score of class probabilities [N, C]. Split s of S holds the items floor(s N / S) to
/// floor((s + 1) N / S) - 1 in the given order, so sorted items must be shuffled first.
/// UsageError: another shape; splits outside 1 to N; a row that is no distribution (names it): a
/// negative value, or a sum that differs from 1 by more than 1e-3.
InceptionScore inception_score(const at::Tensor& probabilities, std::int64_t splits = 10);

}  // namespace reprise::metrics
