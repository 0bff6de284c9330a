#include "datasets/videos.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"
#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "datasets/formats/whole_video.h"
#include "datasets/problems.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

/// Frames of one file, in order: a video, or a strip of square pictures (.png).
class Decoder {
 public:
  explicit Decoder(const fs::path& file) : file_(file) {
    if (!fs::is_regular_file(file)) throw UsageError(file.string() + ": the file is missing", "fetch it, or remove its item");
    const auto ending = file.extension();
    if (ending == ".png" || ending == ".PNG") {
      open_strip();
      return;
    }
    video_.emplace(file);
  }

  /// Goes to the next frame; false at the end.
  bool grab() { return video_ ? video_->next() : ++at_ < count_; }
  /// The frame last grabbed: RGB, at the size given.
  cv::Mat frame(std::int64_t size) {
    cv::Mat rgb, small;
    at::Tensor decoded;
    if (video_) {
      decoded = video_->frame();
      rgb = cv::Mat(static_cast<int>(decoded.size(0)), static_cast<int>(decoded.size(1)), CV_8UC3, decoded.data_ptr());
    } else {
      const int side = std::min(strip_.rows, strip_.cols), start = static_cast<int>(at_) * side;
      rgb = strip_(strip_.cols > strip_.rows ? cv::Rect(start, 0, side, side) : cv::Rect(0, start, side, side));
    }
    const auto to = static_cast<int>(size);
    cv::resize(rgb, small, {to, to}, 0, 0, rgb.cols >= to && rgb.rows >= to ? cv::INTER_AREA : cv::INTER_LINEAR);
    return small;
  }

 private:
  void open_strip() {
    pixels_ = read_image(file_);
    strip_ = cv::Mat(static_cast<int>(pixels_.size(0)), static_cast<int>(pixels_.size(1)), CV_8UC3, pixels_.data_ptr());
    const int side = std::min(strip_.rows, strip_.cols), longer = std::max(strip_.rows, strip_.cols);
    if (longer % side != 0)
      throw UsageError(fmt::format("{}: {} x {} pixels are not a strip of square frames", file_.string(), strip_.cols, strip_.rows),
                       "lay the frames of a video side by side or below one another, without a border");
    count_ = longer / side;
  }

  fs::path file_;
  std::optional<VideoReader> video_;
  at::Tensor pixels_;
  cv::Mat strip_;
  std::int64_t at_ = -1, count_ = 0;
};

[[noreturn]] void ended(const FrameRange& range, std::int64_t frames) {
  throw UsageError(range.end ? fmt::format("{}: the video ends after {} frames, {} are wanted", range.file.string(), frames, *range.end)
                             : fmt::format("{}: the video has {} frames", range.file.string(), frames),
                   "fetch the video again: it is cut short or damaged");
}

/// Number of frames in the range, at least 1.
std::int64_t length_of(const FrameRange& range) {
  if (range.end) return *range.end - range.first;
  Decoder decoder(range.file);
  std::int64_t frames = 0;
  while (decoder.grab()) ++frames;
  if (frames <= range.first) ended(range, frames);
  return frames - range.first;
}

/// The frames of these numbers within the range, shrunk.
std::map<std::int64_t, cv::Mat> decode(const FrameRange& range, const std::map<std::int64_t, bool>& wanted, std::int64_t size) {
  Decoder decoder(range.file);
  std::map<std::int64_t, cv::Mat> frames;
  std::int64_t at = -1;
  for (const auto& [number, unused] : wanted) {
    for (; at < range.first + number; ++at)
      if (!decoder.grab()) ended(range, at + 1);
    frames.emplace(number, decoder.frame(size));
  }
  return frames;
}

struct Target {
  at::Tensor colour, first, second, depth;  ///< of one clip; `first` and `second` with flow only, `depth` where there is one
};

void copy(const cv::Mat& frame, const at::Tensor& target) {
  cv::Mat view(frame.rows, frame.cols, frame.type(), target.data_ptr());
  frame.copyTo(view);
}

void read_colour(const FrameRange& range, const ClipOptions& options, const Target& target) {
  const auto n = length_of(range);
  const auto shown = clip_frames(n, options.frames, options.offset);
  std::map<std::int64_t, bool> wanted;
  const auto start = [n](std::int64_t frame) { return std::max<std::int64_t>(0, std::min(frame, n - 2)); };
  const auto end = [n, start](std::int64_t frame) { return std::min(start(frame) + 1, n - 1); };
  for (const auto frame : shown) {
    wanted[frame] = true;
    if (options.flow) wanted[start(frame)] = wanted[end(frame)] = true;
  }
  const auto frames = decode(range, wanted, options.size);
  for (std::int64_t t = 0; t < options.frames; ++t) {
    const auto frame = shown[static_cast<std::size_t>(t)];
    copy(frames.at(frame), target.colour[t]);
    if (!options.flow) continue;
    copy(frames.at(start(frame)), target.first[t]);
    copy(frames.at(end(frame)), target.second[t]);
  }
}

void read_depth(const FrameRange& range, const ClipOptions& options, const at::Tensor& target) {
  const auto shown = clip_frames(length_of(range), options.frames, options.offset);
  std::map<std::int64_t, bool> wanted;
  for (const auto frame : shown) wanted[frame] = true;
  const auto frames = decode(range, wanted, options.size);
  for (std::int64_t t = 0; t < options.frames; ++t) {
    cv::Mat one;
    cv::extractChannel(frames.at(shown[static_cast<std::size_t>(t)]), one, 0);
    copy(one, target[t]);
  }
}

