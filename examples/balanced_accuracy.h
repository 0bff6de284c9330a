// Balanced accuracy: accuracy where some classes are rarer than others.
//
//     balanced accuracy = mean of n_cc / n_c over the classes c that occur
// with n_c the number of items of true class c, and n_cc the number of those that were called c. It
// is 1 when every label is right and 1 / C when all items of C classes are called the same, however
// frequent that class is.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

/// predicted, truth: [N], integer labels. UsageError: as confusion().
double balanced_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                         std::int64_t classes);

/// What records keep for balanced_accuracy().
inline constexpr const char* balanced_accuracy_protocol = "balanced_accuracy/top-1";

}  // namespace reprise::metrics
