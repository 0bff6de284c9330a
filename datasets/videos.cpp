#include "datasets/videos.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"
#include "datasets/formats/frame_reader.h"
#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "datasets/formats/video_integrity.h"
#include "datasets/issues.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

/// UsageError: the video has fewer frames than the range.
[[noreturn]] void refuse_short_video(const FrameRange& range, std::int64_t frames) {
  throw UsageError(range.end
                       ? fmt::format("{}: the video ends after {} frames, {} are wanted",
                                     range.file.string(), frames, *range.end)
                       : fmt::format("{}: the video has {} frames", range.file.string(), frames),
                   "fetch the video again: it is cut short or damaged");
}

/// Returns the number of frames in the range, at least 1.
std::int64_t count_frames(const FrameRange& range) {
  if (range.end) return *range.end - range.first;
  FrameReader decoder(range.file);
  std::int64_t frames = 0;
  // Containers often state a wrong number of frames, so they are counted by decoding.
  while (decoder.next()) ++frames;
  if (frames <= range.first) refuse_short_video(range, frames);
  return frames - range.first;
}

/// Decodes and resizes the wanted frames, numbered within the range.
std::map<std::int64_t, at::Tensor> decode_frames(const FrameRange& range,
                                                 const std::map<std::int64_t, bool>& wanted,
                                                 std::int64_t size) {
  FrameReader decoder(range.file);
  std::map<std::int64_t, at::Tensor> frames;
  std::int64_t at = -1;
  for (const auto& [number, unused] : wanted) {
    // Frames are decoded in order; seeking is inexact in many codecs.
    for (; at < range.first + number; ++at)
      if (!decoder.next()) refuse_short_video(range, at + 1);
    frames.emplace(number, squeeze_image(decoder.frame(), size));
  }
  return frames;
}

/// Memory of one clip's frames. `first` and `second` are the pairs for the flow.
struct Target {
  at::Tensor colour;
  at::Tensor first;
  at::Tensor second;
};

void read_colour(const FrameRange& range, const ClipOptions& options, const Target& target) {
  const auto n = count_frames(range);
  const auto shown = clip_frames(n, options.frames, options.offset);
  std::map<std::int64_t, bool> wanted;
  // Flow needs pairs of neighbours; the last frame uses the pair that ends in it.
  const auto start = [n](std::int64_t frame) {
    return std::max<std::int64_t>(0, std::min(frame, n - 2));
  };
  const auto end = [n, start](std::int64_t frame) { return std::min(start(frame) + 1, n - 1); };
  for (const auto frame : shown) {
    wanted[frame] = true;
    // Frames of the pairs may not be part of the clip; each is decoded only once.
    if (options.flow) wanted[start(frame)] = wanted[end(frame)] = true;
  }
  const auto frames = decode_frames(range, wanted, options.size);
  for (std::int64_t t = 0; t < options.frames; ++t) {
    const auto frame = shown[static_cast<std::size_t>(t)];
    target.colour[t].copy_(frames.at(frame));
    if (!options.flow) continue;
    target.first[t].copy_(frames.at(start(frame)));
    target.second[t].copy_(frames.at(end(frame)));
  }
}

void read_depth(const FrameRange& range, const ClipOptions& options, const at::Tensor& target) {
  const auto shown = clip_frames(count_frames(range), options.frames, options.offset);
  std::map<std::int64_t, bool> wanted;
  for (const auto frame : shown) wanted[frame] = true;
  const auto frames = decode_frames(range, wanted, options.size);
  for (std::int64_t t = 0; t < options.frames; ++t) {
    // Depth is gray and comes as three equal channels.
    target[t].copy_(frames.at(shown[static_cast<std::size_t>(t)]).slice(2, 0, 1));
  }
}

}  // namespace

std::vector<std::string> VideoSet::persons(const std::vector<std::int64_t>& indices) const {
  std::vector<std::string> list;
  for (const auto i : indices) list.push_back(videos.at(static_cast<std::size_t>(i)).person);
  return list;
}

LabelledClips VideoSet::make_empty_clips(const std::vector<std::int64_t>& indices) const {
  LabelledClips clips;
  clips.classes = classes;
  std::vector<std::int64_t> labels;
  for (const auto i : indices) {
    if (i < 0 || i >= static_cast<std::int64_t>(videos.size()))
      throw UsageError(fmt::format("there is no video {} in a set of {}", i, videos.size()),
                       "use indices made for this very set");
    const auto& video = videos[static_cast<std::size_t>(i)];
    clips.item.push_back(video.item);
    clips.person.push_back(video.person);
    labels.push_back(video.label);
  }
  clips.labels = at::tensor(at::ArrayRef<std::int64_t>(labels), at::kLong);
  return clips;
}