/// Calls work(i) for each, side by side; what goes wrong becomes a problem, in the order of the items.
void collect(std::int64_t count, std::vector<Problem>& problems, const std::function<std::string(std::int64_t)>& name,
             const std::function<void(std::int64_t)>& work) {
  std::vector<std::optional<Problem>> found(static_cast<std::size_t>(count));
  parallel_items(count, at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    try {
      work(i);
    } catch (const Error& error) {
      found[static_cast<std::size_t>(i)] = Problem{name(i), error.problem(), error.fix()};
    } catch (const std::exception& error) {
      found[static_cast<std::size_t>(i)] = Problem{name(i), error.what(), "fetch the file again, or remove the item"};
    }
  });
  for (auto& problem : found)
    if (problem) problems.push_back(std::move(*problem));
}

}  // namespace

std::vector<std::string> VideoSet::persons(const std::vector<std::int64_t>& indices) const {
  std::vector<std::string> list;
  for (const auto i : indices) list.push_back(videos.at(static_cast<std::size_t>(i)).person);
  return list;
}

LabelledClips read_clips(const VideoSet& set, const std::vector<std::int64_t>& indices, const ClipOptions& options) {
  if (options.size < 1 || options.size > 4096)
    throw UsageError(fmt::format("clips of {} pixels cannot be read", options.size), "choose a size from 1 to 4096");
  clip_frames(1, options.frames, options.offset);  // names a wrong length or offset before anything is decoded
  const auto n = static_cast<std::int64_t>(indices.size());
  LabelledClips clips;
  clips.classes = set.classes;
  bool has_depth = n > 0;
  std::vector<std::int64_t> labels;
  for (const auto i : indices) {
    if (i < 0 || i >= static_cast<std::int64_t>(set.videos.size()))
      throw UsageError(fmt::format("there is no video {} in a set of {}", i, set.videos.size()), "use indices made for this very set");
    const auto& video = set.videos[static_cast<std::size_t>(i)];
    clips.item.push_back(video.item), clips.person.push_back(video.person), labels.push_back(video.label);
    has_depth = has_depth && video.depth;
  }
  clips.labels = at::tensor(at::ArrayRef<std::int64_t>(labels), at::kLong);
  const auto s = options.size;
  clips.colour = at::empty({n, options.frames, s, s, 3}, at::kByte);
  if (has_depth) clips.depth = at::empty({n, options.frames, s, s, 1}, at::kByte);
  if (options.flow) clips.flow = at::empty({n, options.frames, s, s, 3}, at::kByte);
  std::vector<Problem> problems;
  const auto video = [&](std::int64_t i) -> const LabelledVideo& {
    return set.videos[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])];
  };
  // Flow takes all threads for one clip, so clips are read a few at a time and never lie in memory as pairs all together.
  const std::int64_t few = options.flow ? 4 * workers(n, at::get_num_threads()) : n;
  for (std::int64_t begin = 0; begin < n; begin += few) {
    const auto count = std::min(few, n - begin);
    std::vector<Target> targets(static_cast<std::size_t>(count));
    const auto known = problems.size();
    collect(
        count, problems, [&](std::int64_t k) { return video(begin + k).item; },
        [&](std::int64_t k) {
          auto& target = targets[static_cast<std::size_t>(k)];
          target.colour = clips.colour[begin + k];
          if (options.flow) target.first = at::empty({options.frames, s, s, 3}, at::kByte), target.second = at::empty_like(target.first);
          read_colour(video(begin + k).colour, options, target);
          if (has_depth) read_depth(*video(begin + k).depth, options, clips.depth[begin + k]);
        });
    if (!options.flow || problems.size() > known) continue;
    for (std::int64_t k = 0; k < count; ++k) {
      const auto& target = targets[static_cast<std::size_t>(k)];
      clips.flow[begin + k].copy_(flow_images(target.first, target.second, *options.flow));
    }
  }
  require_none(problems, "videos");
  return clips;
}

std::vector<Problem> check_videos(const VideoSet& set) {
  std::vector<Problem> problems;
  const auto length = [](const fs::path& file) {
    Decoder decoder(file);  // names a file that is missing, and opens a strip
    if (is_video(file)) return check_whole_video(file);
    std::int64_t frames = 0;
    for (; decoder.grab(); ++frames) decoder.frame(1);
    return frames;
  };
  const auto check = [&](const FrameRange& range) {
    const auto frames = length(range.file);
    if (frames <= range.first || (range.end && frames < *range.end)) ended(range, frames);
  };
  collect(
      static_cast<std::int64_t>(set.videos.size()), problems, [&](std::int64_t i) { return set.videos[static_cast<std::size_t>(i)].item; },
      [&](std::int64_t i) {
        const auto& video = set.videos[static_cast<std::size_t>(i)];
        check(video.colour);
        if (video.depth) check(*video.depth);
      });
  return problems;
}

std::vector<Problem> verify_videos(const std::function<VideoSet(std::vector<Problem>& problems)>& read, const fs::path& folder) {
  return collected_problems(
      [&](std::vector<Problem>& problems) {
        const auto set = read(problems);
        const auto damaged = check_videos(set);
        problems.insert(problems.end(), damaged.begin(), damaged.end());
      },
      folder, "make the folder readable");
}

}  // namespace reprise::datasets
