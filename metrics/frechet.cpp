#include "metrics/frechet.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "metrics/row_blocks.h"

namespace reprise::metrics {
namespace {

void require_features(const at::Tensor& set, const char* name) {
  if (set.size(0) < 2)
    throw UsageError(fmt::format("set {} has {} items; a spread needs 2", name, set.size(0)),
                     "give both sets 2 items or more");
  const auto bad = at::isfinite(set).all(1).logical_not().sum().item<std::int64_t>();
  if (bad > 0)
    throw UsageError(fmt::format("{} of the {} items of set {} have a feature that is not finite",
                                 bad, set.size(0), name),
                     "check what the features were made from");
}

/// Returns both sets as float64. UsageError: as the header says.
std::pair<at::Tensor, at::Tensor> check_sets(const at::Tensor& a, const at::Tensor& b) {
  if (a.dim() != 2 || b.dim() != 2 || a.size(1) != b.size(1) || a.size(1) == 0)
    throw UsageError(fmt::format("sets of features have the shapes {} and {}", c10::str(a.sizes()),
                                 c10::str(b.sizes())),
                     "give them as [N, d] and [M, d]: the same d features of each item");
  require_features(a, "a");
  require_features(b, "b");
  return {a.to(at::kDouble), b.to(at::kDouble)};
}

/// Returns the square root R, [min(N, d), d], of the covariance RᵀR.
at::Tensor covariance_root(const at::Tensor& set) {
  // Centred items X = QR have XᵀX = RᵀR, so the covariance itself is never formed.
  const auto centred = set - set.mean(0, true);
  return std::get<1>(at::linalg_qr(centred, "r")) / std::sqrt(static_cast<double>(set.size(0) - 1));
}

/// Returns Σ_ij k(a_i, b_j). With `others`, a and b are one set, and only pairs i != j count.
double kernel_sum(const at::Tensor& a, const at::Tensor& b, bool others) {
  double sum = 0;
  for_row_blocks(a, b.size(0), [&](const at::Tensor& part, std::int64_t first) {
    // k(x, y) = (x y / d + 1)^3, the kernel of the header.
    auto k = part.matmul(b.t());
    k.div_(static_cast<double>(a.size(1))).add_(1).pow_(3);
    auto of_part = k.sum();
    if (others) of_part = of_part - k.slice(1, first, first + part.size(0)).trace();
    sum += of_part.item<double>();
  });
  return sum;
}

/// Returns the mean of k over the pairs of different items of a set.
double mean_pair_kernel(const at::Tensor& set) {
  const auto n = static_cast<double>(set.size(0));
  return kernel_sum(set, set, true) / (n * (n - 1));
}

}  // namespace

double frechet_distance(const at::Tensor& a, const at::Tensor& b) {
  const auto [x, y] = check_sets(a, b);
  const auto root_x = covariance_root(x);
  const auto root_y = covariance_root(y);
  const auto shift = (x.mean(0) - y.mean(0)).square().sum();
  const auto spread = root_x.square().sum() + root_y.square().sum() -
                      2 * at::linalg_svdvals(root_x.matmul(root_y.t())).sum();
  // Only rounding can make the trace negative.
  return (shift + spread.clamp_min(0)).item<double>();
}

double kernel_distance(const at::Tensor& a, const at::Tensor& b) {
  const auto [x, y] = check_sets(a, b);
  return mean_pair_kernel(x) + mean_pair_kernel(y) -
         2 * kernel_sum(x, y, false) / static_cast<double>(x.size(0) * y.size(0));
}

}  // namespace reprise::metrics
