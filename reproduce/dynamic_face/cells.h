// Cells of study dynamic_face. The cells of one seed, in order:
//
// - cnn/synhead/NETWORK trains a per-frame network: "pose", "joint", "landmarks" or "places". Some
//   networks see a part of the scenes only, such as "half0" and "fold0".
// - clips/synhead/NETWORK stores clips and test parts as features of the network's trunk.
// - search/synhead/METHOD+lr=RATE... chooses learning rate, dropout and loss weight on validation
//   clips of the first seeds.
// - pose/synhead/METHOD trains a network or fits a filter, and measures every test part.
// - size/synhead/heads-N trains a per-frame network on N heads.
// - photographs/faces/METHOD trains networks for real faces, measured through `track`
//   (photographs.h).
//
// With replicates = "weights" only seed 0 has cells of cnn, clips and size. A cell of pose then
// needs those of data_seed() (resampling.h). With cnn.weights all other cells use the committed
// networks and need no cell of cnn. A search with a single rate has no trials.
//
// A test part is a kind of degradation at full strength ("blur") or at a fraction of it
// ("blur@0.5").
#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "baselines/trackers/linear_tracker.h"
#include "experiments/study.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/dynamic_face/methods.h"
#include "reproduce/dynamic_face/scenes.h"
#include "training/fit.h"

namespace reprise::reproduce::dynamic_face_study {

inline constexpr auto synhead = "synhead";

inline records::Cell cell(const std::string& table, const std::string& method, std::int64_t seed) {
  return {
      .study = "dynamic_face", .table = table, .dataset = synhead, .method = method, .seed = seed};
}

/// Returns whether the clips are stored as features of this network. Networks on folds only
/// estimate clips that others have not seen.
inline bool has_clips(const FrameNetwork& network) { return network.on_all_scenes(); }

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data);
Report report(const Settings& settings);

/// Plans the cells of a method: its trials and one cell per seed.
std::vector<PlannedCell> plan_method(const Method& method, const Settings& settings);

void run_cnn(CellContext& context);     ///< tables cnn, size
void run_clips(CellContext& context);   ///< table clips
void run_method(CellContext& context);  ///< tables search, pose
/// Runs a cell of these two tables: a network, or a filter.
void run_network(const Method& method, CellContext& context);
void run_filter(CellContext& context);

/// Returns whether cnn.trunk is "vgg16": its layers, with published weights in all but the last.
bool starts_from_vgg16(const Settings& settings);
/// Returns the file of a committed per-frame network, as cnn.weights names it; "" if the setting is
/// empty. UsageError: no such file.
std::filesystem::path committed_network(const Settings& settings, const std::string& name,
                                        const DataFolder& data);
/// Creates the per-frame network of a seed with random weights. draw > 0: the next draws
/// (experiments/base_network.h).
models::Backbone new_network(Output output, const Settings& settings, const std::string& name,
                             std::int64_t seed, std::int64_t draw = 0);
/// Returns the layers of a per-frame network. UsageError: settings of another type; an invalid
/// trunk.
models::SmallNetworkOptions network_options(Output output, const Settings& settings);
/// Loads a per-frame network: the committed one, or that of its cell of table cnn.
models::Backbone trained_network(const CellContext& context, const std::string& name);

/// Outputs [N, T, K] of a network, and features [N, T, n] of its trunk; both on the CPU.
struct FrameOutputs {
  at::Tensor outputs, features;
};
/// Applies a network to uint8 images [N, T, S, S, 3].
FrameOutputs frame_outputs(models::Backbone& network, const at::Tensor& images);

/// Images and their ground truth.
struct LabelledImages {
  at::Tensor images;  ///< uint8 [N, T, S, S, 3]
  Truth truth;        ///< [N, T, ...]
};
/// Training of a per-frame network. `section` of the settings has epochs, frames_an_epoch, batch,
/// learning_rate and the options.
struct FrameTraining {
  std::string section;
  Output output = Output::Pose;
  std::uint64_t seed = 0;
  /// Draws the frames of a batch (T = 1).
  std::function<LabelledImages(std::int64_t count, std::int64_t epoch, Random& random)> draw;
  std::function<double()> validate;  ///< lower is better
};
/// Trains a per-frame network; it ends with the weights of the best epoch. Leaves
/// checkpoint.safetensors in the cell's folder.
training::FitReport train_frames(models::Backbone& network, const FrameTraining& how,
                                 CellContext& context);

/// Applies a network to clips in batches: [N, T, ...] -> [N, T, K], on the CPU.
at::Tensor predict_clips(training::SequenceNetwork& network, const at::Tensor& x);

