// Of what size a picture is by its file's head, before a decoder takes memory for it: a few bytes
// can claim any size.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::datasets {

/// The kinds that are read, for messages. Other kinds that OpenCV knows (TIFF, OpenEXR, Radiance,
/// PFM, JPEG 2000, Sun) are not.
inline constexpr std::string_view image_kinds = "JPEG, PNG, BMP, WebP, PBM, PGM, PPM";

struct PictureSize {
  std::int64_t width = 0,
               height = 0;  ///< 0 x 0: the head does not say, and no decoder will find it either
};

/// UsageError: none of these kinds, an animated WebP, or more than 100 million pixels, above which
/// no photograph of a set is. `name` is the file.
PictureSize picture_size(std::string_view bytes, const std::string& name);

/// The colour that a PNG without an alpha channel declares to be transparent: the file's own
/// values, one for gray or three for RGB.
struct TransparentColour {
  std::vector<int> values;
  int most = 255;  ///< value of white in the file: 2^bits - 1
};

/// Whether pixels of a PNG or WebP file with these bytes can be transparent by an alpha channel or
/// a palette.
bool has_alpha(std::string_view bytes);
/// Empty: none is declared, or the file has a palette or an alpha channel.
std::optional<TransparentColour> transparent_colour(std::string_view bytes);

}  // namespace reprise::datasets
