// Images of faces: reading, writing, cutting out, mirroring; landmarks move with their pixels.
//
// An image is uint8, [H, W, 3] RGB or [H, W] gray. Pixel (x, y) has its centre at the coordinates
// (x, y), so a row of W pixels covers [-0.5, W - 0.5], and the mirror image of x is W - 1 - x.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>

namespace reprise::datasets {

/// A picture as it is shown: [H, W, 3], RGB. EXIF's orientation is applied, gray becomes RGB, 16
/// bits become 8, and transparent pixels are laid over white. UsageError: no such file; damaged,
/// cut short, or no image of the kinds that are read; one that claims more than 100 million pixels
/// (formats/image_header.h), before a decoder sees it.
at::Tensor read_image(const std::filesystem::path& path);

/// The same with pixels as they are stored: EXIF's orientation is not applied, and transparency is
/// ignored. Only for data sets whose annotations count stored pixels: 300-W and YouTube Faces
/// (load_faces()), BIWI and SynHead (check_pictures()).
at::Tensor read_annotated_image(const std::filesystem::path& path);

/// [H, W, 3] RGB or [H, W] gray, uint8, as PNG. The same image gives the same bytes. Error: the
/// file cannot be written.
void write_png(const std::filesystem::path& path, const at::Tensor& image);

/// uint8 pixels of any shape as values from -1 to 1, float32, and back: what is beyond is cut off,
/// the rest rounded.
at::Tensor values_of(const at::Tensor& pixels);
at::Tensor pixels_of(const at::Tensor& values);

/// An image squeezed to size x size pixels whatever its shape, by area averaging, so that what
/// moves at its border is not lost; where one of its sides is smaller than that, bilinear.
at::Tensor squeezed(const at::Tensor& image, std::int64_t size);

/// RGB -> gray by luma weights; a gray image is returned as it is.
at::Tensor to_gray(const at::Tensor& image);

/// Source pixel -> target pixel: x' = m[0] x + m[1] y + m[2], y' = m[3] x + m[4] y + m[5].
using Affine = std::array<double, 6>;

/// A turn clockwise by so many degrees about the middle of a picture of height x width pixels.
Affine turn_affine(std::int64_t height, std::int64_t width, double degrees);

/// How a face is cut out: a square around the box of its landmarks, `scale` times the box's longer
/// side, becomes size x size pixels.
struct FaceCrop {
  std::int64_t size = 128;
  double scale = 1.5;
};

/// landmarks: [K, 2]. UsageError: points without extent or not finite; size < 1; scale <= 0.
Affine crop_affine(const at::Tensor& landmarks, const FaceCrop& crop);

/// The image seen through the map, size x size, gray or RGB as the source is. Bilinear; beyond the
/// border the border's pixels go on; when the map shrinks to less than half, pixels are averaged
/// first, so that nothing aliases.
at::Tensor warp_image(const at::Tensor& image, const Affine& affine, std::int64_t size);

/// [..., 2] -> the same shape and type.
at::Tensor move_points(const at::Tensor& points, const Affine& affine);

struct Face {
  at::Tensor image;      ///< [size, size, 3] or [size, size], uint8
  at::Tensor landmarks;  ///< [68, 2], float32
};
Face crop_face(const at::Tensor& image, const at::Tensor& landmarks, const FaceCrop& crop);

/// Point k of a mirrored face is point mirror_order()[k] of the face: left and right change their
/// names (68-point scheme). An involution.
std::span<const std::int64_t, 68> mirror_order();

at::Tensor mirror_image(const at::Tensor& image);
/// landmarks: [..., 68, 2]; width of the image in pixels.
at::Tensor mirror_landmarks(const at::Tensor& landmarks, std::int64_t width);

}  // namespace reprise::datasets
