// YouTube Faces with keypoints: bursts of three video frames of a person, 68 landmarks each
// (Udacity's and Kaggle's layout).
//
// Layout: training_frames_keypoints.csv, and the images it names in training/. The first column is
// the image's file name (titled image_name, or untitled); the other 136 are x0, y0, x1, y1, ... of
// the frame in pixels, titled 0..135 or x0,y0,...,x67,y67. File names are Name_Surname_VF.jpg:
// person Name_Surname, video V, frame F = 0, 1, 2. The files may be PNG inside and have an alpha
// channel.
//
// Item: the file name without ending. A burst is a video whose three frames are all there; frames
// of a video without all three remain as stills, and `incomplete` names it.
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

/// crop: as LandmarkFrames are cut one by one; a burst then loses the motion of its head in the
/// picture. UsageError: the CSV or its columns are missing; any problem as verify_ytf_keypoints()
/// lists them.
YtfKeypoints read_ytf_keypoints(const std::filesystem::path& folder,
                                const std::optional<FaceCrop>& crop = std::nullopt);

/// A row whose coordinate is no finite number (line and column), an image name that does not say
/// person, video and frame, or twice the same; an image that is missing, does not decode or does
/// not hold its landmarks; an image in training/ without a row; a CSV that cannot be read. Empty:
/// the set is whole.
std::vector<Problem> verify_ytf_keypoints(const std::filesystem::path& folder);

}  // namespace reprise::datasets
