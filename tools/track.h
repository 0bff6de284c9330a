// `reprise track`: what its two halves, CSV of measurements and video, share.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "baselines/trackers/methods.h"
#include "experiments/settings.h"
#include "tools/tools.h"

namespace reprise::reproduce {

struct TrackOptions {
  std::string method;
  std::filesystem::path measurements, out;
  std::vector<std::string> set;
  /// Of a video. One of these is given, or `measurements`: a file, a folder of pictures.
  std::filesystem::path video, images;
  std::filesystem::path network, face_detector, overlay, landmarks_out;
  bool whole_frame = false, two_passes = false;
  double sigma = 3, margin = 1;
  std::int64_t faces = 1;
};

/// model, particles and seed of the settings.
baselines::TrackerOptions tracker_options(const Settings& settings, const baselines::AngleNoise& noise);

/// settings: those of --set over the filters' defaults.
void track_video(Call& call, const TrackOptions& options, const Settings& settings);

}  // namespace reprise::reproduce