/// Returns the protocol of validation errors.
std::string validation_protocol(Output output, const Settings& settings);

/// Returns all test parts, those of full strength first.
std::vector<std::string> test_parts(const Settings& settings);

/// Generates the training clips of sequence methods.
datasets::SynheadClips training_clips(const Scenes& scenes, bool augment, const Settings& settings,
                                      std::int64_t seed);
/// Generates validation clips.
datasets::SynheadClips validation_clips(const SceneParts& parts, std::int64_t count,
                                        std::int64_t frames, const Settings& settings,
                                        std::int64_t seed);
/// Generates the test sequences of a part.
datasets::SynheadClips test_sequences(const SceneParts& parts, const std::string& part,
                                      const Settings& settings, std::int64_t seed);

/// Clips of one part as methods see them.
struct ClipSet {
  at::Tensor features;   ///< [N, T, n], features of the trunk
  at::Tensor estimates;  ///< [N, T, 3], per-frame poses in degrees
  Truth truth;           ///< [N, T, ...]
};
/// Encodes clips by a network. A network without a pose output has estimates of zero.
ClipSet encode_clips(models::Backbone& network, const datasets::SynheadClips& clips);
void write_clips(const std::filesystem::path& path, const std::map<std::string, ClipSet>& sets);
/// Reads a part: "training", "validation", a test part, or "crossfit".
/// "crossfit": training clips without features; each has estimates of a network that was trained on
/// other scenes. Error: no such part.
ClipSet read_clips(const CellContext& context, const std::string& network, const std::string& part);

/// Estimates of a method on validation and on the test kinds, stored for filters that run on it.
/// - Poses: [N, T, 3], degrees.
/// - Landmarks: [N, T, 136], pixels.
/// - 3-D landmarks: [N, T, 204], decimetres.
using Estimates = std::map<std::string, at::Tensor>;
void write_estimates(const CellContext& context, const Estimates& estimates);
Estimates read_estimates(const CellContext& context, const std::string& method);

/// Records error_KIND, error_pitch_KIND, ..., jitter_KIND and lag_KIND of each estimated test kind,
/// and error_validation.
/// If all test parts are estimated, also writes the curve strength_error_KIND over
/// tested_strengths(). The shown seed also gets curves of tracks.
/// Ground truth: `truths`, else that of the cell of table clips.
void measure_pose(const Estimates& estimates, CellContext& context, records::Curves& curves,
                  const Estimates& truths = {});
/// Methods whose first seed leaves an animation, track.webp. The per-frame method also leaves
/// truth.webp.
inline constexpr std::array<std::string_view, 3> animated_methods{per_frame, "kalman_velocity",
                                                                  "fc_gru_end_to_end"};
/// Frame of the impulse. Before it a filter reaches its steady state.
inline constexpr std::int64_t impulse_at = 30;
/// Makes poses [1, T, 3] with an impulse: a yaw of 1 degree at frame `impulse_at`, else zero.
/// The response to it determines a linear tracker (eq 2, eq 3), whatever the basis of its weights.
at::Tensor make_impulse();
/// Writes the curve "impulse": the yaw of a response, from the frame of the impulse on.
void record_impulse(const at::Tensor& response, records::Curves& curves);
/// Writes the curve "gain": the gain K_t of eq 3 by the number of preceding frames t. It is how far
/// a measurement moves the estimate of its frame. `track` maps [N, T, 3] to the same shape. Its
/// response to zeros is subtracted.
void record_gain(const std::function<at::Tensor(const at::Tensor& x)>& track,
                 records::Curves& curves);

/// Records the weights of a linear tracker: w_hh_21, w_hh_22, w_ih_1, w_ih_2, each followed by
/// `form` (baselines/trackers/linear_tracker.h).
void record_tracker_weights(const baselines::LinearTracker& tracker, const std::string& form,
                            records::Record& record);

/// Returns the tested strengths of a degradation in ascending order, with 0 and 1.
std::vector<double> tested_strengths(const Settings& settings);

/// Records error_3d_KIND, the mean_error() of 3-D landmarks in millimetres.
void record_landmark_error_3d(double error, const std::string& kind, records::Record& record);
/// Records auc_KIND, failure_rate_KIND, landmark_jitter_KIND and landmark_lag_KIND of landmarks [N,
/// T, 68, 2].
void measure_points(const at::Tensor& predicted, const at::Tensor& truth, const std::string& kind,
                    CellContext& context);

}  // namespace reprise::reproduce::dynamic_face_study
