// 300-W: still photographs with 68 landmarks a face (Sagonas et al., ICCV workshops 2013).
//
// Official layout: NAME.jpg or NAME.png with NAME.pts beside it, in any depth of folders
// (helen/trainset, afw, ...). All of them are read.
//
// Item: the path below the folder, without its ending ("helen/100032540_1"). Person: the
// photograph, since HELEN, AFW and iBUG cut several faces out of one: PHOTO of a name PHOTO_K
// ("100032540" of "100032540_1", "image_003" of "image_003_1"). A lone number after a word is no K:
// "image_0001" and "indoor_001" stay whole. Photograph numbers are Flickr's, so the same number in
// two folders is the same photograph.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/landmarks.h"

namespace reprise::datasets {

/// Sorted by item. UsageError: no such folder, no face in it, or any problem as verify_faces_300w()
/// lists them.
LandmarkFrames read_faces_300w(const std::filesystem::path& folder,
                               const std::optional<FaceCrop>& crop = std::nullopt);

/// An image without .pts, a .pts without image, two images for one .pts, a .pts that does not
/// parse, an image that does not decode or does not hold its landmarks; a folder that cannot be
/// read. Empty: the set is whole.
std::vector<Problem> verify_faces_300w(const std::filesystem::path& folder);

/// The photograph that a file name stands for.
std::string photo_of(std::string_view name);

}  // namespace reprise::datasets
