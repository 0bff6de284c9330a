// YouTube Faces with keypoints: bursts of three video frames of a person, 68 landmarks each (layout
// of Udacity and Kaggle).
//
// Layout: training_frames_keypoints.csv, and its images in training/. The first column is the
// image's file name (titled image_name, or untitled). The other 136 are x0, y0, x1, y1, ... in
// pixels of the frame, titled 0..135 or x0,y0,...,x67,y67. File names are Name_Surname_VF.jpg:
// person Name_Surname, video V, frame F from 0 to 2. Files may contain PNG data and an alpha
// channel.
//
// Item: the file name without ending. A burst is a video with all three frames. Frames of other
// videos remain as stills, and `incomplete` lists those videos.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "datasets/landmarks.h"

namespace reprise::datasets {

struct YtfKeypoints {
  LandmarkFrames frames;                ///< sorted by person, video, frame
  std::vector<FrameRun> bursts;         ///< Name_Surname_V, three frames each, in time order
  std::vector<std::string> incomplete;  ///< videos with one or two frames
};

/// Reads all frames and bursts. crop: crops each frame by itself, so that a burst loses the motion
/// of its head. UsageError: the CSV or its columns are missing; verify_ytf_keypoints() finds an
/// issue.
YtfKeypoints read_ytf_keypoints(const std::filesystem::path& folder,
                                const std::optional<FaceCrop>& crop = std::nullopt);

/// Returns all issues. Empty: the set is complete. Issues of rows: a coordinate is no finite number
/// (line and column named); an image name is malformed or repeated. Issues of images: missing,
/// damaged, without a row, or without its landmarks inside. An unreadable CSV is an issue too.
std::vector<Issue> verify_ytf_keypoints(const std::filesystem::path& folder);

}  // namespace reprise::datasets
