#include "metrics/pose.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "metrics/lag.h"

namespace reprise::metrics {
namespace {

/// Wraps angles into [-180, 180).
at::Tensor wrapped(const at::Tensor& degrees) { return at::remainder(degrees + 180, 360) - 180; }

/// Returns the error e, [..., 3], float64.
at::Tensor difference(const at::Tensor& predicted, const at::Tensor& truth) {
  if (predicted.sizes() != truth.sizes() || predicted.dim() < 2 || predicted.size(-1) != 3)
    throw UsageError(fmt::format("estimated poses are {}, true ones {}",
                                 c10::str(predicted.sizes()), c10::str(truth.sizes())),
                     "give both as [..., 3]: pitch, yaw, roll of the same frames");
  if (predicted.numel() == 0)
    throw UsageError("there is no frame with a pose", "give at least one");
  const auto e = predicted.to(at::kDouble) - truth.to(at::kDouble);
  const auto bad = at::isfinite(e).all(-1).logical_not().sum().item<std::int64_t>();
  if (bad > 0)
    throw UsageError(fmt::format("{} frames have a pose that is not finite", bad),
                     "estimate every frame");
  // 359 degrees off is 1 degree off.
  return wrapped(e);
}

}  // namespace

PoseError pose_error(const at::Tensor& predicted, const at::Tensor& truth) {
  const auto axis = difference(predicted, truth).abs().reshape({-1, 3}).mean(0);
  PoseError error;
  for (std::int64_t a = 0; a < 3; ++a)
    error.axis[static_cast<std::size_t>(a)] = axis[a].item<double>();
  error.mean = axis.mean().item<double>();
  return error;
}

double pose_jitter(const at::Tensor& predicted, const at::Tensor& truth) {
  const auto e = difference(predicted, truth);
  if (e.dim() != 3 || e.size(0) * (e.size(1) - 1) < 2)
    throw UsageError(fmt::format("the jitter of poses {}", c10::str(predicted.sizes())),
                     "give [N, T, 3] with two steps or more in all");
  // Steps of all sequences together, but none from one sequence to the next.
  return e.diff(1, 1).reshape({-1, 3}).std(0).mean().item<double>();
}

double pose_jitter(const std::vector<at::Tensor>& predicted, const std::vector<at::Tensor>& truth) {
  if (predicted.size() != truth.size())
    throw UsageError(fmt::format("the jitter of {} sequences against {} true ones",
                                 predicted.size(), truth.size()),
                     "give the same ones");
  std::vector<at::Tensor> steps;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    steps.push_back(difference(predicted[i], truth[i]).diff(1, 0));
    count += steps.back().size(0);
  }
  if (count < 2)
    throw UsageError("the jitter of poses without two steps",
                     "give sequences of neighbouring frames");
  return at::cat(steps).std(0).mean().item<double>();
}

double pose_lag(const at::Tensor& predicted, const at::Tensor& truth) {
  const auto e = difference(predicted, truth);
  if (e.dim() != 3 || e.size(1) < 3)
    throw UsageError(fmt::format("the lag of poses {}", c10::str(predicted.sizes())),
                     "give [N, T, 3] with three frames or more");
  // Speed at frame t: half of the turn from frame t - 1 to t + 1, the short way round.
  const auto frames = e.size(1);
  const auto q = truth.to(at::kDouble);
  return lag(e, wrapped(q.slice(1, 2) - q.slice(1, 0, frames - 2)) / 2);
}

double landmark_error_3d(const at::Tensor& predicted, const at::Tensor& truth) {
  if (predicted.sizes() != truth.sizes() || predicted.dim() < 2 || predicted.size(-1) != 3 ||
      predicted.numel() == 0)
    throw UsageError(fmt::format("estimated points are {}, true ones {}",
                                 c10::str(predicted.sizes()), c10::str(truth.sizes())),
                     "give both as [..., P, 3], of the same frames, one at least");
  const auto distance = (predicted.to(at::kDouble) - truth.to(at::kDouble)).norm(2, -1);
  const auto mean = distance.mean().item<double>();
  if (!std::isfinite(mean))
    throw UsageError("3-D landmarks that are not finite", "estimate every point of every frame");
  return mean;
}

}  // namespace reprise::metrics
