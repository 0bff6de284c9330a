// Videos of one head each with a known pose in every frame: BIWI (biwi.h) and SynHead
// (synhead_files.h).
//
// Frames are files, read on demand: read_image(video.files[i]) is frame video.track.frame[i].
// crop_window() of face_windows.h crops the face.
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
  PoseTrack track;     ///< missing frame numbers are gaps; split_at_gaps() splits there
  std::string person;  ///< splits keep persons together
  std::vector<std::filesystem::path> files;  ///< one picture per entry of the track
  /// Centre of the head, mm, camera frame (x right, y down, z forward); empty if unknown.
  std::vector<std::array<double, 3>> centre;
  std::vector<FaceWindow> window;  ///< window around the projected head; empty if unknown
};

/// Returns pitch, yaw and roll in degrees of a rotation R = Rx(-pitch) Ry(yaw) Rz(roll), row by
/// row. The convention is that of synthetic_head.h, with R_ij in row i and column j:
///
///     pitch = atan2(R12, R22)        yaw = asin(R02)        roll = -atan2(R01, R00)
///
/// |yaw| <= 90. At 90 only pitch and roll together are determined, and roll is set to 0.
/// UsageError: the matrix is no rotation (R R^T differs from I by more than 0.01) or a reflection.
std::array<double, 3> euler_angles(const std::array<double, 9>& rotation);

/// Decodes every picture. Adds an issue for a damaged one, and for one that differs in size from
/// the first of its video.
void check_pictures(const std::vector<PoseVideo>& videos, std::vector<Issue>& issues);

/// Lists the folders directly below a folder, sorted. UsageError: the folder cannot be read.
std::vector<std::filesystem::path> list_folders(const std::filesystem::path& folder,
                                                const std::string& fix);

/// Verifies a set: calls its scan, which collects issues and throws on a fatal one, then
/// check_pictures().
std::vector<Issue> verify_pose_videos(
    const std::function<std::vector<PoseVideo>(std::vector<Issue>& issues)>& scan,
    const std::filesystem::path& folder);

}  // namespace reprise::datasets
