#include "datasets/readers/vw300.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/parallel.h"
#include "datasets/formats/media_files.h"
#include "datasets/formats/video_files.h"
#include "datasets/formats/video_integrity.h"
#include "datasets/issues.h"
#include "datasets/readers/pts.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* vw300_fix =
    "point to a folder with the official layout of 300-VW: NNN/vid.avi with NNN/annot/000001.pts";

/// Folders with a vid.avi or an annot/ in them.
std::vector<fs::path> video_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_directory() &&
        (fs::exists(entry->path() / "vid.avi") || fs::exists(entry->path() / "annot")))
      found.push_back(entry->path());
  if (error)
    throw UsageError(
        fmt::format("{}: the folder cannot be read: {}", folder.string(), error.message()),
        vw300_fix);
  if (found.empty())
    throw UsageError(folder.string() + ": no video of 300-VW is in this folder", vw300_fix);
  std::ranges::sort(found);
  return found;
}

/// Returns the frame number of an annotation file.
std::int64_t frame_number(const fs::path& file) {
  const std::string stem = file.stem().string();
  std::int64_t frame = 0;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), frame);
  // 0 is no valid number: frames count from 1.
  return error == std::errc() && end == stem.data() + stem.size() ? std::max<std::int64_t>(frame, 0)
                                                                  : 0;
}

void read_annotations(const fs::path& folder, AnnotatedVideo& video, std::vector<Issue>& issues) {
  std::vector<std::pair<std::int64_t, fs::path>> files;
  for (const auto& path : list_entries(folder / "annot")) {
    if (path.extension() != ".pts") continue;
    if (const auto frame = frame_number(path); frame > 0)
      files.emplace_back(frame, path);
    else
      issues.push_back({.where = path.string(),
                        .what = "the name is not a frame number",
                        .fix = "name annotations by frame, from 000001.pts"});
  }
  std::ranges::sort(files);
  std::vector<at::Tensor> points(files.size());
  // Each worker writes to its own place, so the order of issues does not depend on threads.
  std::vector<std::optional<Issue>> found(files.size());
  parallel_items(
      static_cast<std::int64_t>(files.size()), at::get_num_threads(),
      [&](std::int64_t, std::int64_t i) {
        const auto k = static_cast<std::size_t>(i);
        try {
          points[k] = read_pts(files[k].second);
        } catch (const Error& error) {
          found[k] =
              Issue{.where = files[k].second.string(), .what = error.problem(), .fix = error.fix()};
        }
      });
  // Sorted by frame, so two annotations of one frame follow each other.
  std::vector<at::Tensor> good;
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (found[k]) {
      issues.push_back(*found[k]);
    } else if (!video.frames.empty() && video.frames.back() == files[k].first) {
      issues.push_back({.where = files[k].second.string(),
                        .what = "two annotations are of this frame",
                        .fix = "keep one"});
    } else {
      video.frames.push_back(files[k].first);
      good.push_back(points[k]);
    }
  }
  if (files.empty())
    issues.push_back({.where = (folder / "annot").string(),
                      .what = "there is no .pts file",
                      .fix = "fetch the annotations again"});
  video.landmarks = good.empty() ? at::empty({0, face_points, 2}, at::kFloat) : at::stack(good);
}

std::vector<AnnotatedVideo> scan_vw300(const fs::path& folder, std::vector<Issue>& issues) {
  std::vector<AnnotatedVideo> videos;
  for (const auto& path : video_folders(folder)) {
    AnnotatedVideo video{
        .name = path.filename().string(), .file = path / "vid.avi", .frames = {}, .landmarks = {}};
    const bool has_video = fs::is_regular_file(video.file);
    const bool has_points = fs::is_directory(path / "annot");
    if (!has_video)
      issues.push_back({.where = video.file.string(),
                        .what = "the video is missing",
                        .fix = "fetch it, or remove its folder"});
    if (!has_points)
      issues.push_back({.where = (path / "annot").string(),
                        .what = "the annotations are missing",
                        .fix = "fetch them, or remove the video's folder"});
    if (has_points) read_annotations(path, video, issues);
    if (has_video && !video.frames.empty()) videos.push_back(std::move(video));
  }
  return videos;
}

