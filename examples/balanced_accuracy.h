// Balanced accuracy: accuracy where some classes are rarer than others.
//
//     balanced accuracy = mean of n_cc / n_c over the classes c that occur
//
// n_c is the number of items of true class c; n_cc is the number of those that were labelled c.
// The value is 1 if every label is right, and 1 / C if all items of C classes get the same label.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

/// Returns the balanced accuracy. predicted, truth: [N], integer labels. UsageError: as
/// confusion().
double balanced_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                         std::int64_t classes);

/// Protocol of balanced_accuracy() in records.
inline constexpr const char* balanced_accuracy_protocol = "balanced_accuracy/top-1";

}  // namespace reprise::metrics
