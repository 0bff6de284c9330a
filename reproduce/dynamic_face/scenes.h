// The moving heads of one replicate: which tracks and heads are whose part, clips of them, and what
// networks take and give.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "datasets/generators/synhead.h"
#include "experiments/data_folder.h"
#include "experiments/settings.h"

namespace reprise::reproduce::dynamic_face_study {

struct Scenes {
  std::vector<datasets::PoseTrack> tracks;  ///< without gaps
  std::vector<std::int64_t> heads;
};

struct SceneParts {
  Scenes train, validation, test;
  Scenes recorded =
      {};  ///< the heads of the test on BIWI's tracks, where test.kinds has "recorded"
};

/// tracks.source = biwi_tracks: recorded, below `data`, cut at their gaps; generated: drawn with
/// the seed. Split by track (a recorded sequence with all its stretches) and by head: a part shares
/// neither with another, and heads are the seed's own. UsageError: too few of either.
SceneParts load_scenes(const Settings& settings, const DataFolder& data, std::int64_t seed);

/// Some of the scenes: the fold `index` of `of`, or all that share neither a track nor a head with
/// it.
struct Fold {
  std::int64_t of = 1, index = 0;
  bool others = false;
};
/// UsageError: fewer tracks or heads than folds.
Scenes fold_of(const Scenes& scenes, const Fold& fold);

/// The part of the test on BIWI's tracks, beside those of generated ones, a kind of its own: what
/// goes wrong there is as in "gaps".
inline constexpr auto recorded_kind = "recorded";
bool tests_recorded(const Settings& settings);
/// Notes that a cell films recorded tracks, where the settings ask for them (DataFolder::need).
void need_tracks(const Settings& settings, const DataFolder& data);

/// What goes wrong (datasets::degradation_kinds()), and how much of it.
struct Trouble {
  std::string kind;
  double strength = 1;
};
datasets::Synhead synhead_of(const Scenes& scenes, const Trouble& trouble, const Settings& settings,
                             std::uint64_t seed);

/// Clips from anywhere, each a take of its own; with `augment` every other one mirrored, and every
/// third backwards (document: mirroring, playing in reverse; scale and place of the window vary
/// with the scenes and with the degradation).
datasets::SynheadClips draw_clips(const datasets::Synhead& set, std::int64_t count,
                                  std::int64_t frames, bool augment, Random& random);

/// `count` sequences of `frames`, each a take of its own that begins anywhere in its track. Tracks
/// and heads, in an order of their own, take turns: each comes as often as any other, or once more.
std::vector<datasets::SynheadPlace> test_places(const datasets::Synhead& set, std::int64_t count,
                                                std::int64_t frames, Random& random);

/// uint8 [..., S, S, 3] -> float32 [M, 3, S, S]: each picture less its mean, over its deviation.
at::Tensor input_of(const at::Tensor& images);

/// What is true of frames.
struct Truth {
  at::Tensor pose;       ///< [..., 3], degrees
  at::Tensor landmarks;  ///< [..., 68, 2], pixels
  at::Tensor
      places;  ///< [..., 68, 3], decimetres: landmarks in space, as datasets::SynheadClips has them
};
Truth truth_of(const datasets::SynheadClips& clips);

/// What a network gives for a frame: pose (3 values, units of 20 degrees), landmarks (136, units of
/// a fifth of the side, from its centre), both, pose first (139), or landmarks in space (204,
/// decimetres).
enum class Output { Pose, Landmarks, Joint, Places };
bool gives_pose(Output output);
bool gives_landmarks(Output output);
std::int64_t size_of(Output output);
at::Tensor target_of(Output output, const Truth& truth, std::int64_t side);
at::Tensor pose_of(const at::Tensor& outputs);  ///< [..., 3 or 139] -> [..., 3], degrees
at::Tensor landmarks_of(const at::Tensor& outputs,
                        std::int64_t side);       ///< [..., 136 or 139] -> [..., 68, 2], pixels
at::Tensor places_of(const at::Tensor& outputs);  ///< [..., 204] -> [..., 68, 3], decimetres
/// L2: its mean over the pose plus its mean over the landmarks, these times `landmark_weight`.
at::Tensor squared_error(const at::Tensor& outputs, const at::Tensor& truth,
                         double landmark_weight = 1);

/// What validation minimises: the mean pose error in degrees; of a network for landmarks alone
/// their mean error in boxes' diagonals; for landmarks in space their mean distance in millimetres.
double mean_error(Output output, const at::Tensor& outputs, const Truth& truth, std::int64_t side);
inline constexpr double millimetres = 100;  ///< a decimetre
const char* name_of(
    Output
        output);  ///< "pose" where there is one, "landmarks", "places": what its mean error is of

}  // namespace reprise::reproduce::dynamic_face_study
