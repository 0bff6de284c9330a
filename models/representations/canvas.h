// A canvas of pixels of any size: phi of Algorithm 1 for a prior of smaller items, whose window
// slides over it.
//
// - An image: the window is the whole image. fit() replaces it.
// - A panorama is wider than the window. It wraps around or not.
// - A video or a sound is longer than the window, along time.
//
// psi: [V, 2]: object, offset of the window along the axis. In each round, windows cover the canvas
// from a random phase, `overlap` of them per value. Where windows overlap, fit() takes their mean.
#pragma once
#include <vector>

#include "models/representations/representation.h"

namespace reprise::models {

struct CanvasOptions {
  /// Axis of the content, counted from axis 0 of the object; from the end if below 0.
  std::int64_t axis = -1;
  std::int64_t window = 0;   ///< values along the axis that the prior sees; 0: all
  bool wrap = false;         ///< the last value is the left neighbour of the first
  std::int64_t overlap = 1;  ///< windows of a round per value (typical)
  /// Shape of an item of the prior, if it differs from the window: {T * C, H, W} of a video [T, C,
  /// H, W].
  std::vector<std::int64_t> item = {};
};

class Canvas : public Representation {
 public:
  /// content: [B, ...], B objects. UsageError: an axis that does not exist; a window longer than
  /// it; an item of another size; an overlap outside 1 to the window.
  explicit Canvas(const at::Tensor& content, CanvasOptions options = {});
  std::int64_t objects() const override { return content_.size(0); }
  at::Tensor views(Random& random) const override;
  at::Tensor render(const at::Tensor& psi) override;
  void fit(const at::Tensor& psi, const at::Tensor& target) override;

  /// Windows of every object that cover the axis, `overlap` times: [V, 2]. With wrap: as few as
  /// possible, evenly spaced, the first at `phase`. Otherwise: side by side with one at `phase`;
  /// windows that would leave the canvas stop at its ends.
  at::Tensor windows(std::int64_t phase) const;
  /// Windows of every object, `stride` apart from offset 0 on: [V, 2]. Without wrap, the last one
  /// ends with the canvas.
  at::Tensor windows_every(std::int64_t stride) const;
  /// The content itself, [B, ...]. Callers write to it to keep a part fixed.
  at::Tensor content() { return content_; }
  std::int64_t length() const { return content_.size(axis_); }
  std::int64_t window() const { return options_.window; }

 private:
  at::Tensor views_at(const std::vector<std::int64_t>& offsets) const;
  /// Positions along the axis that each view sees: [V, window].
  at::Tensor positions(const at::Tensor& psi) const;

  at::Tensor content_;
  CanvasOptions options_;
  std::int64_t axis_;  ///< axis in content_
};

}  // namespace reprise::models
