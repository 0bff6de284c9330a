#include "metrics/translation.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace reprise::metrics {
namespace {

void require_pictures(const at::Tensor& x) {
  if (x.dim() != 4 || x.size(0) < 1 || (x.size(1) != 1 && x.size(1) != 3))
    throw UsageError(fmt::format("pictures of shape [{}]", fmt::join(x.sizes(), ", ")),
                     "give [N, 1 or 3, H, W] with at least one");
}

void require_pairs(const at::Tensor& a, const at::Tensor& b) {
  require_pictures(a);
  if (a.sizes() != b.sizes())
    throw UsageError(fmt::format("pictures of shape [{}] and translations of shape [{}]",
                                 fmt::join(a.sizes(), ", "), fmt::join(b.sizes(), ", ")),
                     "give one translation per picture, of the same size");
}

/// Applies a 3 x 3 kernel to [N, H, W], without padding.
at::Tensor filter(const at::Tensor& x, std::initializer_list<double> kernel) {
  const auto weights = at::tensor(kernel, x.options()).view({1, 1, 3, 3});
  return at::conv2d(x.unsqueeze(1), weights).squeeze(1);
}

/// Returns the length of the gradient by Sobel's kernels.
at::Tensor gradient_length(const at::Tensor& y) {
  const auto across = filter(y, {-1, 0, 1, -2, 0, 2, -1, 0, 1});
  const auto down = filter(y, {-1, -2, -1, 0, 0, 0, 1, 2, 1});
  return (across.square() + down.square()).sqrt();
}

/// Returns the correlation of each item of a with that of b.
at::Tensor correlation(const at::Tensor& a, const at::Tensor& b) {
  const auto x = a.flatten(1);
  const auto y = b.flatten(1);
  const auto dx = x - x.mean(1, true);
  const auto dy = y - y.mean(1, true);
  const auto scale = (dx.square().sum(1) * dy.square().sum(1)).sqrt();
  // Differences in the last bits of a float do not count: the picture is constant.
  const auto flat = dx.abs().amax(1).lt(1e-6) | dy.abs().amax(1).lt(1e-6);
  return at::where(flat, at::zeros_like(scale), (dx * dy).sum(1) / scale.clamp_min(1e-300));
}

}  // namespace

at::Tensor luminance(const at::Tensor& x) {
  require_pictures(x);
  const auto y = x.to(at::kDouble);
  return x.size(1) == 1 ? y.squeeze(1)
                        : 0.299 * y.select(1, 0) + 0.587 * y.select(1, 1) + 0.114 * y.select(1, 2);
}

at::Tensor sharpness(const at::Tensor& x, std::int64_t levels) {
  auto y = luminance(x);
  // Shortest side of the smallest level.
  const auto least = std::min(y.size(1), y.size(2)) >> (levels - 1);
  if (levels < 1 || least < 3)
    throw UsageError(
        fmt::format("{} levels of pictures of {} x {} pixels", levels, y.size(1), y.size(2)),
        "use at least one level, and leave sides of 3 pixels or more");
  std::vector<at::Tensor> means;
  for (std::int64_t level = 0; level < levels; ++level) {
    if (level > 0) y = at::avg_pool2d(y.unsqueeze(1), 2).squeeze(1);
    // The Laplacian, of 4 neighbours.
    means.push_back(filter(y, {0, 1, 0, 1, -4, 1, 0, 1, 0}).abs().mean());
  }
  return at::stack(means);
}

at::Tensor layout_correlation(const at::Tensor& a, const at::Tensor& b, std::int64_t cells) {
  require_pairs(a, b);
  if (cells < 2 || a.size(2) < cells || a.size(3) < cells)
    throw UsageError(fmt::format("{} x {} cells of pictures of {} x {} pixels", cells, cells,
                                 a.size(2), a.size(3)),
                     "use at least 2 cells, and at most as many as pixels");
  const auto shrunk = [cells](const at::Tensor& x) {
    return at::adaptive_avg_pool2d(luminance(x).unsqueeze(1), {cells, cells});
  };
  return correlation(shrunk(a), shrunk(b));
}

at::Tensor edge_correlation(const at::Tensor& a, const at::Tensor& b) {
  require_pairs(a, b);
  return correlation(gradient_length(luminance(a)), gradient_length(luminance(b)));
}

CodeAgreement code_agreement(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes() || a.dim() < 2 || a.size(0) < 2)
    throw UsageError(fmt::format("codes of shape [{}] and [{}]", fmt::join(a.sizes(), ", "),
                                 fmt::join(b.sizes(), ", ")),
                     "give the codes of both domains as [N, ...] in the same order, N at least 2");
  const auto x = a.flatten(1).to(at::kDouble), y = b.flatten(1).to(at::kDouble);
  if (!x.isfinite().all().item<bool>() || !y.isfinite().all().item<bool>())
    throw UsageError("a code is not finite", "find the item whose network diverged");
  const auto distances = at::cdist(x, y);
  const auto n = distances.size(0);
  // Matching codes are on the diagonal.
  const auto own = distances.diagonal();
  const auto right = distances.argmin(1).eq(at::arange(n, distances.options().dtype(at::kLong)));
  const double corresponding = own.mean().item<double>();
  // The mean over all pairs of different places.
  const double others =
      (distances.sum() - own.sum()).item<double>() / static_cast<double>(n * (n - 1));
  return {.top_1 = right.to(at::kDouble).mean().item<double>(),
          .ratio = others > 0 ? corresponding / others : 1};
}

}  // namespace reprise::metrics