/// Decodes without keeping anything.
void check_video(const AnnotatedVideo& video, std::vector<Issue>& issues) {
  try {
    const auto frames = check_video_integrity(video.file);
    if (frames < video.frames.back())
      issues.push_back(
          {.where = video.file.string(),
           .what = fmt::format("the video ends after frame {}; annotations go up to {}", frames,
                               video.frames.back()),
           .fix = "fetch the video again: it is cut short"});
  } catch (const UsageError& error) {
    issues.push_back({.where = video.file.string(), .what = error.problem(), .fix = error.fix()});
  }
}

}  // namespace

std::vector<AnnotatedVideo> read_vw300(const fs::path& folder) {
  std::vector<Issue> issues;
  auto videos = scan_vw300(folder, issues);
  require_no_issues(issues, "vw300");
  return videos;
}

std::vector<Issue> verify_vw300(const fs::path& folder) {
  const auto check = [&](std::vector<Issue>& issues) {
    const auto videos = scan_vw300(folder, issues);
    for (const auto& video : videos) check_video(video, issues);
  };
  return collect_issues(check, folder, vw300_fix);
}

std::vector<std::int64_t> find_clip_starts(const AnnotatedVideo& video, std::int64_t length) {
  if (length < 1)
    throw UsageError(fmt::format("a clip of {} frames is empty", length),
                     "use clips of 1 frame or more");
  std::vector<std::int64_t> starts;
  std::int64_t run = 0;
  for (std::size_t i = 0; i < video.frames.size(); ++i) {
    // Length of the run of consecutive annotated frames that ends here.
    run = i > 0 && video.frames[i] == video.frames[i - 1] + 1 ? run + 1 : 1;
    if (run < length) continue;
    starts.push_back(video.frames[i] - length + 1);
    // The next clip begins behind this one, so clips do not overlap.
    run = 0;
  }
  return starts;
}

struct ClipReader::Decoder {
  explicit Decoder(const fs::path& path) : file(path), reader(path) {}

  /// [H, W, 3], RGB.
  at::Tensor frame(std::int64_t number) {
    // The decoder only goes forwards.
    if (number < next) {
      reader = VideoReader(file);
      next = 1;
    }
    for (; next <= number; ++next)
      if (!reader.next())
        throw UsageError(fmt::format("{}: frame {} cannot be decoded", file.string(), next),
                         "fetch the video again: it is cut short or damaged");
    return reader.frame();
  }

  fs::path file;
  VideoReader reader;
  std::int64_t next = 1;  ///< number of the frame that the next grab gives
};

ClipReader::ClipReader(const AnnotatedVideo& video)
    : video_(video), decoder_(std::make_unique<Decoder>(video.file)) {}
ClipReader::~ClipReader() = default;

LandmarkFrames ClipReader::read(std::int64_t first, std::int64_t count,
                                const std::optional<FaceCrop>& crop) {
  LandmarkFrames clip;
  std::vector<at::Tensor> points;
  for (std::int64_t number = first; number < first + count; ++number) {
    const auto found = std::ranges::lower_bound(video_.frames, number);
    if (found == video_.frames.end() || *found != number)
      throw UsageError(fmt::format("video {}: frame {} is not annotated", video_.name, number),
                       "take clips from find_clip_starts()");
    Face face{.image = decoder_->frame(number),
              .landmarks = video_.landmarks[found - video_.frames.begin()]};
    if (crop) face = crop_face(face.image, face.landmarks, *crop);
    clip.images.push_back(face.image);
    points.push_back(face.landmarks);
    clip.item.push_back(fmt::format("{}/{:06d}", video_.name, number));
    clip.person.push_back(video_.name);
  }
  clip.landmarks = points.empty() ? at::empty({0, face_points, 2}, at::kFloat) : at::stack(points);
  return clip;
}

}  // namespace reprise::datasets
