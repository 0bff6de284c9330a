// Pictures of two domains brought to one size, one number of channels, and values from -1 to 1, for
// translation between them.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::datasets {

/// Converts uint8 images, [N, H, W] gray or [N, H, W, 3] RGB, to float32 [N, channels, side, side].
/// Scaling is bilinear, with antialiasing where it shrinks. Colour becomes gray by the luma weights
/// of ITU-R BT.601. Gray becomes colour by repetition. UsageError: another shape or type;
/// side < 1; channels other than 1 and 3.
at::Tensor scale_pictures(const at::Tensor& images, std::int64_t side, std::int64_t channels);

}  // namespace reprise::datasets
