// Classification: accuracy and the confusion matrix.
//
//     accuracy = 1/N Σ_n [p_n = q_n]            1 when every label is right, 0 when none is
//     confusion[i][j] = number of items of true class i that were predicted as class j
//
// The diagonal of the confusion matrix sums to N times the accuracy.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace reprise::metrics {

/// Fraction of right labels. predicted, truth: [N], integers.
/// UsageError: wrong shapes or types, or no item.
double accuracy(const at::Tensor& predicted, const at::Tensor& truth);

/// Largest number of classes of a confusion matrix, which then has 4 million cells.
inline constexpr std::int64_t max_confusion_classes = 2000;

/// Confusion matrix, [classes, classes], int64: a row per true class, a column per predicted class.
/// UsageError: as accuracy(); a label outside [0, classes) (names the item and the label); more
/// classes than max_confusion_classes.
at::Tensor confusion(const at::Tensor& predicted, const at::Tensor& truth, std::int64_t classes);

/// Accuracy for classes that form pairs, each the time reversal of the other.
struct PairedAccuracy {
  double pair = 0;  ///< fraction of items predicted as their own class or its opposite
  /// Fraction predicted as their own class, among the items of paired classes whose pair is right.
  /// 0.5 is chance; 0 if there is no such item.
  double direction = 0;
  std::int64_t in_pairs = 0;  ///< number of the items that `direction` counts
};
/// Paired accuracy. predicted, truth: [N], int64. opposite: per class the other class of its pair,
/// or the class itself if it has none. UsageError: as confusion().
PairedAccuracy paired_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                               const std::vector<std::int64_t>& opposite);

/// Name of accuracy() in records.
inline constexpr const char* accuracy_protocol = "accuracy/top-1";

}  // namespace reprise::metrics
