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

/// What stands at the end of the name in digits.
std::optional<std::int64_t> number_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  const auto first = stem.find_last_not_of("0123456789") + 1;  // npos + 1 = 0: all are digits
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(stem.data() + first, stem.data() + stem.size(), number);
  if (first == stem.size() || error != std::errc()) return std::nullopt;
  return number;
}

std::map<std::int64_t, fs::path> pictures_by_frame(const fs::path& folder,
                                                   std::vector<Problem>& problems) {
  std::map<std::int64_t, fs::path> pictures;
  for (const auto& path : list_entries(folder)) {
    if (path.extension() != ".png") continue;
    const auto number = number_of(path);
    if (!number)
      problems.push_back({path.string(), "the name ends in no frame number",
                          "name pictures by frame: 000012.png"});
    else if (!pictures.emplace(*number, path).second)
      problems.push_back(
          {path.string(), fmt::format("two pictures are of frame {}", *number), "keep one"});
  }
  return pictures;
}

PoseTrack track_in(const fs::path& csv, const std::string& sequence) {
  auto track = parse_pose_track(read_file(csv), csv.string(), sequence);
  for (std::size_t i = 0; i < track.frame.size(); ++i)
    for (std::size_t a = 0; a < 3; ++a)
      if (!std::isfinite(track.angle[a][i]))
        throw UsageError(
            fmt::format("{}: frame {} has no {}", csv.string(), track.frame[i], angle_names[a]),
            "give all three angles");
  return track;
}

/// The frames of the track that have a picture.
PoseVideo joined(const PoseTrack& track, std::map<std::int64_t, fs::path> pictures,
                 const fs::path& csv, std::vector<Problem>& problems) {
  PoseVideo video;
  video.track.sequence = track.sequence;
  for (std::size_t i = 0; i < track.frame.size(); ++i) {
    const auto picture = pictures.find(track.frame[i]);
    if (picture == pictures.end()) {
      problems.push_back({csv.string(), fmt::format("frame {} has no picture", track.frame[i]),
                          "fetch the pictures again"});
      continue;
    }
    video.track.frame.push_back(track.frame[i]);
    for (std::size_t a = 0; a < 3; ++a) video.track.angle[a].push_back(track.angle[a][i]);
    video.files.push_back(picture->second);
    pictures.erase(picture);
  }
  for (const auto& [number, file] : pictures)
    problems.push_back({csv.string(),
                        fmt::format("there is no row for frame {}, the picture {}", number,
                                    file.filename().string()),
                        "fetch the CSV again"});
  return video;
}

void scan_into(const fs::path& root, const fs::path& folder, std::vector<PoseVideo>& videos,
               std::vector<Problem>& problems) {
  std::vector<fs::path> tables;
  for (const auto& path : list_entries(folder))
    if (path.extension() == ".csv") tables.push_back(path);
  std::ranges::sort(tables);
  if (tables.size() > 1)
    problems.push_back({folder.string(),
                        fmt::format("{} .csv files are in one folder", tables.size()),
                        "give each sequence its own folder"});
  if (tables.size() == 1) {
    const auto name = folder.lexically_relative(root);
    try {
      auto video = joined(track_in(tables.front(), name.string()),
                          pictures_by_frame(folder, problems), tables.front(), problems);
      video.person = name.begin()->string();
      videos.push_back(std::move(video));
    } catch (const Error& error) {
      problems.push_back({tables.front().string(), error.problem(), error.fix()});
    }
  }
  for (const auto& below : folders_in(folder, synhead_fix))
    scan_into(root, below, videos, problems);
}

std::vector<PoseVideo> scan_synhead(const fs::path& folder, std::vector<Problem>& problems) {
  std::vector<PoseVideo> videos;
  for (const auto& below : folders_in(folder, synhead_fix))
    scan_into(folder, below, videos, problems);
  if (videos.empty() && problems.empty())
    throw UsageError(folder.string() + ": no sequence is in this folder", synhead_fix);
  return videos;
}

}  // namespace

std::vector<PoseVideo> read_synhead_files(const fs::path& folder) {
  std::vector<Problem> problems;
  auto videos = scan_synhead(folder, problems);
  require_none(problems, "synhead_files");
  return videos;
}

std::vector<Problem> verify_synhead_files(const fs::path& folder) {
  return verify_pose_videos(
      [&](std::vector<Problem>& problems) { return scan_synhead(folder, problems); }, folder);
}

}  // namespace reprise::datasets
