// Clips with one class each: what every generator and reader of gestures and actions gives, and how
// a clip is drawn from a video.
//
// A clip of T frames shows a video's range of n frames as a whole. Its frame t is the video's frame
//     floor((t + offset) n / T),   offset in [0, 1)
// so frames ascend, lie n / T apart up to rounding, and repeat where n < T. 0.5 is the middle, for
// testing; another offset is another clip of the same video, for training. Flow at frame t is the
// motion from the video's frame that was drawn to the one after it, not to the clip's next frame
// (the range's last frame takes the flow of the one before it; a range of one frame has no motion).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::datasets {

struct LabelledClips {
  at::Tensor colour;  ///< [N, T, H, W, 3], uint8, RGB
  at::Tensor depth;   ///< [N, T, H, W, 1], uint8; undefined where the set has none
  at::Tensor
      flow;  ///< [N, T, H, W, 3], uint8 (optical_flow.h); undefined where it was not asked for
  at::Tensor labels;                 ///< [N], int64
  std::vector<std::string> classes;  ///< name of each label
  std::vector<std::string> item;     ///< name of the clip, unique in the set
  std::vector<std::string> person;   ///< who is in it, as far as the set tells: the unit of a split
  std::int64_t size() const { return labels.defined() ? labels.size(0) : 0; }
  /// The clips of these indices, in this order. UsageError: an index that is not there.
  LabelledClips at(const std::vector<std::int64_t>& indices) const;
};

/// UsageError: fewer than 1 frame; a person below 0.
void require_clip(std::int64_t frames, std::int64_t person);

/// A generated set before anything is drawn: who plays what. Each person in turn plays a round of
/// all C classes, in an order drawn for the round: a clip's number does not tell its class. Its
/// person is "person004" for number 4, its item "person004/000017". What clip i is does not depend
/// on n.
class CastClips {
 public:
  /// UsageError: n < 0, nobody in the list, or what require_clip() refuses.
  CastClips(std::int64_t n, std::int64_t frames, std::vector<std::string> classes,
            std::vector<std::int64_t> people, std::uint64_t seed);
  std::int64_t label(std::int64_t clip) const { return labels_[static_cast<std::size_t>(clip)]; }
  std::int64_t person(std::int64_t clip) const {
    return people_[static_cast<std::size_t>(clip / classes_) % people_.size()];
  }
  LabelledClips set;  ///< labels, classes, items and people; the pictures are still to come

 private:
  std::int64_t classes_;
  std::vector<std::int64_t> people_, labels_;
};

/// Indices of T frames out of n, ascending. UsageError: n or T below 1; offset outside [0, 1).
std::vector<std::int64_t> clip_frames(std::int64_t n, std::int64_t frames, double offset = 0.5);

/// A sheet to look at: a row for each of `clips` (their indices), its frames from left to right, at
/// most `most`, evenly spread; each modality in a row of its own. [H, W, 3], uint8.
at::Tensor clip_sheet(const LabelledClips& clips, const std::vector<std::int64_t>& indices,
                      std::int64_t most = 8);

}  // namespace reprise::datasets
