// From images and frames to what published networks take.
//
// ImageNet networks (VGG, ResNet), torchvision's preprocessing: the shorter side is resized to 256
// pixels, bilinear with antialiasing; the centre 224 x 224 is cut out; values in [0, 1] minus
// (0.485, 0.456, 0.406) over (0.229, 0.224, 0.225), red, green, blue. The resized pixels are
// exactly those of PIL, which torchvision calls: a triangle filter in fixed point, rows before
// columns.
//
// C3D (its public PyTorch port): 16 consecutive frames; the shorter side is resized to 112 pixels
// in the same way, the centre 112 x 112 cut out; values in [0, 255], red, green, blue, no mean
// taken off. The port's own example resizes to 112 x 200 whatever the shape of the frame; here the
// shape is kept.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace reprise::datasets {

/// image: uint8 [H, W, 3] -> the same type, the shorter side `size` pixels, the other size * longer
/// / shorter, rounded down.
at::Tensor resize_shorter(const at::Tensor& image, std::int64_t size);
/// uint8 [H, W, 3] with sides of at least `size` -> [size, size, 3].
at::Tensor centre_crop(const at::Tensor& image, std::int64_t size);

/// uint8 [..., 3], red, green, blue -> float32 of the same shape: in [0, 1], minus the mean, over
/// the deviation.
at::Tensor imagenet_scaled(const at::Tensor& pixels);
/// uint8 [H, W, 3] -> float32 [3, 224, 224]. UsageError: another shape or type.
at::Tensor imagenet_input(const at::Tensor& image);
/// 16 frames, uint8 [H, W, 3] each -> float32 [3, 16, 112, 112]. UsageError: another number, shape
/// or type.
at::Tensor c3d_input(const std::vector<at::Tensor>& frames);

}  // namespace reprise::datasets
