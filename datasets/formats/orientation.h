// Orientation of stored pictures. Cameras store rows and columns of the sensor, and note how the
// camera was held.
//
//     1 as stored                   2 mirrored left to right
//     3 turned by 180 degrees       4 mirrored top to bottom
//     5 rows and columns swapped    6 turned clockwise by 90 degrees
//     7 mirrored along the          8 turned clockwise by 270 degrees
//       other diagonal
//
// The numbers are those of EXIF's tag Orientation. Photographs carry it in EXIF, videos as a matrix
// (container.h).
#pragma once
#include <ATen/core/Tensor.h>

#include <string_view>

namespace reprise::datasets {

/// Returns a picture [H, W, ...] upright. An orientation outside 1 to 8 counts as 1.
at::Tensor orient(const at::Tensor& picture, int orientation);

/// Returns EXIF's orientation of a JPEG, PNG or WebP file with these bytes; 1 if it has none.
int picture_orientation(std::string_view bytes);

}  // namespace reprise::datasets
