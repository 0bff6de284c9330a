// Sets of videos with one class each, and clips of a fixed length drawn from them.
//
// A video is whatever formats/frame_reader.h reads: a file that OpenCV decodes, a strip of square
// frames, or a folder of pictures. Frames are decoded in order, one at a time, and only those that
// a clip shows are kept, each shrunk at once: memory does not grow with the length of a video. A
// frame is squeezed to size x size whatever its shape, by area averaging, so that what moves at its
// border is not lost.
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
  std::string person;  ///< or scene, source, ...: the unit of a split
  std::int64_t label = 0;
  FrameRange colour;
  std::optional<FrameRange> depth;
};

struct VideoSet {
  std::vector<LabelledVideo> videos;  ///< sorted by item
  std::vector<std::string> classes;   ///< name of each label
  std::vector<std::int64_t> train,
      test;  ///< the set's own split; both empty where it has none. Validation is split off `train`.
  std::vector<std::string> persons(const std::vector<std::int64_t>& indices) const;
  /// Clips of these videos, in this order, before their pictures are read. UsageError: an index
  /// that is not there.
  LabelledClips named(const std::vector<std::int64_t>& indices) const;
};

/// What a clip is to show.
struct ClipOptions {
  std::int64_t frames = 16;  ///< T
  std::int64_t size = 64;    ///< pixels a side
  double offset = 0.5;       ///< clips.h
  /// Adds flow, computed at `size` between neighbouring frames of the video.
  std::optional<FlowOptions> flow;
};

/// A clip of each of these videos, in this order. Depth is there when every one of them has it: the
/// first channel's value as it is stored, drawn from its own range by the same rule. The same for
/// any number of threads. UsageError: an index that is not there; videos that do not open, end too
/// early or decode to nothing: counted, five named.
LabelledClips read_clips(const VideoSet& set, const std::vector<std::int64_t>& indices,
                         const ClipOptions& options);

/// Decodes every video without keeping it, and looks for damage that a decoder hides
/// (formats/whole_video.h). Empty: all are whole.
std::vector<Problem> check_videos(const VideoSet& set);

/// The problems that `read` finds and reports by an exception, or else those of the videos that it
/// names: a set's verify function.
std::vector<Problem> verify_videos(
    const std::function<VideoSet(std::vector<Problem>& problems)>& read,
    const std::filesystem::path& folder);

}  // namespace reprise::datasets
