#include "datasets/pose_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/csv.h"
#include "core/error.h"
#include "core/files.h"
#include "core/printable.h"

namespace reprise::datasets {
namespace {

std::size_t angle_column(const CsvTable& table, const std::string& angle) {
  // Both titles are in use: "pitch" and "pitch_deg".
  const bool in_degrees =
      std::find(table.header.begin(), table.header.end(), angle + "_deg") != table.header.end();
  return table.column(in_degrees ? angle + "_deg" : angle);
}

double angle_at(const CsvTable& table, std::size_t row, std::size_t column) {
  const auto& cell = table.rows[row][column];
  // A missing angle becomes NaN, which metrics leave out.
  if (is_not_measured(cell)) return std::numeric_limits<double>::quiet_NaN();
  if (const auto angle = finite_number(cell)) return *angle;
  throw UsageError(
      fmt::format("{}: line {}, column '{}': '{}' is not an angle in degrees", table.name,
                  table.line(row), printable(table.header[column]), printable(cell)),
      "write a decimal number such as 12.5; leave the cell empty (or write NA) where nothing was "
      "measured");
}

std::int64_t frame_at(const CsvTable& table, std::size_t row, std::size_t column) {
  const auto& cell = table.rows[row][column];
  const auto frame = finite_number(cell);
  if (!frame || std::trunc(*frame) != *frame || std::abs(*frame) > 9007199254740992)  // 2^53
    throw UsageError(fmt::format("{}, line {}: frame '{}' is not a whole number", table.name,
                                 table.line(row), printable(cell)),
                     "number the frames");
  return static_cast<std::int64_t>(*frame);
}

/// Parses tracks. only: name of a single sequence for all rows, in place of the column.
std::vector<PoseTrack> parse_tracks(const CsvTable& table, const std::string* only) {
  const auto sequence = only != nullptr ? 0 : table.column("sequence");
  const auto frame = table.column("frame");
  const std::array columns{angle_column(table, "pitch"), angle_column(table, "yaw"),
                           angle_column(table, "roll")};
  std::vector<PoseTrack> tracks;
  std::map<std::string, std::size_t> known;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    // Sequences appear in the order of their first rows; rows of two may alternate.
    const auto [place, is_new] =
        known.try_emplace(only != nullptr ? *only : table.rows[row][sequence], tracks.size());
    if (is_new) tracks.emplace_back().sequence = place->first;
    auto& track = tracks[place->second];
    const auto number = frame_at(table, row, frame);
    // A track is a series in time, so its frames must ascend.
    if (!track.frame.empty() && number <= track.frame.back())
      throw UsageError(
          fmt::format("{}, line {}: frame {} of sequence {} comes after frame {}", table.name,
                      table.line(row), number, track.sequence, track.frame.back()),
          "give each frame once, in order of time");
    track.frame.push_back(number);
    for (std::size_t a = 0; a < columns.size(); ++a)
      track.angle[a].push_back(angle_at(table, row, columns[a]));
  }
  return tracks;
}

}  // namespace

std::vector<PoseTrack> parse_pose_tracks(std::string_view text, const std::string& name) {
  return parse_tracks(parse_csv(text, name), nullptr);
}

PoseTrack parse_pose_track(std::string_view text, const std::string& name,
                           const std::string& sequence) {
  auto tracks = parse_tracks(parse_csv(text, name), &sequence);
  if (tracks.empty())
    throw UsageError(name + ": the file has no row below its header", "give one row per frame");
  return std::move(tracks.front());
}

std::vector<PoseTrack> read_pose_tracks(const std::filesystem::path& path) {
  return parse_pose_tracks(read_file(path), path.string());
}

std::vector<PoseTrack> split_at_gaps(const PoseTrack& track, std::int64_t shortest) {
  std::vector<PoseTrack> parts;
  std::size_t first = 0;
  for (std::size_t i = 0; i < track.frame.size(); ++i) {
    // The run goes on while frame numbers are consecutive.
    if (i + 1 < track.frame.size() && track.frame[i + 1] == track.frame[i] + 1) continue;
    if (static_cast<std::int64_t>(i + 1 - first) >= shortest) {
      auto& part = parts.emplace_back();
      part.sequence = fmt::format("{}.{}", track.sequence, parts.size() - 1);
      part.frame.assign(track.frame.begin() + static_cast<std::ptrdiff_t>(first),
                        track.frame.begin() + static_cast<std::ptrdiff_t>(i + 1));
      for (std::size_t a = 0; a < 3; ++a)
        part.angle[a].assign(track.angle[a].begin() + static_cast<std::ptrdiff_t>(first),
                             track.angle[a].begin() + static_cast<std::ptrdiff_t>(i + 1));
    }
    first = i + 1;
  }
  return parts;
}

}  // namespace reprise::datasets
