// Head poses over time, as CSV with the columns sequence, frame, pitch, yaw and roll, in degrees.
//
// The columns pitch_deg, yaw_deg and roll_deg of the BIWI tracks are read too. Other columns are
// ignored. A sequence is a name. Its frames are ascending whole numbers; missing numbers are gaps.
// An empty cell, NA or nan (core/csv.h) is an angle that was not measured.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::datasets {

inline constexpr std::array<const char*, 3> angle_names{"pitch", "yaw", "roll"};

struct PoseTrack {
  std::string sequence;
  std::vector<std::int64_t> frame;
  std::array<std::vector<double>, 3> angle;  ///< pitch, yaw, roll; degrees; NaN where there is none
};

/// Parses tracks in the order in which their sequences first appear. UsageError: a column is
/// missing; a cell is no number; frames do not ascend (the line is named).
std::vector<PoseTrack> parse_pose_tracks(std::string_view text, const std::string& name);
std::vector<PoseTrack> read_pose_tracks(const std::filesystem::path& path);

/// Parses the single track of a file without sequences; a column of that name is ignored.
/// UsageError: as parse_pose_tracks(); the file has no row.
PoseTrack parse_pose_track(std::string_view text, const std::string& name,
                           const std::string& sequence);

/// Splits a track at its gaps and returns the segments of at least `shortest` frames. Segments are
/// named SEQUENCE.NUMBER: "7.2" is the third of sequence 7.
std::vector<PoseTrack> split_at_gaps(const PoseTrack& track, std::int64_t shortest);

}  // namespace reprise::datasets
