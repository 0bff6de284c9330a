#include "metrics/inception_score.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"

namespace reprise::metrics {

InceptionScore inception_score(const at::Tensor& probabilities, std::int64_t splits) {
  if (probabilities.dim() != 2 || probabilities.numel() == 0)
    throw UsageError(
        fmt::format("class probabilities have the shape {}", c10::str(probabilities.sizes())),
        "give them as [N, C]");
  const auto p = probabilities.to(at::kCPU, at::kDouble);
  const auto n = p.size(0);
  if (splits < 1 || splits > n)
    throw UsageError(fmt::format("{} items cannot be split into {} parts", n, splits),
                     fmt::format("choose splits from 1 to {}", n));
  // NaN fails both comparisons.
  const auto wrong = (p.ge(0).all(1) & (p.sum(1) - 1).abs().lt(1e-3)).logical_not().nonzero();
  if (wrong.size(0) > 0)
    throw UsageError(fmt::format("the probabilities of item {} are not a distribution",
                                 wrong[0].item<std::int64_t>()),
                     "give the output of a softmax: no value below 0, and a sum of 1");
  auto scores = at::empty({splits}, at::kDouble);
  for (std::int64_t s = 0; s < splits; ++s) {
    const auto part = p.slice(0, s * n / splits, (s + 1) * n / splits);
    // xlogy(0, 0) is 0, the limit of p ln p.
    const auto entropy_of_mean = -at::xlogy(part.mean(0), part.mean(0)).sum();
    const auto mean_of_entropies = -at::xlogy(part, part).sum(1).mean();
    scores[s] = (entropy_of_mean - mean_of_entropies).exp();
  }
  return {.mean = scores.mean().item<double>(),
          .std_dev = scores.std(0, /*unbiased=*/false).item<double>()};
}

}  // namespace reprise::metrics
