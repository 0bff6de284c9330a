#include "datasets/readers/ytf_keypoints.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/csv.h"
#include "core/error.h"
#include "core/text.h"
#include "datasets/formats/media_files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

/// Parts of a file name.
struct ImageName {
  std::string person;
  int video = 0;
  int frame = 0;
};

std::optional<ImageName> parse_name(const std::string& stem) {
  // Name_Surname_VF: the last digit is the frame, and those before it the video.
  const auto bar = stem.rfind('_');
  if (bar == std::string::npos || bar == 0 || stem.size() - bar < 3 || stem.size() - bar > 6)
    return std::nullopt;
  const std::string digits = stem.substr(bar + 1);
  if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return ImageName{stem.substr(0, bar), std::stoi(digits.substr(0, digits.size() - 1)),
                   digits.back() - '0'};
}

/// Returns the column of each coordinate: x0, y0, x1, ... UsageError: columns are missing or
/// superfluous.
std::vector<std::size_t> coordinate_columns(const CsvTable& table) {
  const auto has = [&](const std::string& title) {
    return std::ranges::find(table.header, title) != table.header.end();
  };
  // Two layouts of titles are in use: x0, y0, ... and 0, 1, ...
  const bool lettered = has("x0");
  std::vector<std::size_t> columns;
  std::vector<std::string> missing;
  for (std::int64_t i = 0; i < 2 * face_points; ++i) {
    auto title = std::to_string(i);
    if (lettered) title = fmt::format("{}{}", i % 2 == 0 ? 'x' : 'y', i / 2);
    if (has(title))
      columns.push_back(table.column(title));
    else
      missing.push_back(title);
  }
  if (!missing.empty())
    throw UsageError(fmt::format("{}: {} of 136 coordinate columns are missing: {}", table.name,
                                 missing.size(), first_few(missing)),
                     "the header must be image_name,0,1,...,135 (x and y of 68 points in turn), or "
                     "image_name,x0,y0,...,x67,y67");
  // Column 0 names the image and must not be a coordinate.
  if (std::ranges::find(columns, std::size_t{0}) != columns.end() ||
      table.header.size() != columns.size() + 1)
    throw UsageError(
        fmt::format("{}: there are {} columns; expected the image's name and 136 coordinates",
                    table.name, table.header.size()),
        "put the image's name in the first column, and only the 68 landmarks after it");
  return columns;
}

using Key = std::tuple<std::string, int, int>;  // person, video, frame

class Rows {
 public:
  Rows(const fs::path& folder, std::vector<Issue>& issues)
      : images_(folder / "training"),
        table_(read_csv(folder / "training_frames_keypoints.csv")),
        columns_(coordinate_columns(table_)),
        issues_(issues) {
    for (std::size_t row = 0; row < table_.rows.size(); ++row) add(row);
    if (table_.rows.empty())
      throw UsageError(table_.name + ": there is no row after the header",
                       "fetch the file again: it is cut short");
  }

  const std::map<Key, FaceFile>& faces() const { return faces_; }

  /// Adds an issue for each image that no row names.
  void check_rest() {
    std::error_code error;
    // The folder is walked by hand, so that an unreadable one does not end the check.
    for (fs::directory_iterator entry(images_, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().extension() == ".jpg" && !is_system_file(entry->path()) &&
          !named_.contains(entry->path().filename().string()))
        issues_.push_back({.where = entry->path().string(),
                           .what = "no row of the CSV names this image",
                           .fix = "add its landmarks, or remove the image"});
  }

 private:
  void add(std::size_t row) {
    const std::string& image = table_.rows[row][0];
    const auto where = fmt::format("{}: line {}", table_.name, table_.line(row));
    const auto name = parse_name(fs::path(image).stem().string());
    if (!name || fs::path(image).filename() != image) {
      issues_.push_back(
          {.where = where,
           .what = fmt::format(
               "'{}' is not a name of the form Name_Surname_VF.jpg (V video, F frame)", image),
           .fix = "name the image so"});
      return;
    }
    // Names with different digits may denote the same frame (05 and 005).
    if (!named_.insert(image).second || faces_.contains({name->person, name->video, name->frame})) {
      issues_.push_back({.where = where,
                         .what = fmt::format("'{}' occurs a second time", image),
                         .fix = "keep one row per image"});
      return;
    }
    if (!fs::is_regular_file(images_ / image)) {
      issues_.push_back({.where = where,
                         .what = fmt::format("the image {} is missing", (images_ / image).string()),
                         .fix = "fetch the image, or remove its row"});
      return;
    }
    try {
      auto points = at::empty({face_points, 2}, at::kFloat);
      auto* xy = points.data_ptr<float>();
      for (std::size_t i = 0; i < columns_.size(); ++i)
        // columns_ is ordered x0, y0, x1, ..., like the tensor's memory.
        xy[i] = static_cast<float>(csv_number(table_, row, columns_[i]));
      faces_[{name->person, name->video, name->frame}] = {fs::path(image).stem().string(),
                                                          name->person, images_ / image, points};
    } catch (const Error& error) {
      issues_.push_back({.where = where,
                         .what = error.problem(),
                         .fix = "repair the row, or remove it with its image"});
    }
  }

  fs::path images_;
  CsvTable table_;
  std::vector<std::size_t> columns_;
  std::vector<Issue>& issues_;
  std::set<std::string> named_;
  std::map<Key, FaceFile> faces_;
};

std::vector<FaceFile> list_face_files(const std::map<Key, FaceFile>& faces) {
  std::vector<FaceFile> files;
  for (const auto& [key, file] : faces) files.push_back(file);
  return files;
}

/// Groups the sorted faces by video.
void find_bursts(const std::map<Key, FaceFile>& faces, YtfKeypoints& set) {
  std::map<std::pair<std::string, int>, std::vector<std::pair<int, std::int64_t>>>
      videos;  // frame number, index
  // The map sorts by person, video and frame, so an index is the place in the set.
  std::int64_t index = 0;
  for (const auto& [key, file] : faces)
    videos[{std::get<0>(key), std::get<1>(key)}].emplace_back(std::get<2>(key), index++);
  for (const auto& [video, frames] : videos) {
    const std::string name = fmt::format("{}_{}", video.first, video.second);
    // Frames 0, 1 and 2 are there; other numbers are no burst.
    if (frames.size() == 3 && frames[0].first == 0 && frames[2].first == 2)
      set.bursts.push_back(
          {name, video.first, {frames[0].second, frames[1].second, frames[2].second}});
    else
      set.incomplete.push_back(name);
  }
}

}  // namespace

YtfKeypoints read_ytf_keypoints(const fs::path& folder, const std::optional<FaceCrop>& crop) {
  std::vector<Issue> issues;
  const Rows rows(folder, issues);
  require_no_issues(issues, "ytf_keypoints");
  YtfKeypoints set;
  set.frames = load_faces(list_face_files(rows.faces()), crop, issues);
  require_no_issues(issues, "ytf_keypoints");
  find_bursts(rows.faces(), set);
  return set;
}

std::vector<Issue> verify_ytf_keypoints(const fs::path& folder) {
  std::vector<Issue> issues;
  try {
    Rows rows(folder, issues);
    rows.check_rest();
    check_faces(list_face_files(rows.faces()), issues);
  } catch (const Error& error) {
    issues.push_back({.where = folder.string(), .what = error.problem(), .fix = error.fix()});
  }
  return issues;
}

}  // namespace reprise::datasets
