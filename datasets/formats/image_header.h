// Of what size a picture is by its file's head, before a decoder takes memory for it: a few bytes can claim any size.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace reprise::datasets {

/// The kinds that are read, for messages. Other kinds that OpenCV knows (TIFF, OpenEXR, Radiance, PFM, JPEG 2000, Sun) are not.
inline constexpr std::string_view image_kinds = "JPEG, PNG, BMP, WebP, PBM, PGM, PPM";

struct PictureSize {
  std::int64_t width = 0, height = 0;  ///< 0 x 0: the head does not say, and no decoder will find it either
};

/// UsageError: none of these kinds, or more than 100 million pixels, above which no photograph of a set is. `name` is the file.
PictureSize picture_size(std::string_view bytes, const std::string& name);

}  // namespace reprise::datasets
