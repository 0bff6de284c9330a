// Videos of one head each whose pose is known in every frame: what the readers of BIWI (biwi.h) and
// SynHead (synhead_files.h) give. Frames are files and read when they are asked for:
// read_image(video.files[i]) is frame video.track.frame[i]; crop_window() of face_windows.h cuts
// the face out.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "datasets/landmarks.h"
#include "datasets/pose_tracks.h"
#include "datasets/transforms/face_windows.h"

namespace reprise::datasets {

struct PoseVideo {
  PoseTrack track;     ///< numbers that are missing are gaps; without_gaps() splits at them
  std::string person;  ///< the unit of a split
  std::vector<std::filesystem::path> files;  ///< a picture for each entry of the track
  std::vector<std::array<double, 3>>
      centre;  ///< of the head, mm, camera x right, y down, z forward; empty where the set does not say
  std::vector<FaceWindow> window;  ///< around the projected head; empty where the set does not say
};

/// pitch, yaw, roll in degrees of the rotation R = Rx(-pitch) Ry(yaw) Rz(roll), row by row, in the
/// convention of synthetic_head.h:
///     pitch = atan2(R12, R22)        yaw = asin(R02)        roll = -atan2(R01, R00)          (R_ij: row i, column j)
/// |yaw| <= 90; at 90 only pitch with roll is known, and roll is 0. UsageError: no rotation (R R^T is off I by more than 0.01, or a
/// mirror).
std::array<double, 3> angles_of(const std::array<double, 9>& rotation);

/// Decodes every picture: what does not decode, or has another size than the first of its video.
void check_pictures(const std::vector<PoseVideo>& videos, std::vector<Problem>& problems);

/// Folders directly below this one, sorted. UsageError: it cannot be read.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder,
                                              const std::string& fix);

/// A set's verify function from its scan, which collects problems and throws on what stops it; then
/// check_pictures().
std::vector<Problem> verify_pose_videos(
    const std::function<std::vector<PoseVideo>(std::vector<Problem>& problems)>& scan,
    const std::filesystem::path& folder);

}  // namespace reprise::datasets
