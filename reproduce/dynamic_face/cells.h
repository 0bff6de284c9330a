// The cells of study dynamic_face: which there are, and what each does. The cells of one replicate
// (seed), in order:
//
//     cnn/synhead/NETWORK            a per-frame network: "pose", "joint", "landmarks", "places"; "half0", "fold0", ... on some scenes
//     clips/synhead/NETWORK          training and validation clips and all test parts, as features of that network's trunk
//     search/synhead/METHOD+lr=RATE... on the validation clips of the first seeds; chooses learning rate, dropout, weight
//     pose/synhead/METHOD            trains (a network) or fits (a filter), and measures on every test part
//     size/synhead/heads-N           a per-frame network trained on N heads
//     photographs/faces/METHOD       networks for real faces, with what `track` makes of people they never saw (photographs.h)
//
// With replicates = "weights" only seed 0 has cells of cnn, clips and size; a cell of pose needs
// those of data_seed() (replicates.h). With cnn.weights all others take the networks that come with
// the project, and no cell needs those of cnn. A search of one rate has no trials.
//
// A test part is a kind of what goes wrong at full strength ("blur"), or at some of it
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

/// Clips are kept as features of the networks on all scenes. Those on folds are used for what
/// others have not seen.
inline bool has_clips(const FrameNetwork& network) { return network.on_all_scenes(); }

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data);
Report report(const Settings& settings);

/// The cells of a method: those of its search, and one per seed.
std::vector<PlannedCell> cells_of(const Method& method, const Settings& settings);

void run_cnn(CellContext& context);     ///< tables cnn, size
void run_clips(CellContext& context);   ///< table clips
void run_method(CellContext& context);  ///< tables search, pose
/// Of these tables a method that is a network, and one that is a filter.
void run_network(const Method& method, CellContext& context);
void run_filter(CellContext& context);

/// cnn.trunk = "vgg16": VGG16's layers and, in all but the last, its weights below --data.
bool starts_from_vgg16(const Settings& settings);
/// The file of a per-frame network that comes with the project, as cnn.weights has it; "" where it
/// says none. UsageError: it is not there.
std::filesystem::path kept_network(const Settings& settings, const std::string& name,
                                   const DataFolder& data);
/// The per-frame network of a replicate, its weights drawn with the seed (and with its next draws:
/// experiments/base_network.h); and the one that is kept, or that a cell of table cnn trained.
models::Backbone new_network(Output output, const Settings& settings, const std::string& name,
                             std::int64_t seed, std::int64_t draw = 0);
/// What it is made of. UsageError: settings of another type, a trunk that cannot be read.
models::SmallNetworkOptions network_options(Output output, const Settings& settings);
models::Backbone trained_network(const CellContext& context, const std::string& name);

/// What a network gives for uint8 pictures [N, T, S, S, 3]: [N, T, K], on the CPU; and its trunk's
/// features.
struct FrameOutputs {
  at::Tensor outputs, features;
};
FrameOutputs frame_outputs(models::Backbone& network, const at::Tensor& images);

/// Pictures and what is true of them.
struct Seen {
  at::Tensor images;  ///< uint8 [N, T, S, S, 3]
  Truth truth;
};
/// How a per-frame network learns: epochs, frames_an_epoch, batch, learning_rate and options of
/// this section of the settings.
struct FrameTraining {
  std::string section;
  Output output = Output::Pose;
  std::uint64_t seed = 0;
  std::function<Seen(std::int64_t count, std::int64_t epoch, Random& random)>
      draw;                          ///< so many frames, T = 1, for every batch anew
  std::function<double()> validate;  ///< lower is better
};
/// Leaves the weights of the best epoch in the network, and a checkpoint.safetensors in the cell's
/// folder.
training::FitReport train_frames(models::Backbone& network, const FrameTraining& how,
                                 CellContext& context);

/// Outputs of all clips, [N, T, K], on the CPU, in pieces.
at::Tensor predict_clips(training::SequenceNetwork& network, const at::Tensor& x);

/// Protocol of a validation error.
std::string validation_protocol(Output output, const Settings& settings);

