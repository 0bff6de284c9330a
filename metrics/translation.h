// What a translation of pictures keeps and what it loses, where no truth is known.
//
//     sharpness       mean |Laplacian of the luminance|, of the picture and of its halved copies: fine detail first. A blurred translation, which
//                     a classifier's features accept, has less than real pictures have, a checkerboard more.
//     layout          correlation, over places, of a picture's luminance with its translation's, both shrunk to `cells` x `cells`: what is
//                     where, by light and dark. A translation to night turns skies dark, so that it may be below 0 and right.
//     edges           correlation, over pixels, of their gradients' lengths: where things end, whatever their tone.
//     agreement       of codes of corresponding items: how often the nearest of all B codes is the item's own (`top_1`; 1 / N by chance), and
//                     the mean distance of corresponding codes over that of others (`ratio`; 1 by chance).
// Luminance is 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601), or the one channel. The gradient is
// Sobel's.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

/// x: [N, 1 or 3, H, W]. [N, H, W].
at::Tensor luminance(const at::Tensor& x);

/// x: [N, 1 or 3, H, W]. [levels], float64: of the picture, of its half, of its quarter ...
/// UsageError: another shape; no item; levels < 1; a level with a side below 3.
at::Tensor sharpness(const at::Tensor& x, std::int64_t levels = 3);

/// a, b: [N, 1 or 3, H, W]. [N], float64; 0 where either is the same everywhere. UsageError: shapes
/// differ or are not those; fewer pixels than cells.
at::Tensor layout_correlation(const at::Tensor& a, const at::Tensor& b, std::int64_t cells = 8);
at::Tensor edge_correlation(const at::Tensor& a, const at::Tensor& b);

struct CodeAgreement {
  double top_1 = 0, ratio = 0;
};

/// a, b: [N, ...]; a[i] and b[i] belong together. Euclidean distances, float64. UsageError: shapes
/// differ; fewer than 2 items; a value that is not finite.
CodeAgreement code_agreement(const at::Tensor& a, const at::Tensor& b);

}  // namespace reprise::metrics
