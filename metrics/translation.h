// Properties that a translation of pictures keeps or loses, for data without known truth.
//
//   - sharpness: mean |Laplacian of the luminance| at full size, half size, ...
//   - layout: correlation of two luminances, both shrunk to `cells` x `cells`.
//   - edges: correlation over pixels of the lengths of two gradients.
//   - agreement: do codes of corresponding items match?
//
// Sharpness is lower than that of real pictures for blurred translations, which a classifier's
// features may accept, and higher for checkerboard artefacts. Layout can correctly be negative:
// a translation to night darkens skies. Edges compare outlines regardless of tone.
//
// Luminance is that of ITU-R BT.601, or the only channel:
//     Y = 0.299 R + 0.587 G + 0.114 B
// Gradients use Sobel's filters.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

/// Luminance [N, H, W] of pictures [N, 1 or 3, H, W].
at::Tensor luminance(const at::Tensor& x);

/// Sharpness [levels], float64, of pictures [N, 1 or 3, H, W]: at full size, half size, quarter
/// size, ... UsageError: another shape; no item; levels < 1; a level with a side below 3.
at::Tensor sharpness(const at::Tensor& x, std::int64_t levels = 3);

/// Correlations [N], float64, of pictures a and b, both [N, 1 or 3, H, W]; 0 if either is constant.
/// UsageError: different or other shapes; fewer pixels than cells.
at::Tensor layout_correlation(const at::Tensor& a, const at::Tensor& b, std::int64_t cells = 8);
at::Tensor edge_correlation(const at::Tensor& a, const at::Tensor& b);

struct CodeAgreement {
  double top_1 = 0;  ///< fraction of a whose nearest code of b is its own; 1 / N by chance
  double ratio = 0;  ///< mean distance of matching codes over that of others; 1 by chance
};

/// Agreement of codes a[i] and b[i], both [N, ...], by Euclidean distance in float64.
/// UsageError: different shapes; fewer than two items; a value that is not finite.
CodeAgreement code_agreement(const at::Tensor& a, const at::Tensor& b);

}  // namespace reprise::metrics
