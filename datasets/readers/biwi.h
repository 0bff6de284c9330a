// BIWI Kinect Head Pose (Fanelli et al., IJCV 2013): 24 sequences of 20 people. There are 15678
// frames of 640 x 480 pixels.
//
// Official layout: NN/frame_XXXXX_rgb.png, NN/frame_XXXXX_pose.txt and NN/rgb.cal, with sequences
// 01 to 24. Frame numbers have gaps. Depth pictures (.bin), depth.cal and head meshes are not read.
// Pictures may be .jpg, as in a public copy.
//
// pose.txt, in the frame of the depth camera:
//
// - three lines with the rows of a rotation
// - a blank line
// - the head's centre x y z in mm
//
// rgb.cal, with blank lines between:
//
// - three lines with the matrix K of the colour camera
// - distortion, four zeros
// - three lines with a rotation A
// - a translation t in mm
// - width and height
//
// A point X in the depth camera's frame is A X + t in the colour camera's. Its pixel is K (A X +
// t), divided by depth.
//
// Angles are those of the rotation in pose.txt, as in all public loaders (formula in
// pose_videos.h). The rotation of the calibration, about a degree, is not applied. Four people were
// recorded twice and have one name each: 2 and 21, 3 and 15, and so on (table in biwi.cpp).
#pragma once
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/pose_videos.h"

namespace reprise::datasets {

/// Rotation and centre of a head.
struct HeadPosition {
  std::array<double, 9> rotation;  ///< row by row
  std::array<double, 3> centre;    ///< mm, depth camera
};
/// Parses a pose file. UsageError: the text is not twelve finite numbers in these lines, or no
/// rotation. Messages begin with `name`.
HeadPosition parse_biwi_pose(std::string_view text, const std::string& name);

struct ColourCamera {
  std::array<double, 9> matrix;       ///< K, row by row
  std::array<double, 9> rotation;     ///< A
  std::array<double, 3> translation;  ///< t, mm
};
/// Parses a calibration. UsageError: a number is missing or not finite, a focal length is not
/// positive, or distortion is not zero. Messages begin with `name`.
ColourCamera parse_biwi_calibration(std::string_view text, const std::string& name);

/// Side of a window around a head, mm at the head's distance.
inline constexpr double biwi_head_size = 260;
/// Projects a head's centre and `head_size` mm at its distance to a window of the colour picture.
/// UsageError: the head is not in front of the camera.
FaceWindow project_head_window(const ColourCamera& camera, const std::array<double, 3>& centre,
                               double head_size = biwi_head_size);

/// Reads all sequences, named as their folders. UsageError: no folder NN has frames; frames lack a
/// picture or a pose; a file cannot be parsed.
std::vector<PoseVideo> read_biwi(const std::filesystem::path& folder);
/// Returns all issues that read_biwi() refuses, and damaged pictures. Empty: the set is complete.
std::vector<Issue> verify_biwi(const std::filesystem::path& folder);

}  // namespace reprise::datasets
