// Classification: accuracy and the confusion matrix.
//
//     accuracy = 1/N Σ_n [p_n = q_n]            1 when every label is right, 0 when none is
//     confusion[i][j] = number of items of true class i that were called j; its diagonal sums to N times the accuracy
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

/// predicted, truth: [N], integer labels. UsageError: shapes or types are wrong; no item.
double accuracy(const at::Tensor& predicted, const at::Tensor& truth);

/// A matrix of more classes is not made: at this number it has 4 million cells.
inline constexpr std::int64_t most_confused_classes = 2000;

/// Returns [classes, classes], int64: rows are true classes, columns predicted ones. UsageError: as accuracy(); a label outside
/// [0, classes) (item and label are named); more classes than most_confused_classes.
at::Tensor confusion(const at::Tensor& predicted, const at::Tensor& truth, std::int64_t classes);

/// What records keep for accuracy().
inline constexpr const char* accuracy_protocol = "accuracy/top-1";

}  // namespace reprise::metrics
