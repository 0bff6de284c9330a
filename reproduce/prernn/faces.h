// Faces of one seed: stills and bursts, split by person, photograph or generated identity.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/data_folder.h"
#include "experiments/settings.h"
#include "reproduce/prernn/datasets.h"

namespace reprise::reproduce::prernn_study {

/// Colour squares [S, S, 3] uint8 with a face and a margin for the camera to move in, and their
/// landmarks.
struct FacePool {
  std::vector<at::Tensor> stills;  ///< all faces of these people, including frames of bursts
  at::Tensor landmarks;            ///< [stills, 68, 2] float32, pixels
  std::int64_t burst_length = 3;   ///< frames per burst
  /// Frames of all bursts in order; one crop per burst. Empty for generated faces.
  std::vector<at::Tensor> burst_frames;
  at::Tensor burst_landmarks;  ///< [burst_frames, 68, 2]
};

struct Faces {
  FacePool train, validation, test;
};

/// Loads or generates faces of a source, and splits them with the seed. Photographs: faces_300w and
/// ytf_keypoints below `data`, bursts of 3 frames. Videos: 300-VW below `data`, bursts of
/// camera.frames frames spread over each video, as many as clips.* request in total.
Faces load_faces(const std::string& source, const Settings& settings, const DataFolder& data,
                 std::int64_t seed);

}  // namespace reprise::reproduce::prernn_study
