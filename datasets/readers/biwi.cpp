#include "datasets/readers/biwi.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* biwi_fix =
    "point to a folder with the official layout of BIWI: NN/frame_XXXXX_rgb.png, "
    "frame_XXXXX_pose.txt, rgb.cal";

/// Person of each sequence, F female and M male; four people were recorded twice.
const std::map<std::string, std::string> people{
    {"01", "F01"}, {"02", "F02"}, {"03", "F03"}, {"04", "F04"}, {"05", "F05"}, {"06", "F06"},
    {"07", "M01"}, {"08", "M02"}, {"09", "M03"}, {"10", "M04"}, {"11", "M05"}, {"12", "M06"},
    {"13", "M07"}, {"14", "M08"}, {"15", "F03"}, {"16", "M09"}, {"17", "M10"}, {"18", "F05"},
    {"19", "M11"}, {"20", "M12"}, {"21", "F02"}, {"22", "M01"}, {"23", "M13"}, {"24", "M14"}};

/// Parses the numbers of a text, separated by any white space, with `rows` numbers per line. With
/// `more`, text after the last row is ignored.
std::vector<double> parse_numbers(std::string_view text, const std::string& name,
                                  const std::vector<std::size_t>& rows, bool more) {
  std::vector<double> numbers;
  std::size_t row = 0;
  std::size_t line = 0;
  // Blank lines separate the matrices and are skipped.
  while (!text.empty() && !(more && row == rows.size())) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    std::size_t count = 0;
    while (true) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
      if (rest.empty()) break;
      const auto word = rest.substr(0, rest.find_first_of(" \t\r"));
      rest.remove_prefix(word.size());
      double value = 0;
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc() || stop != word.data() + word.size() || !std::isfinite(value))
        throw UsageError(fmt::format("{}: line {} has '{}' where a number is expected", name, line,
                                     word.substr(0, 40)),
                         "fetch the file again");
      numbers.push_back(value);
      ++count;
    }
    if (count == 0) continue;
    if (row >= rows.size() || count != rows[row])
      throw UsageError(row >= rows.size()
                           ? fmt::format("{}: line {} is one too many", name, line)
                           : fmt::format("{}: line {} has {} numbers where {} are expected", name,
                                         line, count, rows[row]),
                       "fetch the file again");
    ++row;
  }
  if (row < rows.size())
    throw UsageError(
        fmt::format("{}: the file ends after {} of {} rows of numbers", name, row, rows.size()),
        "fetch the file again: it is cut short");
  return numbers;
}

template <std::size_t N>
std::array<double, N> part(const std::vector<double>& numbers, std::size_t first) {
  std::array<double, N> values;
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(first), N, values.begin());
  return values;
}

struct FrameFiles {
  fs::path picture;
  fs::path pose;
};

/// Lists the files of each frame number.
std::map<std::int64_t, FrameFiles> list_frames(const fs::path& folder) {
  std::map<std::int64_t, FrameFiles> frames;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("frame_")) continue;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + 6, name.data() + name.size(), number);
    // Other files of the official folders, such as depth maps, are ignored.
    if (error != std::errc() || number < 0) continue;
    const std::string_view rest(end);
    // If a picture is there in both formats, the PNG is taken: it has no loss.
    if (rest == "_rgb.png" || (rest == "_rgb.jpg" && frames[number].picture.empty()))
      frames[number].picture = entry.path();
    else if (rest == "_pose.txt")
      frames[number].pose = entry.path();
  }
  std::erase_if(frames, [](const auto& frame) {
    return frame.second.picture.empty() && frame.second.pose.empty();
  });
  return frames;
}

/// Calls `read`. Its exception becomes an issue of the file.
template <typename Read>
void collect_issue(std::vector<Issue>& issues, const fs::path& file, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    issues.push_back({.where = file.string(), .what = error.problem(), .fix = error.fix()});
  }
}

