// The faces of one replicate: stills and bursts, split by person (or photograph, or generated
// identity) with the replicate's seed.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/data_folder.h"
#include "experiments/settings.h"
#include "reproduce/prernn/datasets.h"

namespace reprise::reproduce::prernn_study {

/// Colour uint8 squares [S, S, 3] that hold the face and room around it for the camera to move in,
/// with their landmarks.
struct FacePool {
  std::vector<at::Tensor> stills;  ///< every face of these people, burst frames among them
  at::Tensor landmarks;            ///< [stills, 68, 2] float32, pixels
  std::int64_t burst_length = 3;   ///< frames of a burst
  std::vector<at::Tensor>
      burst_frames;  ///< burst after burst of real frames in their order, one cut for all of a burst; none when generated
  at::Tensor burst_landmarks;  ///< [burst_frames, 68, 2]
};

struct Faces {
  FacePool train, validation, test;
};

/// Generated heads; photographs: faces_300w and ytf_keypoints below `data`, bursts of 3 frames;
/// videos: those of 300-VW there, bursts of camera.frames frames spread over each video, so many as
/// clips.* ask for together.
Faces load_faces(const std::string& source, const Settings& settings, const DataFolder& data,
                 std::int64_t seed);

}  // namespace reprise::reproduce::prernn_study
