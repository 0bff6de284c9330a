// Head poses over time, as CSV: columns sequence, frame, pitch, yaw, roll (or pitch_deg, yaw_deg,
// roll_deg, as the BIWI tracks have them), in degrees; other columns are left alone. A sequence is
// a name, its frames are whole numbers that ascend; numbers that are missing are gaps. An empty
// cell, or a spelling of it such as NA or nan (core/csv.h), is an angle that was not measured.
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

/// In the order in which the sequences first appear. UsageError: a column that is missing; a cell
/// that is no number; a frame that does not come after the one before it (the line is named).
std::vector<PoseTrack> parse_pose_tracks(std::string_view text, const std::string& name);
std::vector<PoseTrack> read_pose_tracks(const std::filesystem::path& path);

/// The one track of a file without sequences: a column of that name is left alone. UsageError: as
/// above; no row at all.
PoseTrack parse_pose_track(std::string_view text, const std::string& name,
                           const std::string& sequence);

/// The gap-free stretches of a track that have `shortest` frames at least, each a track of its own
/// name ("7.2": the third of sequence 7).
std::vector<PoseTrack> without_gaps(const PoseTrack& track, std::int64_t shortest);

}  // namespace reprise::datasets
