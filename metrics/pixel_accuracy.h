// Pixel accuracy of a translation with known truth (document unit, map experiment).
//
// A pixel is correct if its largest difference over the channels is at most `tolerance` of 255. The
// accuracy is the fraction of correct pixels, 1 for equal pictures.
//
// A picture of one colour reaches the fraction of pixels with that colour. Compare an accuracy with
// this floor, and look at the accuracy by class.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

/// Default tolerance, of 255; document unit, map experiment.
inline constexpr std::int64_t colour_tolerance = 16;

/// Mask of the correct pixels, [N, H, W], bool. predicted, truth: [N, H, W, C], uint8.
/// UsageError: different or other shapes; no pixel; another type.
at::Tensor find_correct_pixels(const at::Tensor& predicted, const at::Tensor& truth,
                               std::int64_t tolerance = colour_tolerance);

/// Fraction of correct pixels over all pictures. UsageError: as find_correct_pixels().
double pixel_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                      std::int64_t tolerance = colour_tolerance);

/// Pixel accuracy of each class, [K], float64; NaN for a class without pixels.
/// classes: [N, H, W], integers in [0, K).
/// UsageError: as find_correct_pixels(); classes of another shape or range.
at::Tensor pixel_accuracy_by_class(const at::Tensor& predicted, const at::Tensor& truth,
                                   const at::Tensor& classes, std::int64_t K,
                                   std::int64_t tolerance = colour_tolerance);

/// Pixel accuracy under the best of all K! permutations of the K colours of a map.
/// A translation that finds the shapes but confuses colours keeps a high value; one without shapes
/// does not. A pixel within tolerance of no colour is always wrong.
/// predicted: [N, H, W, 3], uint8. classes: [N, H, W], integers in [0, K). colours: [K, 3], uint8;
/// no pixel may be within tolerance of two of them.
/// UsageError: as pixel_accuracy_by_class(); more than 8 colours.
double relabelled_pixel_accuracy(const at::Tensor& predicted, const at::Tensor& classes,
                                 const at::Tensor& colours,
                                 std::int64_t tolerance = colour_tolerance);

struct RegisteredAccuracy {
  double accuracy;
  std::int64_t down, right;  ///< best shift of all predicted pictures, pixels
};

/// Pixel accuracy under the best common shift of all predicted pictures, at most `reach` pixels in
/// each direction. An adversarial and a cycle loss leave such a shift undetermined, because the way
/// back can undo it. Borders of `reach` pixels are left out for every shift.
/// UsageError: as pixel_accuracy(); reach < 0; no pixel within the borders.
RegisteredAccuracy registered_pixel_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                                             std::int64_t reach,
                                             std::int64_t tolerance = colour_tolerance);

/// Name of pixel_accuracy() in records.
inline constexpr const char* pixel_accuracy_protocol =
    "pixel accuracy/every channel within 16 of 255";

}  // namespace reprise::metrics
