#include "datasets/full_length_clips.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "datasets/formats/container.h"
#include "datasets/formats/frame_reader.h"
#include "datasets/formats/images.h"
#include "datasets/issues.h"
#include "datasets/transforms/face_windows.h"

namespace reprise::datasets {
namespace {

void check_options(const FullLengthClipOptions& options) {
  const auto require = [](bool right, const std::string& problem, const char* fix) {
    if (!right) throw UsageError(problem, fix);
  };
  require(
      options.least >= 1 && options.every_nth >= 1 && options.longest >= options.least,
      fmt::format("clips of {} to {} frames, every {}th of a video", options.least, options.longest,
                  options.every_nth),
      "take 1 frame or more, at most as many as the longest clip keeps, and a step of 1 or more");
  require(options.size >= 1 && options.size <= 4096,
          fmt::format("clips of {} pixels cannot be read", options.size),
          "choose a size from 1 to 4096");
  require(!options.face || options.face->margin > 0,
          fmt::format("a face cannot be cut out {} times as large",
                      options.face ? options.face->margin : 0),
          "use a margin above 0");
}

/// Passes the reader to `see` at each frame of a range until it returns false. Returns the number
/// of frames passed.
template <typename See>
std::int64_t for_each_frame(const FrameRange& range, const See& see) {
  FrameReader reader(range.file);
  std::int64_t at = 0;
  for (; (!range.end || at < *range.end) && reader.next(); ++at)
    // Frames before the range are skipped without conversion to pictures.
    if (at >= range.first && !see(reader)) break;
  return at - range.first;
}

/// Returns the window of the largest face in the first frame with a face.
FaceWindow find_first_face(const FrameRange& range, const FaceDetector& detector, double margin) {
  std::optional<FaceBox> face;
  const auto seen = for_each_frame(range, [&](FrameReader& reader) {
    face = choose_face(detector(reader.frame()), std::nullopt);
    return !face;
  });
  if (!face)
    throw UsageError(
        fmt::format("{}: no face is found in any of its {} frames", range.file.string(), seen),
        "leave the video out, give another face detector, or take whole frames");
  return smooth_windows({face}, {.sigma = 0, .margin = margin}).front();
}

/// Reads all frames of a range at the clip's size: [V, S, S, 3].
at::Tensor read_small_frames(const FrameRange& range, const FullLengthClipOptions& options,
                             const std::optional<FaceWindow>& window) {
  std::vector<at::Tensor> frames;
  const auto count = for_each_frame(range, [&](FrameReader& reader) {
    const auto frame = reader.frame();
    frames.push_back(window ? crop_window(frame, *window, options.size)
                            : squeeze_image(frame, options.size));
    return true;
  });
  if (range.end && count < *range.end - range.first)
    throw UsageError(fmt::format("{}: the video ends after {} frames, {} are wanted",
                                 range.file.string(), range.first + count, *range.end),
                     "fetch the video again: it is cut short or damaged");
  // The first and the last of `least` frames lie (least - 1) steps apart.
  const auto needed = (options.least - 1) * options.every_nth + 1;
  if (count < needed)
    throw UsageError(
        fmt::format("{}: the video has {} frames, and a clip of {} that lie {} apart takes {}",
                    range.file.string(), std::max<std::int64_t>(count, 0), options.least,
                    options.every_nth, needed),
        "leave the video out, or take fewer frames or a smaller step");
  return at::stack(frames);
}

/// Draws a clip of T to L frames from a video, as the header describes.
at::Tensor draw_clip(const at::Tensor& frames, const FullLengthClipOptions& options,
                     Random random) {
  // Start positions that still leave `least` frames, at most one step of them.
  const auto spare = frames.size(0) - (options.least - 1) * options.every_nth;
  const auto first = random.below(std::min(options.every_nth, spare));
  const auto clip = frames.slice(0, first, frames.size(0), options.every_nth);
  if (clip.size(0) <= options.longest) return clip;
  return clip.narrow(0, random.below(clip.size(0) - options.longest + 1), options.longest);
}

}  // namespace

FullLengthClips read_full_length_clips(const VideoSet& set,
                                       const std::vector<std::int64_t>& indices,
                                       const FullLengthClipOptions& options, std::uint64_t seed) {
  check_options(options);
  FullLengthClips out{.clips = set.make_empty_clips(indices), .lengths = {}};
  const auto n = static_cast<std::int64_t>(indices.size());
  // One detector serves one thread.
  std::vector<FaceDetector> detectors;
  if (options.face)
    for (std::int64_t k = 0; k < count_workers(n, at::get_num_threads()); ++k)
      detectors.push_back(open_face_detector(options.face->detector));
  std::vector<at::Tensor> clips(indices.size());
  const auto video = [&](std::int64_t i) -> const LabelledVideo& {
    return set.videos[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])];
  };
  const auto issues = collect_item_issues(
      n, [&](std::int64_t i) { return video(i).item; },
      [&](std::int64_t worker, std::int64_t i) {
        const auto& range = video(i).colour;
        // A cut file would look like a shorter clip.
        if (is_video(range.file)) check_container(range.file);
        std::optional<FaceWindow> window;
        if (options.face)
          window = find_first_face(range, detectors[static_cast<std::size_t>(worker)],
                                   options.face->margin);
        const auto frames = read_small_frames(range, options, window);
        // A view would keep the whole video in memory, so the clip is copied.
        clips[static_cast<std::size_t>(i)] =
            draw_clip(frames, options, Random(seed).split(video(i).item)).clone();
      });
  require_no_issues(issues, "videos");
  std::vector<std::int64_t> lengths;
  for (const auto& clip : clips) lengths.push_back(clip.size(0));
  out.lengths = at::tensor(at::ArrayRef<std::int64_t>(lengths), at::kLong);
  // Pad all clips with black to the longest one.
  out.clips.colour = at::zeros({n, lengths.empty() ? options.least : std::ranges::max(lengths),
                                options.size, options.size, 3},
                               at::kByte);
  for (std::int64_t i = 0; i < n; ++i)
    out.clips.colour[i]
        .narrow(0, 0, lengths[static_cast<std::size_t>(i)])
        .copy_(clips[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace reprise::datasets
