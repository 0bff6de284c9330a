// Pixels, as large as they like: phi of Algorithm 1 as a canvas that a prior of small items slides
// over.
//
//     an image             the window is the whole image; fit() replaces it
//     a panorama           wider than the window; wraps around, or not
//     a video, a sound     longer than the window, along time
//
// psi: [V, 2]: object, offset of the window along the axis. In a round, windows cover the canvas
// from a drawn phase on, `overlap` of them each value; where windows overlap, fit() takes their
// mean.
#pragma once
#include <vector>

#include "models/representations/representation.h"

namespace reprise::models {

struct CanvasOptions {
  std::int64_t axis =
      -1;  ///< of the content, counted from the object's axis 0; or from the end, below 0
  std::int64_t window = 0;   ///< values along the axis that the prior sees; 0: all
  bool wrap = false;         ///< what is left of the first value is the last
  std::int64_t overlap = 1;  ///< windows of a round that see one value, as a rule
  std::vector<std::int64_t> item =
      {};  ///< shape of one item of the prior, where it is not the window's: {T * C, H, W} of a video [T, C, H, W]
};

class Canvas : public Representation {
 public:
  /// content: [B, ...], B objects. UsageError: a window beyond the axis, an axis that is not there,
  /// an item of another size, an overlap below 1 or above the window.
  explicit Canvas(const at::Tensor& content, CanvasOptions options = {});
  std::int64_t objects() const override { return content_.size(0); }
  at::Tensor views(Random& random) const override;
  at::Tensor render(const at::Tensor& psi) override;
  void fit(const at::Tensor& psi, const at::Tensor& target) override;

  /// Windows of every object that cover the axis: [V, 2]. Around: as few as can, evenly spaced, the
  /// first at `phase`. Otherwise side by side with one at `phase`; those that would leave the
  /// canvas stop at its ends. As often as `overlap` says.
  at::Tensor windows(std::int64_t phase) const;
  /// Windows of every object, `stride` apart from offset 0 on: [V, 2]. The last one ends with the
  /// canvas; around, none is left out.
  at::Tensor windows_every(std::int64_t stride) const;
  /// [B, ...]: the content itself; writing to it is how a caller holds a part.
  at::Tensor content() { return content_; }
  std::int64_t length() const { return content_.size(axis_); }
  std::int64_t window() const { return options_.window; }

 private:
  at::Tensor views_at(const std::vector<std::int64_t>& offsets) const;
  /// Which values along the axis each view sees: [V, window].
  at::Tensor positions(const at::Tensor& psi) const;

  at::Tensor content_;
  CanvasOptions options_;
  std::int64_t axis_;  ///< of content_
};

}  // namespace reprise::models
