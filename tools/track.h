// `reprise track`: options shared by its two inputs, a CSV of measurements and a video.
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
  std::filesystem::path measurements;
  std::filesystem::path out;
  std::vector<std::string> set;
  std::filesystem::path video;  ///< a file or a folder of pictures; empty with `measurements`
  std::filesystem::path network;
  std::filesystem::path face_detector;
  std::filesystem::path overlay;
  std::filesystem::path landmarks_out;
  bool whole_frame = false;
  bool two_passes = false;
  std::int64_t faces = 1;
};

/// Combines the settings of a filter with the noise of one angle.
baselines::TrackerOptions make_tracker_options(const Settings& settings,
                                               const baselines::AngleNoise& noise);

/// Tracks the faces of a video and answers. `settings` are the defaults changed by --set.
void track_video(Call& call, const TrackOptions& options, const Settings& settings);

}  // namespace reprise::reproduce
