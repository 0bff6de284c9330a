// Classification: accuracy and the confusion matrix.
//
//     accuracy = 1/N Σ_n [p_n = q_n]            1 when every label is right, 0 when none is
//     confusion[i][j] = number of items of true class i that were called j; its diagonal sums to N times the accuracy
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace reprise::metrics {

/// predicted, truth: [N], integer labels. UsageError: shapes or types are wrong; no item.
double accuracy(const at::Tensor& predicted, const at::Tensor& truth);

/// A matrix of more classes is not made: at this number it has 4 million cells.
inline constexpr std::int64_t most_confused_classes = 2000;

/// Returns [classes, classes], int64: rows are true classes, columns predicted ones. UsageError: as
/// accuracy(); a label outside [0, classes) (item and label are named); more classes than
/// most_confused_classes.
at::Tensor confusion(const at::Tensor& predicted, const at::Tensor& truth, std::int64_t classes);

/// Classes that come in pairs, of which one is the other in opposite order of time.
struct PairedAccuracy {
  double pair = 0;  ///< share of items called by their own class or its opposite
  double direction =
      0;  ///< of the items of paired classes that are so called, the share called by their own; 0.5 is chance
  std::int64_t in_pairs = 0;  ///< how many those are; with none direction is 0
};
/// predicted, truth: [N] int64. opposite: of each class the other of its pair, itself where it has
/// none. UsageError: as confusion().
PairedAccuracy paired_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                               const std::vector<std::int64_t>& opposite);

/// What records keep for accuracy().
inline constexpr const char* accuracy_protocol = "accuracy/top-1";

}  // namespace reprise::metrics
