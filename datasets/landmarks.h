// What every reader of faces with landmarks gives, and the reading that they share.
//
// Coordinates are pixels, x to the right and y down, as the set's own files have them. 300-W and
// 300-VW were annotated with Matlab, whose first pixel is 1, but many copies were cropped or
// rescaled since, and no file says by which convention; so no reader shifts them. The doubt is one
// pixel of the original photograph, well under one percent of a face.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "datasets/formats/images.h"
#include "datasets/problems.h"

namespace reprise::datasets {

inline constexpr std::int64_t face_points = 68;

struct LandmarkFrames {
  std::vector<at::Tensor> images;   ///< N times [H, W, 3], uint8, RGB; sizes may differ
  at::Tensor landmarks;             ///< [N, 68, 2], float32, pixels of the image of the same index
  std::vector<std::string> item;    ///< name of the frame, unique in the set
  std::vector<std::string> person;  ///< who is in it, as far as the set tells: the unit of a split
  std::int64_t size() const { return static_cast<std::int64_t>(images.size()); }
  /// The frames of these indices, in this order; images are shared, not copied.
  LandmarkFrames at(const std::vector<std::int64_t>& indices) const;
};

/// Consecutive frames of one video, by their index in the LandmarkFrames beside it.
struct FrameRun {
  std::string name, person;
  std::vector<std::int64_t> frames;
};

/// A face before its image is read.
struct FaceFile {
  std::string item, person;
  std::filesystem::path image;
  at::Tensor landmarks;  ///< [68, 2], float32
};

/// Decodes all images once, in parallel; with a crop, each is cut down as soon as it is decoded, so
/// that large photographs never lie in memory together. A damaged image, or one that holds fewer
/// than half of its landmarks, becomes a problem and no frame.
LandmarkFrames load_faces(const std::vector<FaceFile>& files, const std::optional<FaceCrop>& crop,
                          std::vector<Problem>& problems);

/// The same checks, keeping no image.
void check_faces(const std::vector<FaceFile>& files, std::vector<Problem>& problems);

}  // namespace reprise::datasets
