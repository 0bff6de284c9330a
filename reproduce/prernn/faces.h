// The faces of one replicate: stills and bursts, split by person (or photograph, or generated identity) with the replicate's seed.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "reproduce/settings.h"

namespace reprise::reproduce::prernn_study {

/// Gray uint8 squares [S, S] that hold the face and room around it for the camera to move in, with their landmarks.
struct FacePool {
  std::vector<at::Tensor> stills;        ///< every face of these people, burst frames among them
  at::Tensor landmarks;                  ///< [stills, 68, 2] float32, pixels
  std::vector<at::Tensor> burst_frames;  ///< three consecutive real frames after three, one cut for all three; none when generated
  at::Tensor burst_landmarks;            ///< [burst_frames, 68, 2]
};

struct Faces {
  FacePool train, validation, test;
};

/// stills.source = synthetic_head: generated; real: faces_300w and ytf_keypoints below `data`.
Faces load_faces(const Settings& settings, const std::filesystem::path& data, std::int64_t seed);

}  // namespace reprise::reproduce::prernn_study
