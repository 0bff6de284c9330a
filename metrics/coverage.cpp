#include "metrics/coverage.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <limits>
#include <vector>

#include "core/error.h"
#include "metrics/row_blocks.h"

namespace reprise::metrics {
namespace {

/// Returns a set as float64. UsageError: as the header says.
at::Tensor check_items(const at::Tensor& set, const char* name, std::int64_t features,
                       std::int64_t least) {
  if (set.dim() != 2 || set.size(1) != features || features == 0 || set.size(0) < least)
    throw UsageError(
        fmt::format("the {} items have the shape {}", name, c10::str(set.sizes())),
        fmt::format("give them as [N, d]: the same d features of each item, {} items or more",
                    least));
  if (!at::isfinite(set).all().item<bool>())
    throw UsageError(fmt::format("a feature of the {} items is not finite", name),
                     "check what the features were made from");
  return set.to(at::kDouble);
}

/// Method of computing distances. Products are fast, but equal items get a distance of 1e-8 of
/// their length. Differences give exactly 0, so that a ball of radius 0 contains only its own item.
enum class Way : std::int64_t { Products = 1, Differences = 2 };

/// Returns the distances of all pairs, [N, M].
at::Tensor distances(const at::Tensor& a, const at::Tensor& b, Way way) {
  return at::cdist(a, b, 2, static_cast<std::int64_t>(way));
}

/// Reduces the distances of `items` to `others` to [N]. `of_rows` reduces one block of rows, [n, M]
/// to [n].
template <typename OfRows>
at::Tensor by_row(const at::Tensor& items, const at::Tensor& others, Way way,
                  const OfRows& of_rows) {
  std::vector<at::Tensor> parts;
  for_row_blocks(items, others.size(0), [&](const at::Tensor& part, std::int64_t first) {
    auto apart = distances(part, others, way);
    parts.push_back(of_rows(apart, first));
  });
  return at::cat(parts);
}

/// Returns the distance of each item to its k-th nearest other item.
at::Tensor nearest_others(const at::Tensor& set, std::int64_t k, Way way) {
  // An item is not its own neighbour.
  return by_row(set, set, way, [k](at::Tensor& apart, std::int64_t first) {
    apart.slice(1, first, first + apart.size(0))
        .fill_diagonal_(std::numeric_limits<double>::infinity());
    return k == 1 ? apart.amin(1) : std::get<0>(apart.kthvalue(k, 1));
  });
}

/// Returns the distance of each item to the nearest item of `set`.
at::Tensor nearest_distances(const at::Tensor& items, const at::Tensor& set) {
  return by_row(items, set, Way::Products,
                [](const at::Tensor& apart, std::int64_t) { return apart.amin(1); });
}

/// Returns the fraction of `items` in the manifold of `set`.
double fraction_inside(const at::Tensor& items, const at::Tensor& set, std::int64_t k) {
  // The manifold is the union of balls around the items, up to the k-th neighbour.
  const auto radius = nearest_others(set, k, Way::Differences).unsqueeze(0);
  const auto within =
      by_row(items, set, Way::Differences,
             [&](const at::Tensor& apart, std::int64_t) { return apart.le(radius).any(1); });
  return within.to(at::kDouble).mean().item<double>();
}

/// Returns the fraction of `values` below the quantile of `of`.
double below_quantile(const at::Tensor& values, const at::Tensor& of) {
  return values.lt(of.quantile(repeat_quantile)).to(at::kDouble).mean().item<double>();
}

}  // namespace

PrecisionRecall precision_recall(const at::Tensor& real, const at::Tensor& generated,
                                 std::int64_t k) {
  if (k < 1)
    throw UsageError(fmt::format("there is no nearest neighbour number {}", k),
                     "use k = 1 or more");
  const auto features = real.size(-1);
  const auto a = check_items(real, "real", features, k + 1),
             b = check_items(generated, "generated", features, k + 1);
  return {.precision = fraction_inside(b, a, k), .recall = fraction_inside(a, b, k)};
}

double repeat_fraction(const at::Tensor& generated, const at::Tensor& real) {
  if (generated.sizes() != real.sizes())
    throw UsageError(fmt::format("the generated items have the shape {} and the real ones {}",
                                 c10::str(generated.sizes()), c10::str(real.sizes())),
                     "give as many of both: nearest distances fall with the size of a set");
  const auto a = check_items(generated, "generated", generated.size(-1), 2),
             b = check_items(real, "real", real.size(-1), 2);
  return below_quantile(nearest_others(a, 1, Way::Products), nearest_others(b, 1, Way::Products));
}

double copy_fraction(const at::Tensor& generated, const at::Tensor& training,
                     const at::Tensor& held_out) {
  const auto features = training.size(-1);
  const auto a = check_items(generated, "generated", features, 1),
             b = check_items(training, "training", features, 1),
             c = check_items(held_out, "held-out", features, 1);
  return below_quantile(nearest_distances(a, b), nearest_distances(c, b));
}

}  // namespace reprise::metrics
