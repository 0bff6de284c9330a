#include "metrics/pixel_accuracy.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace reprise::metrics {

at::Tensor right_pixels(const at::Tensor& predicted, const at::Tensor& truth, std::int64_t tolerance) {
  if (predicted.sizes() != truth.sizes() || truth.dim() != 4 || truth.numel() == 0)
    throw UsageError(
        fmt::format("predicted pictures are [{}], true ones [{}]", fmt::join(predicted.sizes(), ", "), fmt::join(truth.sizes(), ", ")),
        "give both as [N, H, W, C], at least one pixel");
  if (predicted.scalar_type() != at::kByte || truth.scalar_type() != at::kByte)
    throw UsageError(fmt::format("pictures are {} and {}", at::toString(predicted.scalar_type()), at::toString(truth.scalar_type())),
                     "give bytes: the tolerance is a part of 255");
  return (predicted.to(at::kShort) - truth.to(at::kShort)).abs().amax(3) <= tolerance;
}

double pixel_accuracy(const at::Tensor& predicted, const at::Tensor& truth, std::int64_t tolerance) {
  return right_pixels(predicted, truth, tolerance).to(at::kDouble).mean().item<double>();
}

at::Tensor pixel_accuracy_by_class(const at::Tensor& predicted, const at::Tensor& truth, const at::Tensor& classes, std::int64_t K,
                                   std::int64_t tolerance) {
  const auto right = right_pixels(predicted, truth, tolerance);
  if (classes.sizes() != right.sizes() || classes.is_floating_point())
    throw UsageError(fmt::format("classes are [{}] for pixels [{}]", fmt::join(classes.sizes(), ", "), fmt::join(right.sizes(), ", ")),
                     "give one whole number per pixel");
  const auto c = classes.flatten().to(at::kLong);
  if (c.min().item<std::int64_t>() < 0 || c.max().item<std::int64_t>() >= K)
    throw UsageError(fmt::format("classes from {} to {}", c.min().item<std::int64_t>(), c.max().item<std::int64_t>()),
                     fmt::format("use classes from 0 to {}", K - 1));
  return at::bincount(c, right.flatten().to(at::kDouble), K) / at::bincount(c, {}, K);
}

}  // namespace reprise::metrics
