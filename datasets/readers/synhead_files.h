// SynHead's pictures from files: heads that follow motion tracks, as PNG frames with a CSV of
// poses.
//
// No public description of the layout of NVIDIA's own release was found, so this is a layout of
// ours, which any such set is soon brought into: every folder that holds a .csv, at any depth, is a
// sequence:
//
//     SEQUENCE/NAME.csv                    columns frame, pitch, yaw, roll (or pitch_deg, yaw_deg, roll_deg), degrees; others are left
//                                          alone; frames are whole numbers that ascend, numbers that are missing are gaps
//     SEQUENCE/NAME12.png, 000012.png      the picture of frame 12: the digits at the end of its name count
//     HEAD/SEQUENCE/...                    HEAD, the first folder of the path, is the person; without it the sequence is
//
// Angles in the convention of synthetic_head.h: pitch > 0 looks up, yaw > 0 turns to the picture's
// left, roll > 0 tilts clockwise.
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/pose_videos.h"

namespace reprise::datasets {

/// Sequences by name, which is their path below the folder. UsageError: no sequence; two .csv in
/// one folder; a CSV that does not parse; angles without number; frames without picture, pictures
/// without row, two pictures of one frame.
std::vector<PoseVideo> read_synhead_files(const std::filesystem::path& folder);
/// What read_synhead_files() refuses, all of it, and pictures that do not decode. Empty: the set is
/// whole.
std::vector<Problem> verify_synhead_files(const std::filesystem::path& folder);

}  // namespace reprise::datasets
