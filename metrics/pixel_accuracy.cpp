#include "metrics/pixel_accuracy.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/error.h"

namespace reprise::metrics {

namespace {

/// Returns the classes flat, as int64. UsageError: as the header says.
at::Tensor flatten_classes(const at::Tensor& classes, at::IntArrayRef pixels, std::int64_t K) {
  if (classes.sizes() != pixels || classes.is_floating_point())
    throw UsageError(fmt::format("classes are [{}] for pixels [{}]",
                                 fmt::join(classes.sizes(), ", "), fmt::join(pixels, ", ")),
                     "give one whole number per pixel");
  auto c = classes.flatten().to(at::kLong);
  if (c.min().item<std::int64_t>() < 0 || c.max().item<std::int64_t>() >= K)
    throw UsageError(fmt::format("classes from {} to {}", c.min().item<std::int64_t>(),
                                 c.max().item<std::int64_t>()),
                     fmt::format("use classes from 0 to {}", K - 1));
  return c;
}

}  // namespace

at::Tensor find_correct_pixels(const at::Tensor& predicted, const at::Tensor& truth,
                               std::int64_t tolerance) {
  if (predicted.sizes() != truth.sizes() || truth.dim() != 4 || truth.numel() == 0)
    throw UsageError(
        fmt::format("predicted pictures are [{}], true ones [{}]",
                    fmt::join(predicted.sizes(), ", "), fmt::join(truth.sizes(), ", ")),
        "give both as [N, H, W, C], at least one pixel");
  if (predicted.scalar_type() != at::kByte || truth.scalar_type() != at::kByte)
    throw UsageError(fmt::format("pictures are {} and {}", at::toString(predicted.scalar_type()),
                                 at::toString(truth.scalar_type())),
                     "give bytes: the tolerance is a part of 255");
  // 16 bits, since differences of bytes wrap around. A pixel is as wrong as its worst channel.
  return (predicted.to(at::kShort) - truth.to(at::kShort)).abs().amax(3) <= tolerance;
}

double pixel_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                      std::int64_t tolerance) {
  return find_correct_pixels(predicted, truth, tolerance).to(at::kDouble).mean().item<double>();
}

at::Tensor pixel_accuracy_by_class(const at::Tensor& predicted, const at::Tensor& truth,
                                   const at::Tensor& classes, std::int64_t K,
                                   std::int64_t tolerance) {
  const auto right = find_correct_pixels(predicted, truth, tolerance);
  const auto c = flatten_classes(classes, right.sizes(), K);
  // Correct pixels over all pixels of each class.
  return at::bincount(c, right.flatten().to(at::kDouble), K) / at::bincount(c, {}, K);
}

double relabelled_pixel_accuracy(const at::Tensor& predicted, const at::Tensor& classes,
                                 const at::Tensor& colours, std::int64_t tolerance) {
  constexpr std::int64_t most = 8;  // 40,320 permutations
  const auto K = colours.size(0);
  if (K > most)
    throw UsageError(fmt::format("{} colours have too many relabellings", K),
                     fmt::format("give at most {}", most));
  // Per colour the number of its pixels in each class.
  std::vector<at::Tensor> by_colour;
  const auto pixels = predicted.sizes().slice(0, predicted.dim() - 1);
  const auto c = flatten_classes(classes, pixels, K);
  for (const auto& colour : colours.unbind(0)) {
    const auto matches =
        find_correct_pixels(predicted, colour.expand_as(predicted), tolerance).flatten();
    by_colour.push_back(at::bincount(c, matches.to(at::kDouble), K));
  }
  const auto counts = at::stack(by_colour);
  const auto of = counts.accessor<double, 2>();
  std::vector<std::int64_t> order(static_cast<std::size_t>(K));
  // Tries every assignment of colours to classes.
  std::iota(order.begin(), order.end(), 0);
  double best = 0;
  do {
    double right = 0;
    for (std::int64_t k = 0; k < K; ++k) right += of[k][order[static_cast<std::size_t>(k)]];
    best = std::max(best, right);
  } while (std::ranges::next_permutation(order).found);
  return best / static_cast<double>(c.numel());
}

RegisteredAccuracy registered_pixel_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                                             std::int64_t reach, std::int64_t tolerance) {
  if (predicted.dim() != 4 || reach < 0 ||
      2 * reach >= std::min(predicted.size(1), predicted.size(2)))
    throw UsageError(fmt::format("pictures [{}] cannot be shifted by {} pixels",
                                 fmt::join(predicted.sizes(), ", "), reach),
                     "give pictures [N, H, W, C] whose sides are more than twice as long");
  // The part of x that lies on the inner part of the truth after the shift.
  const auto within = [&](const at::Tensor& x, std::int64_t down, std::int64_t right) {
    return x.slice(1, reach - down, x.size(1) - reach - down)
        .slice(2, reach - right, x.size(2) - reach - right);
  };
  const auto inner = within(truth, 0, 0);
  // No shift comes first, so that it wins against shifts of the same accuracy.
  RegisteredAccuracy best{pixel_accuracy(within(predicted, 0, 0), inner, tolerance), 0, 0};
  for (auto down = -reach; down <= reach; ++down)
    for (auto right = -reach; right <= reach; ++right) {
      const auto accuracy = pixel_accuracy(within(predicted, down, right), inner, tolerance);
      if (accuracy > best.accuracy) best = {accuracy, down, right};
    }
  return best;
}

}  // namespace reprise::metrics
