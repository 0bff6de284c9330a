#include "models/representations/canvas.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/error.h"

namespace reprise::models {

Canvas::Canvas(const at::Tensor& content, CanvasOptions options) : options_(std::move(options)) {
  const auto dimensions = content.dim();
  axis_ = options_.axis < 0 ? dimensions + options_.axis : options_.axis + 1;
  if (axis_ < 1 || axis_ >= dimensions)
    throw UsageError(
        fmt::format("a canvas of {} axes has no axis {}", dimensions - 1, options_.axis),
        "count from 0, or from the end below 0");
  if (options_.window == 0) options_.window = content.size(axis_);
  if (options_.window < 1 || options_.window > content.size(axis_))
    throw UsageError(fmt::format("a window of {} does not fit a canvas of {}", options_.window,
                                 content.size(axis_)),
                     "make the canvas at least as long as the prior's items are");
  if (options_.overlap < 1 || options_.overlap > options_.window)
    throw UsageError(
        fmt::format("{} windows of {} over one another", options_.overlap, options_.window),
        "give one or more, at most the window");
  std::vector<std::int64_t> window(content.sizes().begin() + 1, content.sizes().end());
  window[static_cast<std::size_t>(axis_ - 1)] = options_.window;
  const auto count = [](const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  };
  if (options_.item.empty()) options_.item = window;
  if (count(options_.item) != count(window))
    throw UsageError(fmt::format("a window holds {} values, an item of the prior {}", count(window),
                                 count(options_.item)),
                     "give the window the prior's size");
  content_ = register_parameter("content", content.detach().clone());
}

at::Tensor Canvas::windows(std::int64_t phase) const {
  const auto length = this->length();
  const auto window = options_.window;
  const auto apart = window / options_.overlap;
  std::vector<std::int64_t> offsets;
  if (options_.wrap) {
    // As few windows as cover the circle, evenly spaced.
    const auto count = (length + apart - 1) / apart;
    for (std::int64_t i = 0; i < count; ++i)
      offsets.push_back((phase + i * length / count) % length);
  } else {
    // From the phase on. Windows that would leave the canvas stop at its ends.
    for (auto at = phase % window == 0 ? 0 : phase % window - window; at < length; at += apart)
      offsets.push_back(std::clamp<std::int64_t>(at, 0, length - window));
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  }
  return views_at(offsets);
}

at::Tensor Canvas::windows_every(std::int64_t stride) const {
  if (stride < 1 || stride > options_.window)
    throw UsageError(fmt::format("a stride of {} between windows of {}", stride, options_.window),
                     "give one from 1 to the window");
  const auto last = length() - options_.window;
  std::vector<std::int64_t> offsets;
  for (std::int64_t at = 0; at < (options_.wrap ? length() : last + stride); at += stride)
    offsets.push_back(options_.wrap ? at : std::min(at, last));
  return views_at(offsets);
}

at::Tensor Canvas::views_at(const std::vector<std::int64_t>& offsets) const {
  const auto along = at::tensor(offsets, at::kDouble);
  // psi has a row per window: the object and the offset along the axis.
  const auto object = at::arange(objects(), at::kDouble);
  return at::stack({object.repeat_interleave(along.numel()), along.repeat({objects()})}, 1);
}

at::Tensor Canvas::views(Random& random) const {
  // A window of the whole canvas has one position. Else the phase is random.
  const auto whole = length() == options_.window && !options_.wrap;
  return windows(whole ? 0 : random.below(options_.wrap ? length() : options_.window));
}

at::Tensor Canvas::positions(const at::Tensor& psi) const {
  const auto offset = psi.select(1, 1).to(at::kLong).unsqueeze(1);
  return (offset + at::arange(options_.window, at::kLong))
      .remainder(length())
      .to(content_.device());
}

at::Tensor Canvas::render(const at::Tensor& psi) {
  const auto object = psi.select(1, 0).to(content_.device(), at::kLong).unsqueeze(1);
  const auto seen = content_.movedim(axis_, 1).index({object, positions(psi)}).movedim(1, axis_);
  std::vector<std::int64_t> shape{psi.size(0)};
  shape.insert(shape.end(), options_.item.begin(), options_.item.end());
  return seen.reshape(shape);
}

void Canvas::fit(const at::Tensor& psi, const at::Tensor& target) {
  check_finite_views(target, "target");
  const torch::NoGradGuard no_grad;
  const auto object = psi.select(1, 0).to(content_.device(), at::kLong).unsqueeze(1);
  const auto along = positions(psi);
  // With the extended axis second, a window is an index of the first two axes.
  const auto canvas = content_.movedim(axis_, 1);
  std::vector<std::int64_t> window(content_.sizes().begin(), content_.sizes().end());
  window[0] = psi.size(0);
  window[static_cast<std::size_t>(axis_)] = options_.window;
  const auto values = target.reshape(window).movedim(axis_, 1);
  // Mean over the windows that cover a value; uncovered values stay.
  const auto sum = at::zeros_like(canvas).index_put({object, along}, values, true);
  auto count = at::zeros({canvas.size(0), canvas.size(1)}, content_.options());
  count = count.index_put({object, along}, at::ones({}, count.options()).expand_as(along), true);
  std::vector<std::int64_t> beside(static_cast<std::size_t>(canvas.dim()), 1);
  beside[0] = canvas.size(0);
  beside[1] = canvas.size(1);
  count = count.view(beside);
  canvas.copy_(at::where(count > 0, sum / count.clamp_min(1), canvas));
}

}  // namespace reprise::models