LabelledClips read_clips(const VideoSet& set, const std::vector<std::int64_t>& indices,
                         const ClipOptions& options) {
  if (options.size < 1 || options.size > 4096)
    throw UsageError(fmt::format("clips of {} pixels cannot be read", options.size),
                     "choose a size from 1 to 4096");
  // Refuses a wrong length or offset before anything is decoded.
  clip_frames(1, options.frames, options.offset);
  const auto n = static_cast<std::int64_t>(indices.size());
  auto clips = set.make_empty_clips(indices);
  bool has_depth = n > 0;
  for (const auto i : indices)
    // Depth exists for all clips or is left out: a tensor has no missing rows.
    has_depth = has_depth && set.videos[static_cast<std::size_t>(i)].depth;
  const auto s = options.size;
  clips.colour = at::empty({n, options.frames, s, s, 3}, at::kByte);
  if (has_depth) clips.depth = at::empty({n, options.frames, s, s, 1}, at::kByte);
  if (options.flow) clips.flow = at::empty({n, options.frames, s, s, 3}, at::kByte);
  std::vector<Issue> issues;
  const auto video = [&](std::int64_t i) -> const LabelledVideo& {
    return set.videos[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])];
  };
  // Flow uses all threads for one clip. Clips are therefore read a few at a time, and memory never
  // holds the frame pairs of all clips.
  const std::int64_t few = options.flow ? 4 * count_workers(n, at::get_num_threads()) : n;
  for (std::int64_t begin = 0; begin < n; begin += few) {
    const auto count = std::min(few, n - begin);
    std::vector<Target> targets(static_cast<std::size_t>(count));
    const auto found = collect_item_issues(
        count, [&](std::int64_t k) { return video(begin + k).item; },
        [&](std::int64_t, std::int64_t k) {
          auto& target = targets[static_cast<std::size_t>(k)];
          target.colour = clips.colour[begin + k];
          if (options.flow) {
            target.first = at::empty({options.frames, s, s, 3}, at::kByte);
            target.second = at::empty_like(target.first);
          }
          read_colour(video(begin + k).colour, options, target);
          if (has_depth) read_depth(*video(begin + k).depth, options, clips.depth[begin + k]);
        });
    issues.insert(issues.end(), found.begin(), found.end());
    // If a video could not be read, its frames are undefined; the error follows below.
    if (!options.flow || !found.empty()) continue;
    for (std::int64_t k = 0; k < count; ++k) {
      const auto& target = targets[static_cast<std::size_t>(k)];
      clips.flow[begin + k].copy_(compute_flow_images(target.first, target.second, *options.flow));
    }
  }
  require_no_issues(issues, "videos");
  return clips;
}

std::vector<Issue> check_videos(const VideoSet& set) {
  const auto length = [](const fs::path& file) {
    FrameReader decoder(file);  // names a file that is missing, and opens a strip
    if (is_video(file)) return check_video_integrity(file);
    std::int64_t frames = 0;
    for (; decoder.next(); ++frames) decoder.frame();
    return frames;
  };
  const auto check = [&](const FrameRange& range) {
    const auto frames = length(range.file);
    if (frames <= range.first || (range.end && frames < *range.end))
      refuse_short_video(range, frames);
  };
  return collect_item_issues(
      static_cast<std::int64_t>(set.videos.size()),
      [&](std::int64_t i) { return set.videos[static_cast<std::size_t>(i)].item; },
      [&](std::int64_t, std::int64_t i) {
        const auto& video = set.videos[static_cast<std::size_t>(i)];
        check(video.colour);
        if (video.depth) check(*video.depth);
      });
}

std::vector<Issue> verify_videos(const std::function<VideoSet(std::vector<Issue>& issues)>& read,
                                 const fs::path& folder) {
  return collect_issues(
      [&](std::vector<Issue>& issues) {
        const auto set = read(issues);
        const auto damaged = check_videos(set);
        issues.insert(issues.end(), damaged.begin(), damaged.end());
      },
      folder, "make the folder readable");
}

}  // namespace reprise::datasets