/// Every test part, the kinds first.
std::vector<std::string> test_parts(const Settings& settings);

/// The clips that sequence methods learn from, those of validation, and the test sequences of a
/// part.
datasets::SynheadClips training_clips(const Scenes& scenes, bool augment, const Settings& settings,
                                      std::int64_t seed);
datasets::SynheadClips validation_clips(const SceneParts& parts, std::int64_t count,
                                        std::int64_t frames, const Settings& settings,
                                        std::int64_t seed);
datasets::SynheadClips test_sequences(const SceneParts& parts, const std::string& part,
                                      const Settings& settings, std::int64_t seed);

/// A part of the clips as a method sees them.
struct ClipSet {
  at::Tensor features;   ///< [N, T, n], of the trunk
  at::Tensor estimates;  ///< [N, T, 3], degrees: per-frame poses
  Truth truth;           ///< [N, T, ...]
};
/// Features and estimates by the network. One that gives no pose has estimates of zero.
ClipSet encode_clips(models::Backbone& network, const datasets::SynheadClips& clips);
void write_clips(const std::filesystem::path& path, const std::map<std::string, ClipSet>& sets);
/// Parts: "training", "validation", "crossfit" (training clips with estimates of the network that
/// was trained on the other half; without features), and each part of the test. Error: the part is
/// not there.
ClipSet read_clips(const CellContext& context, const std::string& network, const std::string& part);

/// What a method makes of validation and of every test kind: poses [N, T, 3], degrees; of one that
/// gives none, landmarks [N, T, 136], pixels, or places [N, T, 204], decimetres. Kept for filters
/// that run on it.
using Estimates = std::map<std::string, at::Tensor>;
void write_estimates(const CellContext& context, const Estimates& estimates);
Estimates read_estimates(const CellContext& context, const std::string& method);

/// error_KIND, error_pitch_KIND, ..., jitter_KIND, lag_KIND of every test kind that is estimated,
/// and error_validation; where all parts are, the curve strength_error_KIND from no strength to
/// full (strengths() of the settings); and for the first seed tracks. The truth is that of the cell
/// of clips, but where `truths` has it.
void measure_pose(const Estimates& estimates, CellContext& context, records::Curves& curves,
                  const Estimates& truths = {});
/// Methods of which the first seed leaves an animation, track.webp, and the per-frame one
/// truth.webp too.
inline constexpr std::array<std::string_view, 3> tracks_shown{per_frame, "kalman_velocity",
                                                              "fc_gru_end_to_end"};
/// A yaw of 1 degree at frame `impulse_at`, 0 at all other frames: [1, T, 3]. What a linear tracker
/// in its steady state makes of it from there on is all that its weights do (eq 2, eq 3), whatever
/// basis they are written in.
inline constexpr std::int64_t impulse_at = 30;
at::Tensor impulse();
/// Curve "impulse": the yaw that the tracker gives from that frame on.
void note_impulse(const at::Tensor& response, records::Curves& curves);
/// How much a measurement moves the estimate of its own frame, by how many frames came before (K_t
/// of eq 3): curve "gain". `track`: [N, T, 3] to the same; from it, what is measured as 0
/// throughout gives is taken away.
void note_gain(const std::function<at::Tensor(const at::Tensor& x)>& track,
               records::Curves& curves);

/// What a weights table shows of a linear tracker: w_hh_21, w_hh_22, w_ih_1, w_ih_2 + `form`
/// (baselines/trackers/linear_tracker.h).
void note_weights(const baselines::LinearTracker& tracker, const std::string& form,
                  records::Record& record);

/// Strengths of a degradation that are tested, 0 and 1 included, ascending.
std::vector<double> strengths(const Settings& settings);

/// error_3d_KIND from a mean_error() of landmarks in space.
void note_places(double error, const std::string& kind, records::Record& record);
/// Records auc_KIND, failure_rate_KIND, landmark_jitter_KIND and landmark_lag_KIND of landmarks [N,
/// T, 68, 2].
void measure_points(const at::Tensor& predicted, const at::Tensor& truth, const std::string& kind,
                    CellContext& context);

}  // namespace reprise::reproduce::dynamic_face_study
