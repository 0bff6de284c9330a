#include "metrics/seams.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <set>

#include "core/error.h"

namespace reprise::metrics {
namespace {

void require_seams(const std::vector<std::int64_t>& seams, std::int64_t length) {
  std::set<std::int64_t> seen;
  for (const auto seam : seams)
    if (seam < 0 || seam >= length || !seen.insert(seam).second)
      throw UsageError(
          fmt::format("seam {} of an axis of {} is outside it or given twice", seam, length),
          "give each seam once: s between s - 1 and s, 0 between the last and the first");
  // Steps 1 .. length - 1 always count; step 0 counts only if it is a seam.
  const auto inner =
      static_cast<std::int64_t>(seams.size()) - static_cast<std::int64_t>(seen.count(0));
  if (seams.empty() || inner >= length - 1)
    throw UsageError(
        fmt::format("{} seams in an axis of {} leave nothing to compare", seams.size(), length),
        "give at least one seam, and a canvas with other steps");
}

}  // namespace

double seam_energy(const at::Tensor& canvas, std::int64_t axis,
                   const std::vector<std::int64_t>& seams) {
  if (axis < 0 || axis >= canvas.dim() || canvas.numel() == 0)
    throw UsageError(
        fmt::format("a canvas of the shape {} has no axis {}", c10::str(canvas.sizes()), axis),
        "count its axes from 0");
  require_seams(seams, canvas.size(axis));
  const auto x = canvas.to(at::kDouble);
  if (!at::isfinite(x).all().item<bool>())
    throw UsageError("the canvas has values that are not finite",
                     "check what it was put together from");
  // [length]: step s is from s - 1 to s.
  const auto step =
      (x - x.roll(1, axis)).abs().transpose(0, axis).reshape({x.size(axis), -1}).mean(1);
  auto at_seam = at::zeros_like(step);
  at_seam.index_fill_(0, at::tensor(at::ArrayRef<std::int64_t>(seams), at::kLong).to(step.device()),
                      1);
  auto elsewhere = 1 - at_seam;
  // Without a seam at 0 the canvas is not periodic, and there is no step from its end.
  elsewhere[0] = 0;
  const double seam = (step * at_seam).sum().item<double>() / at_seam.sum().item<double>();
  const double rest = (step * elsewhere).sum().item<double>() / elsewhere.sum().item<double>();
  // A constant canvas has invisible seams.
  return seam == 0 && rest == 0 ? 1 : seam / rest;
}

}  // namespace reprise::metrics
