// Inputs of published networks from images and frames.
//
// ImageNet networks (VGG, ResNet) follow torchvision's preprocessing. The shorter side is resized
// to 256 pixels, bilinearly with antialiasing. A square of 224 pixels is cropped from the centre.
// Values in [0, 1] are then normalised per channel:
//
//                            red     green   blue
//     mean                   0.485   0.456   0.406
//     standard deviation     0.229   0.224   0.225
//
// Resized pixels equal those of PIL, which torchvision calls: a triangle filter in fixed point,
// rows before columns.
//
// C3D follows its public PyTorch port. It takes 16 consecutive frames, resized in the same way to a
// shorter side of 112 pixels and cropped to a square. Values stay in [0, 255], red, green, blue,
// without subtracting a mean. The port's own example distorts frames to 112 x 200; here their shape
// is kept.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace reprise::datasets {

/// Resizes an image, uint8 [H, W, 3]: the shorter side gets `size` pixels, the other size * longer
/// / shorter, rounded down.
at::Tensor resize_shorter(const at::Tensor& image, std::int64_t size);
/// Crops the centre of uint8 [H, W, 3] to [size, size, 3]. Both sides must have at least `size`
/// pixels.
at::Tensor centre_crop(const at::Tensor& image, std::int64_t size);

/// Converts uint8 [..., 3] (red, green, blue) to float32 values, normalised as above.
at::Tensor normalise_imagenet(const at::Tensor& pixels);
/// Converts an image, uint8 [H, W, 3], to float32. Shape: [3, 224, 224]. UsageError: another shape
/// or type.
at::Tensor make_imagenet_input(const at::Tensor& image);
/// Converts 16 frames, uint8 [H, W, 3] each, to float32. Shape: [3, 16, 112, 112]. UsageError:
/// another number, shape or type.
at::Tensor make_c3d_input(const std::vector<at::Tensor>& frames);

}  // namespace reprise::datasets
