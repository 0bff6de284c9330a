// BIWI Kinect Head Pose (Fanelli et al., IJCV 2013): 24 sequences of 20 people, 15678 frames of 640
// x 480.
//
// Official layout: NN/frame_XXXXX_rgb.png with NN/frame_XXXXX_pose.txt, and NN/rgb.cal; 01 to 24
// are the sequences. Frame numbers have gaps. Depth pictures (.bin), depth.cal and the head meshes
// are not read. Pictures may be .jpg: a public copy has them so.
//
//     pose.txt    3 lines with the rows of a rotation; a blank line; the head's centre x y z in mm. Both in the depth camera's frame
//     rgb.cal     3 lines with the colour camera's matrix K; distortion, four zeros; 3 lines with a rotation A; a translation t in mm;
//                 width and height. Blank lines between
//     A point X of the depth camera's frame is A X + t in the colour camera's; its pixel is K (A X + t), divided by depth.
//
// Angles are those of the rotation as it stands in pose.txt, as all public loaders have them
// (pose_videos.h has the formula); the calibration's own rotation, about a degree, is not applied.
// Persons: the four recorded twice (2 and 21, 3 and 15, 5 and 18, 7 and 22) have one name each.
#pragma once
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/pose_videos.h"

namespace reprise::datasets {

struct HeadPlace {
  std::array<double, 9> rotation;  ///< row by row
  std::array<double, 3> centre;    ///< mm, depth camera
};
/// UsageError: not twelve finite numbers in these lines, or no rotation; names `name`.
HeadPlace parse_biwi_pose(std::string_view text, const std::string& name);

struct ColourCamera {
  std::array<double, 9> matrix;       ///< K, row by row
  std::array<double, 9> rotation;     ///< A
  std::array<double, 3> translation;  ///< t, mm
};
/// UsageError: a number too few or not finite, a focal length that is not positive, distortion that
/// is not zero; names `name`.
ColourCamera parse_biwi_calibration(std::string_view text, const std::string& name);

/// The window around a head: its centre projected, its side what `head_size` mm take up at its
/// distance. UsageError: the head is not before the camera.
inline constexpr double biwi_head_size = 260;
FaceWindow head_window(const ColourCamera& camera, const std::array<double, 3>& centre,
                       double head_size = biwi_head_size);

/// Sequence names are the folders'. UsageError: no folder NN with frames; frames without picture or
/// pose; files that do not parse.
std::vector<PoseVideo> read_biwi(const std::filesystem::path& folder);
/// What read_biwi() refuses, all of it, and pictures that do not decode. Empty: the set is whole.
std::vector<Problem> verify_biwi(const std::filesystem::path& folder);

}  // namespace reprise::datasets
