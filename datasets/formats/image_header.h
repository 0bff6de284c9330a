// Size of a picture from the head of its file, checked before a decoder allocates memory. A few
// bytes can claim any size.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::datasets {

/// Kinds of pictures that are read, for messages. Other kinds known to OpenCV (TIFF, OpenEXR,
/// Radiance, PFM, JPEG 2000, Sun) are refused.
inline constexpr std::string_view image_kinds = "JPEG, PNG, BMP, WebP, PBM, PGM, PPM";

/// Size in pixels; 0 x 0 if the head has none, in which case decoding fails too.
struct PictureSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// Returns the size of a picture. `name` is its file. UsageError: the kind is not read; an animated
/// WebP; more than 100 million pixels, beyond any photograph of a set.
PictureSize picture_size(std::string_view bytes, const std::string& name);

/// Colour that a PNG without an alpha channel declares transparent, in the file's own values: one
/// for gray, three for RGB.
struct TransparentColour {
  std::vector<int> values;
  int most = 255;  ///< value of white in the file: 2^bits - 1
};

/// Whether a PNG or WebP file with these bytes has an alpha channel or a transparent palette.
bool has_alpha(std::string_view bytes);
/// Returns the transparent colour. Empty: none is declared, or the file has a palette or an alpha
/// channel.
std::optional<TransparentColour> transparent_colour(std::string_view bytes);

}  // namespace reprise::datasets
