// Sets of videos with one class each, and clips of a fixed length sampled from them.
//
// A video is any source of formats/frame_reader.h: a video file, a strip of square frames, or a
// folder of pictures. Frames are decoded in order, one at a time. Only frames of the clip are kept,
// each shrunk at once, so that memory does not grow with the length of a video. Frames of any shape
// are resized to size x size by area averaging, so that motion at the border is not lost.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "datasets/clips.h"
#include "datasets/landmarks.h"
#include "datasets/transforms/optical_flow.h"

namespace reprise::datasets {

/// Frames first, ..., end - 1 of a file, counted from 0.
struct FrameRange {
  std::filesystem::path file;
  std::int64_t first = 0;
  std::optional<std::int64_t> end;  ///< none: up to the file's last frame
};

struct LabelledVideo {
  std::string item;    ///< unique in the set
  std::string person;  ///< person, scene or source; splits keep persons together
  std::int64_t label = 0;
  FrameRange colour;
  std::optional<FrameRange> depth;
};

struct VideoSet {
  std::vector<LabelledVideo> videos;  ///< sorted by item
  std::vector<std::string> classes;   ///< name of each label
  /// Official split; both empty if the set has none. Validation is split off `train`.
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> test;
  std::vector<std::string> persons(const std::vector<std::int64_t>& indices) const;
  /// Returns names and labels of these videos, in this order, without frames. UsageError: an index
  /// is out of range.
  LabelledClips make_empty_clips(const std::vector<std::int64_t>& indices) const;
};

/// Length, size and sampling of clips.
struct ClipOptions {
  std::int64_t frames = 16;  ///< T
  std::int64_t size = 64;    ///< pixels per side
  double offset = 0.5;       ///< clips.h
  /// Adds flow, computed at `size` between neighbouring frames of the video.
  std::optional<FlowOptions> flow;
};

/// Reads one clip per video, in this order, independent of the number of threads. Depth is present
/// if every video has it: the stored value of the first channel, sampled from its own range by the
/// same rule. UsageError: an index is out of range; videos do not open, end too early or contain no
/// frame (counted, five named).
LabelledClips read_clips(const VideoSet& set, const std::vector<std::int64_t>& indices,
                         const ClipOptions& options);

/// Decodes every video without keeping it and checks for hidden damage (formats/video_integrity.h).
/// Empty: all videos are complete.
std::vector<Issue> check_videos(const VideoSet& set);

/// Verifies a set: returns the issues of `read`, collected or thrown, or else those of its videos.
std::vector<Issue> verify_videos(const std::function<VideoSet(std::vector<Issue>& issues)>& read,
                                 const std::filesystem::path& folder);

}  // namespace reprise::datasets
