// Faces with landmarks, as all readers of such sets return them, and their shared reading code.
//
// Coordinates are pixels of the set's own files, x to the right and y down. 300-W and 300-VW were
// annotated with Matlab, whose first pixel is 1. Many copies were cropped or rescaled since, and no
// file states its convention, so no reader shifts coordinates. The uncertainty is one pixel of the
// original photograph, well under one percent of a face.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "datasets/formats/images.h"
#include "datasets/issues.h"

namespace reprise::datasets {

inline constexpr std::int64_t face_points = 68;

struct LandmarkFrames {
  std::vector<at::Tensor> images;  ///< N times [H, W, 3], uint8, RGB; sizes may differ
  at::Tensor landmarks;            ///< [N, 68, 2], float32, pixels of the image of the same index
  std::vector<std::string> item;   ///< name of the frame, unique in the set
  /// Person in the frame, as far as the set tells; splits keep persons together.
  std::vector<std::string> person;
  std::int64_t size() const { return static_cast<std::int64_t>(images.size()); }
  /// Returns the frames of these indices, in this order. Images are shared, not copied.
  LandmarkFrames at(const std::vector<std::int64_t>& indices) const;
};

/// Consecutive frames of one video, by their indices in a LandmarkFrames.
struct FrameRun {
  std::string name;
  std::string person;
  std::vector<std::int64_t> frames;
};

/// A face before its image is read.
struct FaceFile {
  std::string item;
  std::string person;
  std::filesystem::path image;
  at::Tensor landmarks;  ///< [68, 2], float32
};

/// Decodes all images once, in parallel. With a crop, each image is cropped right after decoding,
/// so that memory never holds all large photographs. A damaged image, or one that contains fewer
/// than half of its landmarks, becomes an issue instead of a frame.
LandmarkFrames load_faces(const std::vector<FaceFile>& files, const std::optional<FaceCrop>& crop,
                          std::vector<Issue>& issues);

/// Performs the checks of load_faces() without keeping images.
void check_faces(const std::vector<FaceFile>& files, std::vector<Issue>& issues);

}  // namespace reprise::datasets
