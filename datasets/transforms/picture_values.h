// Pictures of one set as another set's: one size, one number of channels, values from -1 to 1. What
// two domains need to be translated.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::datasets {

/// images: [N, H, W] gray or [N, H, W, 3] RGB, uint8 -> [N, channels, side, side], float32. A size
/// that differs is scaled bilinearly, with a filter as wide as a new pixel where it shrinks (no
/// aliasing); colour becomes gray by luma weights (0.299, 0.587, 0.114), gray becomes colour by
/// repetition. UsageError: another shape or type; side < 1; channels other than 1 and 3.
at::Tensor picture_values(const at::Tensor& images, std::int64_t side, std::int64_t channels);

}  // namespace reprise::datasets
