// SynHead as described by document dynamic_face: heads that follow recorded motion tracks, with
// exact pose and landmarks.
//
// Every head performs every track: sequence s is head s % heads on track s / heads. A frame is a
// pure function of the seed, the head's number, the track's name, the take and its position in the
// track. Frames can thus be rendered in any order, by any number of processes, and nothing is
// stored. The document has 510,960 frames: 10 heads on 70 tracks, with 51,096 poses per head. Its
// pictures are 400 pixels wide and high.
//
// A sequence has one light and one background. Position, distance and expression of the head follow
// smooth paths (smooth_path.h). Degradation (motion_events.h) is drawn per block of 60 frames. The
// face's window jitters independently per frame, as a face detector's does. Alternatively, there
// are gaps (gaps.h) of 1 to 6 frames. Clear runs between them have 3 to 9 frames.
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

/// Kinds and strength of damage to frames.
struct Degradation {
  EventOptions events;
  /// Standard deviation of the window's position, over its side; half of it for the size.
  double jitter = 0;
  std::vector<Damage> gaps = {};
  double jump = 0.25;  ///< shift in a gap of kind Jumped, as a fraction of the window's side
};
/// Returns all kinds. Single kinds: "clean", "occlusion", "blur", "light" (dark and flicker),
/// "noise", "jitter"; "mix" has all of them, less often. Gaps of one kind: "hidden", "dark",
/// "shaken" (blurred), "frozen", "jumps"; "gaps" has all five.
const std::vector<std::string>& degradation_kinds();
/// Returns the degradation of this kind. UsageError: another name.
Degradation find_degradation(const std::string& kind);

struct SynheadOptions {
  int size = 64;  ///< pixels per side, 8 to 2048
  /// Numbers of people (head_surface.h: 0 to 9 are designed by hand).
  std::vector<std::int64_t> heads = {0};
  std::string kind = "clean";  ///< degradation_kinds()
  double strength = 1;         ///< probability and strength of all damage, 0 to 1
  std::uint64_t seed = 0;
};

/// Frames first .. first + count - 1 of a sequence. Another take shows the same motion of the same
/// head with another light, background, expression and damage.
struct SynheadPosition {
  std::int64_t sequence = 0;
  std::int64_t first = 0;
  std::int64_t take = 0;
};

struct SynheadClips {
  at::Tensor images;     ///< [N, T, S, S, 3], uint8, RGB
  at::Tensor pose;       ///< [N, T, 3], float32: pitch, yaw, roll in degrees, as the track has them
  at::Tensor landmarks;  ///< [N, T, 68, 2], float32, pixels (hidden ones too)
  /// [N, T, 68, 3], float32: landmarks relative to the neck, camera frame, decimetres.
  at::Tensor landmarks_3d;
};

class Synhead {
 public:
  /// Prepares all heads. tracks: without gaps. UsageError: no track or no head; a missing angle; a
  /// size or kind out of range.
  Synhead(std::vector<PoseTrack> tracks, SynheadOptions options);

  std::int64_t sequences() const {
    return static_cast<std::int64_t>(tracks_.size() * options_.heads.size());
  }
  std::int64_t heads() const { return static_cast<std::int64_t>(options_.heads.size()); }
  const PoseTrack& track(std::int64_t sequence) const;
  std::int64_t head(std::int64_t sequence) const;
  /// Returns the number of frames of all sequences together.
  std::int64_t frames() const;
  /// Returns the position of frame `index`, counted over all sequences. UsageError: out of range.
  SynheadPosition place(std::int64_t index) const;

  /// Renders `count` frames from each position on, independent of the number of threads.
  /// UsageError: the track has fewer frames.
  SynheadClips read(const std::vector<SynheadPosition>& places, std::int64_t count) const;

 private:
  std::vector<PoseTrack> tracks_;
  SynheadOptions options_;
  Degradation degradation_;
  HeadRenderer renderer_;  ///< holds the meshes of all heads
};

/// Mirrors clips left to right. Right and left landmarks exchange names (landmarks.h); yaw and roll
/// change sign.
SynheadClips mirror_clips(const SynheadClips& clips);
/// Reverses clips in time.
SynheadClips reverse_clips(const SynheadClips& clips);

}  // namespace reprise::datasets
