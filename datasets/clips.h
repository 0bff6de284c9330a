// Clips with one class each, as generators and readers of gestures and actions return them.
//
// A clip of T frames covers a video's range of n frames. Its frame t is the video's frame
//
//     floor((t + offset) n / T),   offset in [0, 1)
//
// Frames ascend, lie n / T apart up to rounding, and repeat where n < T. Offset 0.5 takes the
// middle of each interval and serves for testing. Other offsets give other clips of the same video
// for training.
//
// Flow at frame t is the motion from the selected frame to the video's next frame, not to the
// clip's next frame. The last frame of the range takes the flow of the one before it. A range of
// one frame has no motion.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::datasets {

struct LabelledClips {
  at::Tensor colour;  ///< [N, T, H, W, 3], uint8, RGB
  at::Tensor depth;   ///< [N, T, H, W, 1], uint8; undefined if the set has no depth
  at::Tensor flow;    ///< [N, T, H, W, 3], uint8 (optical_flow.h); undefined unless requested
  at::Tensor labels;  ///< [N], int64
  std::vector<std::string> classes;  ///< name of each label
  std::vector<std::string> item;     ///< name of the clip, unique in the set
  /// Person in the clip, as far as the set tells; splits keep persons together.
  std::vector<std::string> person;
  std::int64_t size() const { return labels.defined() ? labels.size(0) : 0; }
  /// Returns the clips of these indices, in this order. UsageError: an index is out of range.
  LabelledClips at(const std::vector<std::int64_t>& indices) const;
};

/// Checks the arguments of a generated clip. UsageError: fewer than 1 frame; a person below 0.
void require_clip(std::int64_t frames, std::int64_t person);

/// Assigns a class and a person to each clip of a generated set, before any frame is rendered.
///
/// Each person in turn performs a round of all C classes. The order is drawn for each round, so
/// that a clip's number does not reveal its class. Names are "person004" for person 4 and
/// "person004/000017" for an item. Clip i does not depend on n.
class ClipPlan {
 public:
  /// UsageError: n < 0; the list of people is empty; require_clip() refuses the arguments.
  ClipPlan(std::int64_t n, std::int64_t frames, std::vector<std::string> classes,
           std::vector<std::int64_t> people, std::uint64_t seed);
  std::int64_t label(std::int64_t clip) const { return labels_[static_cast<std::size_t>(clip)]; }
  std::int64_t person(std::int64_t clip) const {
    return people_[static_cast<std::size_t>(clip / classes_) % people_.size()];
  }
  /// Labels, classes, items and people; tensors of frames are filled in by the generator.
  LabelledClips set;

 private:
  std::int64_t classes_;
  std::vector<std::int64_t> people_;
  std::vector<std::int64_t> labels_;
};

/// Returns T ascending indices of n frames. UsageError: n or T below 1; an offset outside [0, 1).
std::vector<std::int64_t> clip_frames(std::int64_t n, std::int64_t frames, double offset = 0.5);

/// Draws clips as a sheet for visual checks: [H, W, 3], uint8, one row per clip and modality.
/// Frames run from left to right. A clip of more than `most` frames is sampled evenly.
at::Tensor draw_clip_sheet(const LabelledClips& clips, const std::vector<std::int64_t>& indices,
                           std::int64_t most = 8);

}  // namespace reprise::datasets
