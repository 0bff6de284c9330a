#include "examples/balanced_accuracy.h"

#include <ATen/ATen.h>

#include "metrics/classification.h"

namespace reprise::metrics {

double balanced_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                         std::int64_t classes) {
  const auto counts = confusion(predicted, truth, classes).to(at::kDouble);
  return (counts.diagonal() / counts.sum(1))
      .nanmean()
      .item<double>();  // 0 / 0: a class that does not occur
}

}  // namespace reprise::metrics
