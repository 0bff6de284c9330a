#include "metrics/lag.h"

#include <ATen/ATen.h>

#include "core/error.h"

namespace reprise::metrics {

double lag(const at::Tensor& error, const at::Tensor& speed) {
  // The speed has no value for the first and last frame.
  const auto v = speed.flatten(0, 1);
  const auto off = error.slice(1, 1, error.size(1) - 1).flatten(0, 1);
  const auto moves = v - v.mean(0, true);
  const auto motion = moves.square().sum().item<double>();
  if (motion == 0)
    throw UsageError("the lag of a truth that never moves", "give sequences with motion");
  // The slope of the error over the speed: an estimate d frames late is off by -d times the speed.
  return -((off - off.mean(0, true)) * moves).sum().item<double>() / motion;
}

}  // namespace reprise::metrics
