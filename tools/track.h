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
  std::filesystem::path video;  ///< a file or a folder of pictures; or else `measurements` is given
  std::filesystem::path network, face_detector, overlay, landmarks_out;
  bool whole_frame = false, two_passes = false;
  std::int64_t faces = 1;
};

/// model, particles and seed of the settings.
baselines::TrackerOptions tracker_options(const Settings& settings,
                                          const baselines::AngleNoise& noise);

/// settings: those of --set over the filters' defaults.
void track_video(Call& call, const TrackOptions& options, const Settings& settings);

}  // namespace reprise::reproduce
