// 300-W: still photographs with 68 landmarks per face (Sagonas et al., ICCV workshops 2013).
//
// Official layout: NAME.jpg or NAME.png next to NAME.pts, at any depth (helen/trainset, afw, ...).
// All folders are read.
//
// Item: the path below the folder, without ending ("helen/100032540_1").
//
// Person: the photograph, since HELEN, AFW and iBUG cut several faces out of one. A name PHOTO_K
// belongs to PHOTO: "100032540_1" to "100032540", "image_003_1" to "image_003". A single number
// after a word is no K: "image_0001" and "indoor_001" are complete names. Photograph numbers are
// Flickr's, so the same number in two folders is the same photograph.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/landmarks.h"

namespace reprise::datasets {

/// Reads all faces, sorted by item. UsageError: the folder does not exist or has no face;
/// verify_faces_300w() finds an issue.
LandmarkFrames read_faces_300w(const std::filesystem::path& folder,
                               const std::optional<FaceCrop>& crop = std::nullopt);

/// Returns all issues. Empty: the set is complete. Issues:
///
/// - an image without .pts, or the reverse
/// - two images for one .pts
/// - a malformed .pts, or a damaged image
/// - landmarks outside their image
/// - an unreadable folder
std::vector<Issue> verify_faces_300w(const std::filesystem::path& folder);

/// Returns the photograph to which a file name belongs.
std::string photograph_name(std::string_view name);

}  // namespace reprise::datasets
