#include "datasets/readers/synhead_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/files.h"
#include "datasets/formats/media_files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* synhead_fix =
    "point to a folder with SEQUENCE/NAME.csv (frame,pitch,yaw,roll) and SEQUENCE/000012.png, ...";

/// Returns the number formed by the digits at the end of the name.
std::optional<std::int64_t> parse_frame_number(const fs::path& file) {
  const std::string stem = file.stem().string();
  const auto first = stem.find_last_not_of("0123456789") + 1;  // npos + 1 = 0: all are digits
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(stem.data() + first, stem.data() + stem.size(), number);
  // The name has no digits at its end, or too many for 64 bits.
  if (first == stem.size() || error != std::errc()) return std::nullopt;
  return number;
}

std::map<std::int64_t, fs::path> pictures_by_frame(const fs::path& folder,
                                                   std::vector<Issue>& issues) {
  std::map<std::int64_t, fs::path> pictures;
  for (const auto& path : list_entries(folder)) {
    if (path.extension() != ".png") continue;
    const auto number = parse_frame_number(path);
    if (!number)
      issues.push_back({.where = path.string(),
                        .what = "the name ends in no frame number",
                        .fix = "name pictures by frame: 000012.png"});
    else if (!pictures.emplace(*number, path).second)
      issues.push_back({.where = path.string(),
                        .what = fmt::format("two pictures are of frame {}", *number),
                        .fix = "keep one"});
  }
  return pictures;
}

PoseTrack read_track(const fs::path& csv, const std::string& sequence) {
  auto track = parse_pose_track(read_file(csv), csv.string(), sequence);
  // Cells may be empty in pose tracks, but a picture needs all three angles.
  for (std::size_t i = 0; i < track.frame.size(); ++i)
    for (std::size_t a = 0; a < 3; ++a)
      if (!std::isfinite(track.angle[a][i]))
        throw UsageError(
            fmt::format("{}: frame {} has no {}", csv.string(), track.frame[i], angle_names[a]),
            "give all three angles");
  return track;
}

/// Joins the rows of a track with their pictures. Rows or pictures without a partner are issues.
PoseVideo join_pictures(const PoseTrack& track, std::map<std::int64_t, fs::path> pictures,
                        const fs::path& csv, std::vector<Issue>& issues) {
  PoseVideo video;
  video.track.sequence = track.sequence;
  for (std::size_t i = 0; i < track.frame.size(); ++i) {
    const auto picture = pictures.find(track.frame[i]);
    if (picture == pictures.end()) {
      issues.push_back({.where = csv.string(),
                        .what = fmt::format("frame {} has no picture", track.frame[i]),
                        .fix = "fetch the pictures again"});
      continue;
    }
    video.track.frame.push_back(track.frame[i]);
    for (std::size_t a = 0; a < 3; ++a) video.track.angle[a].push_back(track.angle[a][i]);
    video.files.push_back(picture->second);
    // Pictures that remain at the end have no row.
    pictures.erase(picture);
  }
  for (const auto& [number, file] : pictures)
    issues.push_back({.where = csv.string(),
                      .what = fmt::format("there is no row for frame {}, the picture {}", number,
                                          file.filename().string()),
                      .fix = "fetch the CSV again"});
  return video;
}

void scan_into(const fs::path& root, const fs::path& folder, std::vector<PoseVideo>& videos,
               std::vector<Issue>& issues) {
  std::vector<fs::path> tables;
  for (const auto& path : list_entries(folder))
    if (path.extension() == ".csv") tables.push_back(path);
  std::ranges::sort(tables);
  // Which table belongs to the pictures would be a guess.
  if (tables.size() > 1)
    issues.push_back({.where = folder.string(),
                      .what = fmt::format("{} .csv files are in one folder", tables.size()),
                      .fix = "give each sequence its own folder"});
  if (tables.size() == 1) {
    const auto name = folder.lexically_relative(root);
    try {
      auto video = join_pictures(read_track(tables.front(), name.string()),
                                 pictures_by_frame(folder, issues), tables.front(), issues);
      // The first folder below the root names the person.
      video.person = name.begin()->string();
      videos.push_back(std::move(video));
    } catch (const Error& error) {
      issues.push_back(
          {.where = tables.front().string(), .what = error.problem(), .fix = error.fix()});
    }
  }
  // Sequences may lie at any depth.
  for (const auto& below : list_folders(folder, synhead_fix))
    scan_into(root, below, videos, issues);
}

std::vector<PoseVideo> scan_synhead(const fs::path& folder, std::vector<Issue>& issues) {
  std::vector<PoseVideo> videos;
  for (const auto& below : list_folders(folder, synhead_fix))
    scan_into(folder, below, videos, issues);
  if (videos.empty() && issues.empty())
    throw UsageError(folder.string() + ": no sequence is in this folder", synhead_fix);
  return videos;
}

}  // namespace

std::vector<PoseVideo> read_synhead_files(const fs::path& folder) {
  std::vector<Issue> issues;
  auto videos = scan_synhead(folder, issues);
  require_no_issues(issues, "synhead_files");
  return videos;
}

std::vector<Issue> verify_synhead_files(const fs::path& folder) {
  return verify_pose_videos(
      [&](std::vector<Issue>& issues) { return scan_synhead(folder, issues); }, folder);
}

}  // namespace reprise::datasets
