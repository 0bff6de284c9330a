// Trivial image-to-video methods without a network.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::baselines {

/// Repeats each image: [N, C, H, W] -> [N, frames, C, H, W]. No error and no motion.
at::Tensor repeat_frames(const at::Tensor& images, std::int64_t frames);

/// Finds for each image the clip [M, T, C, H, W] whose first frame is nearest (mean absolute
/// difference): [N, T, C, H, W]. Real motion of another content. UsageError: no clip; frames of
/// another size than the images (both named).
at::Tensor find_nearest_clips(const at::Tensor& images, const at::Tensor& clips);

}  // namespace reprise::baselines