std::optional<PoseVideo> scan_sequence(const fs::path& folder, std::vector<Issue>& issues) {
  const auto frames = list_frames(folder);
  if (frames.empty()) return std::nullopt;
  PoseVideo video;
  video.track.sequence = folder.filename().string();
  const auto known = people.find(video.track.sequence);
  video.person = known == people.end() ? video.track.sequence : known->second;
  // Without calibration the poses are still checked, so that all issues appear in one run.
  std::optional<ColourCamera> camera;
  collect_issue(issues, folder / "rgb.cal", [&] {
    camera = parse_biwi_calibration(read_file(folder / "rgb.cal"), (folder / "rgb.cal").string());
  });
  for (const auto& [number, files] : frames) {
    const std::string where = (folder / fmt::format("frame_{:05}", number)).string();
    if (files.picture.empty() || files.pose.empty()) {
      issues.push_back(
          {.where = where,
           .what = files.pose.empty() ? "the frame has no pose" : "the frame has no picture",
           .fix = "fetch the set again"});
      continue;
    }
    collect_issue(issues, files.pose, [&, &number = number, &files = files] {
      const auto place = parse_biwi_pose(read_file(files.pose), files.pose.string());
      const auto angles = euler_angles(place.rotation);
      const auto window = camera ? project_head_window(*camera, place.centre) : FaceWindow{};
      video.track.frame.push_back(number);
      for (std::size_t a = 0; a < 3; ++a) video.track.angle[a].push_back(angles[a]);
      video.files.push_back(files.picture);
      video.centre.push_back(place.centre);
      video.window.push_back(window);
    });
  }
  return video;
}

std::vector<PoseVideo> scan_biwi(const fs::path& folder, std::vector<Issue>& issues) {
  std::vector<PoseVideo> videos;
  for (const auto& path : list_folders(folder, biwi_fix))
    if (auto video = scan_sequence(path, issues)) videos.push_back(std::move(*video));
  if (videos.empty())
    throw UsageError(folder.string() + ": no sequence of BIWI is in this folder", biwi_fix);
  return videos;
}

}  // namespace

HeadPosition parse_biwi_pose(std::string_view text, const std::string& name) {
  // Three rows of the rotation, and the centre of the head in mm.
  const auto numbers = parse_numbers(text, name, {3, 3, 3, 3}, false);
  HeadPosition place{.rotation = part<9>(numbers, 0), .centre = part<3>(numbers, 9)};
  try {
    // The angles are not needed here; the call checks that the matrix is a rotation.
    euler_angles(place.rotation);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: lines 1 to 3: {}", name, error.problem()),
                     "fetch the file again");
  }
  return place;
}

ColourCamera parse_biwi_calibration(std::string_view text, const std::string& name) {
  // Intrinsic matrix, four distortion coefficients, then rotation and translation (mm) from the
  // depth camera's frame to the colour camera's.
  const auto numbers = parse_numbers(text, name, {3, 3, 3, 4, 3, 3, 3, 3}, true);
  if (!(numbers[0] > 0) || !(numbers[4] > 0))
    throw UsageError(fmt::format("{}: focal lengths {} and {}", name, numbers[0], numbers[4]),
                     "fetch the file again: both are positive");
  for (std::size_t i = 9; i < 13; ++i)
    if (numbers[i] != 0)
      throw UsageError(fmt::format("{}: distortion {} is not zero", name, numbers[i]),
                       "undistort the pictures and set it to zero: no distortion is modelled");
  return {.matrix = part<9>(numbers, 0),
          .rotation = part<9>(numbers, 13),
          .translation = part<3>(numbers, 22)};
}

FaceWindow project_head_window(const ColourCamera& camera, const std::array<double, 3>& centre,
                               double head_size) {
  // From the depth camera's frame to the colour camera's: p = R c + t.
  std::array<double, 3> p = camera.translation;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) p[i] += camera.rotation[3 * i + k] * centre[k];
  if (!(p[2] > 1))
    throw UsageError(fmt::format("the head's centre ({}, {}, {}) mm is not before the camera",
                                 centre[0], centre[1], centre[2]),
                     "fetch the file again: z is about a metre");
  const auto& K = camera.matrix;
  // Perspective projection by K, and the projected length of `head_size` at the same depth.
  return {(K[0] * p[0] + K[1] * p[1]) / p[2] + K[2], K[4] * p[1] / p[2] + K[5],
          K[0] * head_size / p[2]};
}

std::vector<PoseVideo> read_biwi(const fs::path& folder) {
  std::vector<Issue> issues;
  auto videos = scan_biwi(folder, issues);
  require_no_issues(issues, "biwi");
  return videos;
}

std::vector<Issue> verify_biwi(const fs::path& folder) {
  return verify_pose_videos([&](std::vector<Issue>& issues) { return scan_biwi(folder, issues); },
                            folder);
}

}  // namespace reprise::datasets
