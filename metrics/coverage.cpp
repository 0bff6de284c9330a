#include "metrics/coverage.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <limits>

#include "core/error.h"

namespace reprise::metrics {
namespace {

at::Tensor covering_items(const at::Tensor& set, const char* name, std::int64_t features, std::int64_t least) {
  if (set.dim() != 2 || set.size(1) != features || features == 0 || set.size(0) < least)
    throw UsageError(fmt::format("the {} items have the shape {}", name, c10::str(set.sizes())),
                     fmt::format("give them as [N, d]: the same d features of each item, {} items or more", least));
  if (!at::isfinite(set).all().item<bool>())
    throw UsageError(fmt::format("a feature of the {} items is not finite", name), "check what the features were made from");
  return set.to(at::kDouble);
}

/// How distances are computed: through products, which is fast and leaves 1e-8 of an item's length between equal items, or by differences,
/// which leaves 0, so that balls of radius 0 hold nothing but their own item.
enum class Way : std::int64_t { Products = 1, Differences = 2 };

/// [N, M]
at::Tensor distances(const at::Tensor& a, const at::Tensor& b, Way way) { return at::cdist(a, b, 2, static_cast<std::int64_t>(way)); }

/// [N, N], an item infinitely far from itself.
at::Tensor distances_to_others(const at::Tensor& a, Way way) {
  return distances(a, a, way).fill_diagonal_(std::numeric_limits<double>::infinity());
}

/// Fraction of `items` in the manifold of `set`.
double inside(const at::Tensor& items, const at::Tensor& set, std::int64_t k) {
  const auto radius = std::get<0>(distances_to_others(set, Way::Differences).kthvalue(k, 1));
  return distances(items, set, Way::Differences).le(radius.unsqueeze(0)).any(1).to(at::kDouble).mean().item<double>();
}

double below_quantile(const at::Tensor& values, const at::Tensor& of) {
  return values.lt(of.quantile(repeat_quantile)).to(at::kDouble).mean().item<double>();
}

}  // namespace

PrecisionRecall precision_recall(const at::Tensor& real, const at::Tensor& generated, std::int64_t k) {
  if (k < 1) throw UsageError(fmt::format("there is no nearest neighbour number {}", k), "use k = 1 or more");
  const auto features = real.size(-1);
  const auto a = covering_items(real, "real", features, k + 1), b = covering_items(generated, "generated", features, k + 1);
  return {.precision = inside(b, a, k), .recall = inside(a, b, k)};
}

double repeats(const at::Tensor& generated, const at::Tensor& real) {
  if (generated.sizes() != real.sizes())
    throw UsageError(
        fmt::format("the generated items have the shape {} and the real ones {}", c10::str(generated.sizes()), c10::str(real.sizes())),
        "give as many of both: nearest distances fall with the size of a set");
  const auto a = covering_items(generated, "generated", generated.size(-1), 2), b = covering_items(real, "real", real.size(-1), 2);
  return below_quantile(distances_to_others(a, Way::Products).amin(1), distances_to_others(b, Way::Products).amin(1));
}

double copies(const at::Tensor& generated, const at::Tensor& training, const at::Tensor& fresh) {
  const auto features = training.size(-1);
  const auto a = covering_items(generated, "generated", features, 1), b = covering_items(training, "training", features, 1),
             c = covering_items(fresh, "fresh", features, 1);
  return below_quantile(distances(a, b, Way::Products).amin(1), distances(c, b, Way::Products).amin(1));
}

}  // namespace reprise::metrics
