// How stored rows and columns lie in a picture as it is shown. Cameras store what their sensor saw,
// and note how it was held.
//
//     1 as stored            2 mirrored left to right      3 turned by 180 degrees     4 mirrored top to bottom
//     5 rows and columns     6 turned clockwise by 90      7 mirrored along the        8 turned clockwise by 270
//       swapped                degrees                       other diagonal              degrees
//
// The numbers are those of EXIF's tag Orientation. Photographs carry it in EXIF; videos carry a
// matrix (container.h).
#pragma once
#include <ATen/core/Tensor.h>

#include <string_view>

namespace reprise::datasets {

/// A picture [H, W, ...] as it is shown. An orientation outside 1 to 8 counts as 1.
at::Tensor orient(const at::Tensor& picture, int orientation);

/// EXIF's orientation of a JPEG, PNG or WebP file with these bytes; 1 where there is none.
int picture_orientation(std::string_view bytes);

}  // namespace reprise::datasets
