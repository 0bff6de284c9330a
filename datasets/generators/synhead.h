// SynHead as document dynamic_face describes it: heads that follow recorded motion tracks, with
// exact pose and landmarks.
//
// Every head plays every track: sequence s is head s % heads on track s / heads. A frame is a pure
// function of the seed, the head's number, the track's name, the take and the frame's place in the
// track, so frames can be had in any order, by any number of processes, and nothing is stored: the
// document's 510,960 frames at 400 x 400 are 10 heads on 70 tracks (51,096 poses a head).
//
// A sequence has one light and one background. The place of the head in its window, its distance
// and its expression follow smooth paths (smooth_path.h). What goes wrong (motion_events.h) comes
// in blocks of 60 frames, drawn anew for each; the face's window jitters from frame to frame on its
// own, as a face detector's does. Or gaps of 1 to 6 frames (gaps.h) stand between clear runs of 3
// to 9.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"
#include "datasets/pose_tracks.h"
#include "datasets/scene/gaps.h"
#include "datasets/scene/motion_events.h"
#include "datasets/scene/synthetic_head.h"

namespace reprise::datasets {

/// What goes wrong with the frames, and how strongly.
struct Degradation {
  EventOptions events;
  double jitter =
      0;  ///< standard deviation of the window's place, and half that of its size, as a share of the window's side
  std::vector<Damage> gaps = {};
  double jump = 0.25;  ///< of the window's side, in a gap of kind Jumped
};
/// Each kind alone: "clean", "occlusion", "blur", "light" (dark and flicker), "noise", "jitter";
/// "mix" has all of them, less often. Gaps of one kind: "hidden", "dark", "shaken" (blurred),
/// "frozen", "jumps"; "gaps" has all five.
const std::vector<std::string>& degradation_kinds();
/// UsageError: another name.
Degradation degradation_named(const std::string& kind);

struct SynheadOptions {
  int size = 64;  ///< pixels a side, 8 to 2048
  std::vector<std::int64_t> heads = {
      0};                      ///< numbers of people (head_surface.h: 0 to 9 are the fixed ones)
  std::string kind = "clean";  ///< degradation_kinds()
  double strength = 1;         ///< 0 to 1: chance and strength of all that goes wrong
  std::uint64_t seed = 0;
};

/// The frames first .. first + count - 1 of a sequence. Another take is the same motion of the same
/// head under another light, before another background, with other expressions and other things
/// going wrong.
struct SynheadPlace {
  std::int64_t sequence = 0, first = 0, take = 0;
};

struct SynheadClips {
  at::Tensor images;     ///< [N, T, S, S, 3], uint8, RGB
  at::Tensor pose;       ///< [N, T, 3], float32: pitch, yaw, roll in degrees, as the track has them
  at::Tensor landmarks;  ///< [N, T, 68, 2], float32, pixels (hidden ones too)
  at::Tensor
      places;  ///< [N, T, 68, 3], float32: the landmarks in the camera's frame, decimetres, less the place of the neck
};

class Synhead {
 public:
  /// tracks: without gaps. UsageError: no track or no head; a track with an angle that is missing;
  /// a size or kind that cannot be.
  Synhead(std::vector<PoseTrack> tracks, SynheadOptions options);

  std::int64_t sequences() const {
    return static_cast<std::int64_t>(tracks_.size() * options_.heads.size());
  }
  std::int64_t heads() const { return static_cast<std::int64_t>(options_.heads.size()); }
  const PoseTrack& track(std::int64_t sequence) const;
  std::int64_t head(std::int64_t sequence) const;
  /// Of all sequences together.
  std::int64_t frames() const;
  /// Where frame `index` of all, counted sequence by sequence, lies. UsageError: it is not there.
  SynheadPlace place(std::int64_t index) const;

  /// T = count frames from each place on; the same for any number of threads. UsageError: frames
  /// that the track does not have.
  SynheadClips read(const std::vector<SynheadPlace>& places, std::int64_t count) const;

 private:
  std::vector<PoseTrack> tracks_;
  SynheadOptions options_;
  Degradation degradation_;
  HeadRenderer renderer_;  ///< knows all heads
};

/// A clip seen in a mirror: pictures and landmarks left to right (right-left names exchanged,
/// landmarks.h), yaw and roll change sign.
SynheadClips mirrored(const SynheadClips& clips);
/// Played backwards.
SynheadClips reversed(const SynheadClips& clips);

}  // namespace reprise::datasets
