#include "metrics/image_quality.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <utility>

#include "core/error.h"

namespace reprise::metrics {
namespace {

// Wang et al. 2004: standard deviation of the window, pixels, and the stabilising constants.
constexpr double window_std_dev = 1.5;
constexpr double k1 = 0.01;
constexpr double k2 = 0.03;

/// Returns both as float64. UsageError: as psnr().
std::pair<at::Tensor, at::Tensor> check_pictures(const at::Tensor& a, const at::Tensor& b,
                                                 double range) {
  if (a.sizes() != b.sizes() || a.dim() < 2 || a.numel() == 0)
    throw UsageError(fmt::format("pictures of the shapes {} and {} cannot be compared",
                                 c10::str(a.sizes()), c10::str(b.sizes())),
                     "give both as [N, ...] of the same shape, with one item at least");
  if (!(range > 0))
    throw UsageError(fmt::format("the range of a picture's values is {}", range),
                     "give 255 for bytes, 2 for [-1, 1]");
  auto x = a.to(at::kDouble), y = b.to(at::kDouble);
  const auto bad = (at::isfinite(x) & at::isfinite(y))
                       .flatten(1)
                       .all(1)
                       .logical_not()
                       .sum()
                       .item<std::int64_t>();
  if (bad > 0)
    throw UsageError(
        fmt::format("{} of {} pairs of pictures have a value that is not finite", bad, a.size(0)),
        "check what the pictures were made from");
  return {x, y};
}

/// Returns the weighted mean of each window. pictures: [N, 1, H, W].
at::Tensor window_means(const at::Tensor& pictures, const at::Tensor& weights) {
  // A Gaussian window is a product of a row and a column.
  return at::conv2d(at::conv2d(pictures, weights.reshape({1, 1, 1, -1})),
                    weights.reshape({1, 1, -1, 1}));
}

}  // namespace

at::Tensor psnr(const at::Tensor& a, const at::Tensor& b, double range) {
  const auto [x, y] = check_pictures(a, b, range);
  return 10 * (range * range / (x - y).square().flatten(1).mean(1)).log10();
}

at::Tensor ssim(const at::Tensor& a, const at::Tensor& b, double range) {
  const auto [x, y] = check_pictures(a, b, range);
  if (x.dim() != 4 || x.size(2) < ssim_window || x.size(3) < ssim_window)
    throw UsageError(fmt::format("pictures of the shape {}; SSIM has windows of 11 x 11 pixels",
                                 c10::str(a.sizes())),
                     "give [N, C, H, W] with H and W of 11 or more");
  const auto offset = at::arange(ssim_window, x.options()) - ssim_window / 2;
  // A Gaussian around the middle of the window, with the sum 1.
  auto weights = (-offset.square() / (2 * window_std_dev * window_std_dev)).exp();
  weights /= weights.sum();
  // Each channel is compared alone.
  const auto p = x.flatten(0, 1).unsqueeze(1), q = y.flatten(0, 1).unsqueeze(1);
  const auto mean_p = window_means(p, weights), mean_q = window_means(q, weights);
  const auto variance_p = window_means(p * p, weights) - mean_p * mean_p,
             variance_q = window_means(q * q, weights) - mean_q * mean_q;
  const auto covariance = window_means(p * q, weights) - mean_p * mean_q;
  const double c1 = k1 * range * k1 * range, c2 = k2 * range * k2 * range;
  const auto alike = (2 * mean_p * mean_q + c1) * (2 * covariance + c2) /
                     ((mean_p * mean_p + mean_q * mean_q + c1) * (variance_p + variance_q + c2));
  return alike.reshape({x.size(0), -1}).mean(1);
}

}  // namespace reprise::metrics
