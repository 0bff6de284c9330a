// Clips of images without a network: what an image to video method has to beat.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::baselines {

/// The image again and again, [N, C, H, W] -> [N, frames, C, H, W]: no error, and no motion.
at::Tensor repeated_frames(const at::Tensor& images, std::int64_t frames);

/// Of these clips, [M, T, C, H, W], for each image the one whose first frame is nearest to it (mean
/// absolute difference): [N, T, C, H, W]. All motion, and another shape. UsageError: no clip;
/// frames of another size than the images (both named).
at::Tensor nearest_clips(const at::Tensor& images, const at::Tensor& clips);

}  // namespace reprise::baselines
