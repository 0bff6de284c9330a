#include "datasets/readers/faces_300w.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/text.h"
#include "datasets/formats/media_files.h"
#include "datasets/readers/pts.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

struct Pair {
  std::vector<fs::path> images;
  fs::path points;
};

/// Lists images and annotations by their path without ending, below the folder.
std::map<std::string, Pair> list_pairs(const fs::path& folder) {
  std::map<std::string, Pair> pairs;
  constexpr const char* fix =
      "point to a folder with the official layout of 300-W: NAME.jpg or NAME.png with NAME.pts, at "
      "any depth";
  for (const auto& path : list_entries(folder, Depth::AllBelow, fix)) {
    if (!fs::is_regular_file(path)) continue;
    const std::string item =
        // The same name may occur in several folders, so the item contains the folder.
        (path.lexically_relative(folder).parent_path() / path.stem()).generic_string();
    if (to_lower(path.extension().string()) == ".pts")
      pairs[item].points = path;
    else if (is_picture(path))
      pairs[item].images.push_back(path);
  }
  if (pairs.empty())
    throw UsageError(
        folder.string() +
            ": no face of 300-W is in this folder; expected NAME.jpg or NAME.png with NAME.pts, at "
            "any depth",
        "point to a folder with the official layout of 300-W");
  return pairs;
}

std::vector<FaceFile> scan_faces(const fs::path& folder, std::vector<Issue>& issues) {
  std::vector<FaceFile> files;
  for (auto& [item, pair] : list_pairs(folder)) {
    // Each case that does not make one image and one annotation is an issue.
    if (pair.points.empty()) {
      issues.push_back({.where = pair.images.front().string(),
                        .what = "this image has no .pts file next to it",
                        .fix = "fetch its annotation, or remove the image"});
    } else if (pair.images.empty()) {
      issues.push_back({.where = pair.points.string(),
                        .what = "this annotation has no .jpg or .png next to it",
                        .fix = "fetch its image, or remove the annotation"});
    } else if (pair.images.size() > 1) {
      issues.push_back({.where = pair.points.string(),
                        .what = fmt::format("{} images carry this name", pair.images.size()),
                        .fix = "keep the one that was annotated"});
    } else {
      try {
        files.push_back({.item = item,
                         .person = photograph_name(fs::path(item).filename().string()),
                         .image = pair.images.front(),
                         .landmarks = read_pts(pair.points)});
      } catch (const Error& error) {
        issues.push_back(
            {.where = pair.points.string(), .what = error.problem(), .fix = error.fix()});
      }
    }
  }
  return files;
}

}  // namespace

std::string photograph_name(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  // Faces of one photograph are numbered: NAME12_1 and NAME12_2 are of photograph NAME12.
  const auto bar = name.rfind('_');
  if (bar == std::string_view::npos || bar == 0 || bar + 1 == name.size()) return std::string(name);
  const bool counted =
      std::ranges::all_of(name.substr(bar + 1), is_digit) && is_digit(name[bar - 1]);
  return std::string(counted ? name.substr(0, bar) : name);
}

LandmarkFrames read_faces_300w(const fs::path& folder, const std::optional<FaceCrop>& crop) {
  std::vector<Issue> issues;
  const auto files = scan_faces(folder, issues);
  // Annotations are checked before the slow decoding of pictures.
  require_no_issues(issues, "faces_300w");
  auto frames = load_faces(files, crop, issues);
  require_no_issues(issues, "faces_300w");
  return frames;
}

std::vector<Issue> verify_faces_300w(const fs::path& folder) {
  std::vector<Issue> issues;
  try {
    check_faces(scan_faces(folder, issues), issues);
  } catch (const Error& error) {
    issues.push_back({.where = folder.string(), .what = error.problem(), .fix = error.fix()});
  }
  return issues;
}

}  // namespace reprise::datasets
