#include "examples/balanced_accuracy.h"

#include <ATen/ATen.h>

#include "metrics/classification.h"

namespace reprise::metrics {

double balanced_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                         std::int64_t classes) {
  const auto counts = confusion(predicted, truth, classes).to(at::kDouble);
  // A class that does not occur gives 0 / 0, which nanmean leaves out.
  return (counts.diagonal() / counts.sum(1)).nanmean().item<double>();
}

}  // namespace reprise::metrics
