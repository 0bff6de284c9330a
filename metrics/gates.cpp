#include "metrics/gates.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"

namespace reprise::metrics {
namespace {

// Comparison in float64: a float32 activation of 0.1 is slightly above 0.1 and counts as active.
constexpr double closed = 0.1, open = 0.9;  // document prernn, fig. 2

/// Returns the activations as float64. UsageError: as saturation().
at::Tensor check_activations(const at::Tensor& activations) {
  if (activations.numel() == 0 || activations.dim() == 0)
    throw UsageError("gate saturation needs activations of shape [..., units]; there are none",
                     "record the gates of at least one clip");
  auto a = activations.to(at::kDouble);
  const auto bad = ((a >= 0) & (a <= 1)).logical_not().sum().item<std::int64_t>();
  if (bad > 0)
    throw UsageError(
        fmt::format("{} of {} gate activations are outside [0, 1] or not finite", bad, a.numel()),
        "give the gates after their sigmoid, from a network whose training did not diverge");
  return a;
}

}  // namespace

Saturation saturation(const at::Tensor& activations) {
  const auto a = check_activations(activations).reshape({-1, activations.size(-1)});
  return {.left = (a < closed).to(at::kDouble).mean(0),
          .right = (a > open).to(at::kDouble).mean(0)};
}

at::Tensor gate_histogram(const at::Tensor& activations, std::int64_t bins) {
  if (bins < 1)
    throw UsageError(fmt::format("a histogram of {} bins holds nothing", bins),
                     "use 1 bin or more");
  const auto a = check_activations(activations).reshape({-1});
  // Inner edges i/bins; the outer ones need no comparison, which also closes the last bin.
  const auto edges = at::arange(1, bins, at::kDouble) / static_cast<double>(bins);
  return at::bincount(at::bucketize(a, edges, false, /*right=*/true), {}, bins);
}

double active_fraction(const at::Tensor& activations) {
  const auto a = check_activations(activations);
  return ((a >= closed) & (a <= open)).to(at::kDouble).mean().item<double>();
}

bool keeps_layer(const at::Tensor& activations) { return active_fraction(activations) < 0.5; }

}  // namespace reprise::metrics
