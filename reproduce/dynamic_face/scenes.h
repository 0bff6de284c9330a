// Scenes of one seed: which motion tracks and heads each part has, clips of them, and how networks
// encode images, poses and landmarks.
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
  /// Heads of the test on BIWI's tracks, if test.kinds has "recorded".
  Scenes recorded = {};
};

/// Loads and splits the tracks and heads of a seed.
/// tracks.source = biwi_tracks: recorded tracks below `data`, cut at their gaps. generated: tracks
/// drawn with the seed.
/// Parts share neither a track nor a head; all segments of a recorded sequence are in one part.
/// Each seed has other heads.
/// UsageError: too few tracks or heads.
SceneParts load_scenes(const Settings& settings, const DataFolder& data, std::int64_t seed);

/// Selection of scenes: fold `index` of `of`; with `others` all scenes that share neither a track
/// nor a head with that fold.
struct Fold {
  std::int64_t of = 1, index = 0;
  bool others = false;
};
/// Returns the scenes of a fold. UsageError: fewer tracks or heads than folds.
Scenes select_fold(const Scenes& scenes, const Fold& fold);

/// Kind of test sequences on BIWI's recorded tracks. Its degradation is that of "gaps".
inline constexpr auto recorded_kind = "recorded";
bool tests_recorded(const Settings& settings);
/// Declares that a cell renders recorded tracks, if the settings request them (DataFolder::need).
void need_tracks(const Settings& settings, const DataFolder& data);

/// Degradation of images: a kind of datasets::degradation_kinds(), and its strength from 0 to 1.
struct DegradationLevel {
  std::string kind;
  double strength = 1;
};
/// Creates the synthetic data set of these scenes with one degradation.
datasets::Synhead make_synhead(const Scenes& scenes, const DegradationLevel& degradation,
                               const Settings& settings, std::uint64_t seed);

/// Draws clips at random positions of random sequences, each clip with its own take.
/// With `augment` every second clip is mirrored and every third is reversed, as in the document.
/// Scale and position of the face window vary with the scenes and the degradation.
datasets::SynheadClips draw_clips(const datasets::Synhead& set, std::int64_t count,
                                  std::int64_t frames, bool augment, Random& random);

/// Chooses `count` test sequences of `frames` frames, each with its own take and a random first
/// frame.
/// Tracks and heads take turns in random order, so their numbers of sequences differ by at most
/// one.
std::vector<datasets::SynheadPosition> choose_test_sequences(const datasets::Synhead& set,
                                                             std::int64_t count,
                                                             std::int64_t frames, Random& random);

/// Normalises images: uint8 [..., S, S, 3] -> float32 [M, 3, S, S]. Each image has mean 0 and
/// standard deviation about 1.
at::Tensor network_input(const at::Tensor& images);

/// Ground truth of frames.
struct Truth {
  at::Tensor pose;          ///< [..., 3], degrees
  at::Tensor landmarks;     ///< [..., 68, 2], pixels
  at::Tensor landmarks_3d;  ///< [..., 68, 3], decimetres (datasets::SynheadClips)
};
/// Returns the ground truth of clips.
Truth clip_truth(const datasets::SynheadClips& clips);

/// Unit of poses in outputs, degrees. It brings most poses into [-2, 2].
inline constexpr double pose_unit = 20;

/// Outputs of a network for a frame.
/// - Pose has 3 values: pitch, yaw and roll in units of pose_unit.
/// - Landmarks has 136 values: pixels from the image's centre, in units of a fifth of its side.
/// - Joint has 139 values: pose, then landmarks.
/// - Landmarks3d has 204 values: decimetres.
enum class Output { Pose, Landmarks, Joint, Landmarks3d };
bool gives_pose(Output output);
bool gives_landmarks(Output output);
/// Returns the number of values.
std::int64_t output_size(Output output);
/// Encodes the ground truth as the network should output it. side: pixels.
at::Tensor encode_target(Output output, const Truth& truth, std::int64_t side);
/// Decodes the poses of outputs Pose or Joint: [..., 3], degrees.
at::Tensor extract_pose(const at::Tensor& outputs);
/// Decodes the landmarks of outputs Landmarks or Joint: [..., 68, 2], pixels.
at::Tensor extract_landmarks(const at::Tensor& outputs, std::int64_t side);
/// Decodes outputs Landmarks3d: [..., 68, 3], decimetres.
at::Tensor extract_landmarks_3d(const at::Tensor& outputs);
/// Returns the L2 loss: mean over the pose plus `landmark_weight` times the mean over the
/// landmarks.
at::Tensor squared_error(const at::Tensor& outputs, const at::Tensor& truth,
                         double landmark_weight = 1);

/// Returns the error that validation minimises.
/// Pose (alone or joint): mean error in degrees. Landmarks: mean error over the box's diagonal. 3-D
/// landmarks: mean distance in millimetres.
double mean_error(Output output, const at::Tensor& outputs, const Truth& truth, std::int64_t side);
inline constexpr double millimetres_per_decimetre = 100;

/// Returns what mean_error() measures: "pose", "landmarks" or "places".
const char* output_name(Output output);

}  // namespace reprise::reproduce::dynamic_face_study
