// Pixel accuracy of a translation whose truth is known (document unit, map experiment): the
// fraction of pixels whose colour is right, that is whose largest difference from the truth's over
// the channels is at most `tolerance` of 255.
//
// 1 for equal pictures. A picture of one colour has the fraction of the pixels that have it: read
// accuracy beside that floor, and by class.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

inline constexpr std::int64_t colour_tolerance = 16;

/// predicted, truth: [N, H, W, C], uint8. Returns [N, H, W], bool. UsageError: shapes differ, or
/// are not those; no pixel; another type.
at::Tensor right_pixels(const at::Tensor& predicted, const at::Tensor& truth,
                        std::int64_t tolerance = colour_tolerance);

/// The fraction over all pixels of all pictures.
double pixel_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                      std::int64_t tolerance = colour_tolerance);

/// classes: [N, H, W], whole numbers in [0, K). Returns [K], float64: the fraction among each
/// class's pixels, not a number where there is none. UsageError: as above; classes of another shape
/// or range.
at::Tensor pixel_accuracy_by_class(const at::Tensor& predicted, const at::Tensor& truth,
                                   const at::Tensor& classes, std::int64_t K,
                                   std::int64_t tolerance = colour_tolerance);

/// The accuracy that the same picture had, were its colours exchanged in the best way: of all K!
/// relabellings of the K colours of a map, the largest fraction of pixels whose class they name. It
/// tells a translation that found the shapes and took one colour for another from one that found no
/// shapes. predicted: [N, H, W, 3], uint8; a pixel within tolerance of no colour is wrong under
/// each. classes: as above, K = number of colours, [K, 3], uint8, of which no two are within
/// tolerance of one pixel. UsageError: as above; more than 8 colours.
double relabelled_pixel_accuracy(const at::Tensor& predicted, const at::Tensor& classes,
                                 const at::Tensor& colours,
                                 std::int64_t tolerance = colour_tolerance);

struct Registered {
  double accuracy;
  std::int64_t down,
      right;  ///< by how many pixels all predicted pictures are shifted to lie on the truth
};

/// The accuracy that the same pictures had, were all of them shifted in the one best way, by at
/// most `reach` pixels down, up, left and right: an adversary and a cycle allow a translator to
/// shift all that it makes, as long as the way back shifts it back. Borders of `reach` pixels are
/// left out of it, for every shift the same. UsageError: as pixel_accuracy(); reach < 0, or no
/// pixel within the borders.
Registered registered_pixel_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                                     std::int64_t reach, std::int64_t tolerance = colour_tolerance);

/// What records keep for it.
inline constexpr const char* pixel_accuracy_protocol =
    "pixel accuracy/every channel within 16 of 255";

}  // namespace reprise::metrics
