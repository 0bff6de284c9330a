// How stored rows and columns lie in a picture as it is shown. Cameras store what their sensor saw, and note how it was held.
//
//     1 as stored            2 mirrored left to right      3 turned by 180 degrees     4 mirrored top to bottom
//     5 rows and columns     6 turned clockwise by 90      7 mirrored along the        8 turned clockwise by 270
//       swapped                degrees                       other diagonal              degrees
//
// The numbers are those of EXIF's tag Orientation. Photographs carry it in EXIF; .mp4 and .mov videos carry a matrix.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <optional>
#include <string_view>

namespace reprise::datasets {

/// A picture [H, W, ...] as it is shown. An orientation outside 1 to 8 counts as 1.
at::Tensor orient(const at::Tensor& picture, int orientation);

/// EXIF's orientation of a JPEG, PNG or WebP file with these bytes; 1 where there is none.
int picture_orientation(std::string_view bytes);

/// Orientation of the first video track of an .mp4 or .mov: its matrix times the movie's, ISO/IEC 14496-12, 8.2.2 and 8.3.2. Any turn that
/// is not a multiple of 90 degrees is rounded to one. Empty: a file of another kind, or one whose head is damaged.
std::optional<int> video_orientation(const std::filesystem::path& file);

}  // namespace reprise::datasets
