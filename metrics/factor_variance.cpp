#include "metrics/factor_variance.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"

namespace reprise::metrics {

FactorVariance factor_variance(const at::Tensor& values) {
  if (values.dim() != 3 || values.size(0) < 2 || values.size(1) < 2 || values.size(2) == 0)
    throw UsageError(fmt::format("a grid of items has the shape {}", c10::str(values.sizes())),
                     "give it as [A, B, d], with 2 contents and 2 motions or more");
  if (!at::isfinite(values).all().item<bool>())
    throw UsageError("a value of the grid is not finite", "check what it was made from");
  const auto v = values.to(at::kDouble);
  // [A, B, d] around the mean of all items.
  const auto rest = v - v.mean(at::IntArrayRef{0, 1}, true);
  const double sum = rest.square().sum().item<double>();
  FactorVariance variance{.total = sum / static_cast<double>(v.size(0) * v.size(1))};
  // Equal items have no variance to explain; all fractions stay 0.
  if (sum == 0) return variance;
  variance.content =
      rest.mean(1).square().sum().item<double>() * static_cast<double>(v.size(1)) / sum;
  variance.motion =
      rest.mean(0).square().sum().item<double>() * static_cast<double>(v.size(0)) / sum;
  variance.both = 1 - variance.content - variance.motion;
  return variance;
}

}  // namespace reprise::metrics
