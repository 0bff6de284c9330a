// SynHead's pictures from files: heads that follow motion tracks, as PNG frames with a CSV of
// poses.
//
// No public description of the layout of NVIDIA's release was found, so this layout is our own.
// Every folder with a .csv, at any depth, is a sequence:
//
//     SEQUENCE/NAME.csv                  poses
//     SEQUENCE/NAME12.png, 000012.png    picture of frame 12: the digits that end its name
//     HEAD/SEQUENCE/...                  the same, with a person
//
// Columns are frame, pitch, yaw and roll (or pitch_deg, yaw_deg, roll_deg), in degrees. Others are
// ignored. Frames are ascending whole numbers; missing numbers are gaps. The first folder of the
// path is the person: HEAD, or the sequence itself.
//
// Signs of angles are those of synthetic_head.h.
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/pose_videos.h"

namespace reprise::datasets {

/// Reads all sequences, named by their path below the folder. UsageError: no sequence; two .csv in
/// one folder; a malformed CSV or angle. UsageError: a frame lacks a picture or a row; two pictures
/// share a frame.
std::vector<PoseVideo> read_synhead_files(const std::filesystem::path& folder);
/// Returns all issues that read_synhead_files() refuses, and damaged pictures. Empty: the set is
/// complete.
std::vector<Issue> verify_synhead_files(const std::filesystem::path& folder);

}  // namespace reprise::datasets
