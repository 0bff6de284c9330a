// Images of faces: reading, writing, cropping, mirroring. Landmarks move with their pixels.
//
// An image is uint8, [H, W, 3] RGB or [H, W] gray. The centre of pixel (x, y) has the coordinates
// (x, y). A row of W pixels thus covers [-0.5, W - 0.5], and the mirror image of x is W - 1 - x.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>

namespace reprise::datasets {

/// Reads a picture as viewers show it: [H, W, 3], RGB. EXIF's orientation is applied, gray becomes
/// RGB, 16 bits become 8, and transparent pixels are composited over white. UsageError: the file is
/// missing, damaged, cut short, or of another kind. UsageError: it claims more than 100 million
/// pixels (formats/image_header.h), checked before decoding.
at::Tensor read_image(const std::filesystem::path& path);

/// Reads a picture without EXIF's orientation and without transparency. Only for data sets whose
/// annotations count stored pixels: 300-W and YouTube Faces (load_faces()), BIWI and SynHead
/// (check_pictures()).
at::Tensor read_annotated_image(const std::filesystem::path& path);

/// Writes an image (uint8, [H, W, 3] RGB or [H, W] gray) as PNG. The same image gives the same
/// bytes. Error: the file cannot be written.
void write_png(const std::filesystem::path& path, const at::Tensor& image);

/// Converts uint8 pixels of any shape to float32 values from -1 to 1.
at::Tensor to_values(const at::Tensor& pixels);
/// Converts values to uint8 pixels, rounded; values outside [-1, 1] are clamped.
at::Tensor to_pixels(const at::Tensor& values);

/// Resizes an image of any shape to size x size by area averaging, so that motion at the border is
/// not lost. If a side is smaller than `size`, resizing is bilinear.
at::Tensor squeeze_image(const at::Tensor& image, std::int64_t size);

/// Converts RGB to gray by luma weights. Returns a gray image unchanged.
at::Tensor to_gray(const at::Tensor& image);

/// Map from source to target pixels: x' = m[0] x + m[1] y + m[2], y' = m[3] x + m[4] y + m[5].
using Affine = std::array<double, 6>;

/// Returns a clockwise rotation about the centre of a picture of height x width pixels.
Affine turn_affine(std::int64_t height, std::int64_t width, double degrees);

/// Crop of a face: a square around the box of its landmarks, `scale` times its longer side, resized
/// to size x size pixels.
struct FaceCrop {
  std::int64_t size = 128;
  double scale = 1.5;
};

/// Returns the map of a crop. landmarks: [K, 2]. UsageError: points coincide or are not finite;
/// size < 1; scale <= 0.
Affine crop_affine(const at::Tensor& landmarks, const FaceCrop& crop);

/// Maps an image to size x size pixels, gray or RGB like the source. Interpolation is bilinear, and
/// border pixels extend outwards. If the map shrinks to less than half, pixels are averaged first
/// (anti-aliasing).
at::Tensor warp_image(const at::Tensor& image, const Affine& affine, std::int64_t size);

/// Maps points [..., 2]; shape and type stay.
at::Tensor move_points(const at::Tensor& points, const Affine& affine);

struct Face {
  at::Tensor image;      ///< [size, size, 3] or [size, size], uint8
  at::Tensor landmarks;  ///< [68, 2], float32
};
/// Crops an image and its landmarks. UsageError: as crop_affine().
Face crop_face(const at::Tensor& image, const at::Tensor& landmarks, const FaceCrop& crop);

/// Returns the order of landmarks in a mirrored face (68-point scheme): point k of the mirrored
/// face is point mirror_order()[k]. The order is its own inverse.
std::span<const std::int64_t, 68> mirror_order();

at::Tensor mirror_image(const at::Tensor& image);
/// Mirrors landmarks [..., 68, 2]. width: of the image, pixels.
at::Tensor mirror_landmarks(const at::Tensor& landmarks, std::int64_t width);

}  // namespace reprise::datasets
