// The cells of study dynamic_face: which there are, and what each does. The way of a replicate (seed):
//
//     cnn/synhead/NETWORK        a per-frame network: "pose", "joint", "landmarks", "half0" and "half1" (trained on half the training
//     scenes) clips/synhead/NETWORK      training and validation clips and test sequences of every kind, as features of that network's
//     trunk search/synhead/METHOD+lr=RATE   on seed 0's validation clips; chooses the learning rate pose/synhead/METHOD        trains (a
//     network) or fits (a filter) and measures on every kind size/synhead/heads-N       a per-frame network trained on N heads
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/backbone.h"
#include "reproduce/dynamic_face/methods.h"
#include "reproduce/dynamic_face/scenes.h"
#include "reproduce/study.h"

namespace reprise::reproduce::dynamic_face_study {

inline constexpr auto synhead = "synhead";

inline records::Cell cell(const std::string& table, const std::string& method, std::int64_t seed) {
  return {.study = "dynamic_face", .table = table, .dataset = synhead, .method = method, .seed = seed};
}

std::vector<PlannedCell> plan(const Settings& settings, const std::filesystem::path& data);
void run(CellContext& context);

void run_cnn(CellContext& context);      ///< tables cnn, size
void run_clips(CellContext& context);    ///< table clips
void run_network(CellContext& context);  ///< tables search, pose: a method that is a network
void run_filter(CellContext& context);   ///< table pose: a method that is a filter

/// The per-frame network of a replicate, its weights drawn with the seed; and the one that a cell of table cnn trained.
models::Backbone new_network(Output output, const Settings& settings, const std::string& name, std::int64_t seed);
models::Backbone trained_network(const CellContext& context, const std::string& name);

/// What a network gives for uint8 pictures [N, T, S, S, 3]: [N, T, K], on the CPU; and its trunk's features.
struct FrameOutputs {
  at::Tensor outputs, features;
};
FrameOutputs frame_outputs(models::Backbone& network, const at::Tensor& images);

/// The clips that sequence methods learn from, those of validation, and the test sequences of a kind.
datasets::SynheadClips training_clips(const SceneParts& parts, const Settings& settings, std::int64_t seed);
datasets::SynheadClips validation_clips(const SceneParts& parts, std::int64_t count, std::int64_t frames, const Settings& settings,
                                        std::int64_t seed);
datasets::SynheadClips test_sequences(const SceneParts& parts, const std::string& kind, const Settings& settings, std::int64_t seed);

/// A part of the clips as a method sees them.
struct ClipSet {
  at::Tensor features;   ///< [N, T, n], of the trunk
  at::Tensor estimates;  ///< [N, T, 3], degrees: per-frame poses
  at::Tensor pose;       ///< [N, T, 3], degrees, true
  at::Tensor landmarks;  ///< [N, T, 68, 2], pixels, true
};
void write_clips(const std::filesystem::path& path, const std::map<std::string, ClipSet>& sets);
/// Parts: "training", "validation", "crossfit" (training clips with estimates of the network that was trained on the other half; without
/// features), and each kind of test. Error: the part is not there.
ClipSet read_clips(const CellContext& context, const std::string& network, const std::string& part);

/// What a method makes of validation and of every test kind: [N, T, 3], degrees. Kept for filters that run on it.
using Estimates = std::map<std::string, at::Tensor>;
void write_estimates(const CellContext& context, const Estimates& estimates);
Estimates read_estimates(const CellContext& context, const std::string& method);

/// error_KIND, error_pitch_KIND, ..., jitter_KIND of every test kind, and error_validation; curves with tracks for the first seed.
void measure_pose(const Estimates& estimates, CellContext& context, records::Curves& curves);
/// A yaw of 1 degree at frame `impulse_at`, 0 at all other frames: [1, T, 3]. What a linear tracker in its steady state makes of it from
/// there on is all that its weights do (eq 2, eq 3), whatever basis they are written in.
inline constexpr std::int64_t impulse_at = 30;
at::Tensor impulse();
/// Curve "impulse": the yaw that the tracker gives from that frame on.
void note_impulse(const at::Tensor& response, records::Curves& curves);

/// auc_KIND, failure_rate_KIND.
void measure_landmarks(const at::Tensor& predicted, const at::Tensor& truth, const std::string& kind, records::Record& record);

}  // namespace reprise::reproduce::dynamic_face_study
