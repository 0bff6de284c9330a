// Cells of methods that are networks: train, choose the epoch on validation, measure the test
// sequences once. The per-frame network is only measured.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "datasets/face_drawing.h"
#include "datasets/formats/images.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "models/methods.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/face_tracker.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using Sees = Method::Sees;

/// Training and validation clips as a method sees them.
struct SequenceData {
  at::Tensor train_x;
  at::Tensor train_y;
  at::Tensor validation_x;
  ClipSet validation;
};

/// Run of one cell.
class NetworkRun {
 public:
  NetworkRun(const Method& method, CellContext& context)
      : method_(method),
        context_(context),
        side_(context.settings.integer("image.size")),
        parts_(load_scenes(context.settings, context.data,
                           data_seed(context.settings, context.record.cell.seed))),
        trained_(trained_network(context, method.network)) {}

  void run();

 private:
  records::Trial hyperparameters() const;
  SequenceData load();
  datasets::SynheadClips draw_part(const std::string& part) const;
  ClipSet load_set(const std::string& part);
  at::Tensor input_for(const std::string& part, const ClipSet& set) const;
  void train(training::SequenceNetwork& network, const SequenceData& data,
             const records::Trial& trial, records::Curves& curves);
  void run_per_frame(records::Curves& curves);
  void run_trained(records::Curves& curves);
  void measure_outputs(const std::string& kind, const at::Tensor& outputs, const Truth& truth);
  void measure_response(training::SequenceNetwork& network, records::Curves& curves);
  void leave_tracker(const torch::nn::Module* network) const;
  void draw(const std::string& kind, const at::Tensor& landmarks) const;
  void measure(
      const std::function<at::Tensor(const std::string& part, const ClipSet& set)>& outputs,
      records::Curves& curves);

  const Method& method_;
  CellContext& context_;
  std::int64_t side_;
  SceneParts parts_;
  models::Backbone trained_;
};

/// Generates a part again: frames are not stored.
datasets::SynheadClips NetworkRun::draw_part(const std::string& part) const {
  const auto& settings = context_.settings;
  const auto seed = data_seed(settings, context_.record.cell.seed);
  if (part == "training")
    return training_clips(select_fold(parts_.train, method_.scenes), method_.augments, settings,
                          seed);
  if (part == "validation")
    return validation_clips(parts_, settings.integer("clips.validation"),
                            settings.integer("clips.frames"), settings, seed);
  return test_sequences(parts_, part, settings, seed);
}

/// Loads a part from the cell of table clips, or generates and encodes it for methods with other
/// training scenes.
ClipSet NetworkRun::load_set(const std::string& part) {
  // Table clips stores training clips of all scenes, with augmentation.
  const bool stored = has_clips(frame_network(method_.network)) &&
                      (part != "training" || (method_.scenes.of == 1 && method_.augments));
  return stored ? read_clips(context_, method_.network, part)
                : encode_clips(trained_, draw_part(part));
}

/// Returns the input of the method for a part.
at::Tensor NetworkRun::input_for(const std::string& part, const ClipSet& set) const {
  if (method_.sees == Sees::Frames) return draw_part(part).images;
  return method_.sees == Sees::Features ? set.features : set.estimates / pose_unit;
}

SequenceData NetworkRun::load() {
  // Methods on estimates learn from those of networks that never saw the scenes.
  const std::string part = method_.sees == Sees::Estimates ? "crossfit" : "training";
  const auto train = method_.sees == Sees::Estimates ? read_clips(context_, method_.network, part)
                                                     : load_set(part);
  SequenceData data;
  data.train_x = input_for(part, train);
  data.train_y = encode_target(method_.output(), train.truth, side_);
  data.validation = load_set("validation");
  data.validation_x = input_for("validation", data.validation);
  return data;
}

/// Hyperparameters of this run: parsed from the trial's name, else the best ones of the search.
records::Trial NetworkRun::hyperparameters() const {
  const auto& cell = context_.record.cell;
  return records::is_trial(cell)
             ? records::parse_trial(cell.method)
             : best_trial(search_for(method_, context_.settings), context_.store);
}

/// Trains the network; validation chooses the epoch.
void NetworkRun::train(training::SequenceNetwork& network, const SequenceData& data,
                       const records::Trial& trial, records::Curves& curves) {
  const auto& settings = context_.settings;
  const auto weight = landmark_loss_weight(trial);
  const SequenceTask task{
      .clip_sets = {{.x = data.train_x, .y = data.train_y}},
      .loss = [=](const at::Tensor& outputs,
                  const at::Tensor& truth) { return squared_error(outputs, truth, weight); },
      .validate =
          [&] {
            return mean_error(method_.output(), predict_clips(network, data.validation_x),
                              data.validation.truth, side_);
          },
      .settings = method_.section(),
      .search = method_.search_section(),
      .trial = records::is_trial(context_.record.cell),
      .batch = settings.integer(method_.section() + ".batch"),
      .validate_start = true};
  const auto rate = trial.value("lr");
  record_training(train_sequence(network, task, rate, context_), rate, "",
                  validation_protocol(method_.output(), settings), context_.record, curves);
  if (method_.drops_out)
    context_.record.metrics.push_back({.name = "dropout",
                                       .value = dropout_rate(method_, trial, settings),
                                       .unit = "",
                                       .direction = records::Direction::Neither,
                                       .protocol = ""});
  if (method_.output() == Output::Joint)
    context_.record.metrics.push_back({.name = "landmark_weight",
                                       .value = weight,
                                       .unit = "",
                                       .direction = records::Direction::Neither,
                                       .protocol = ""});
}

/// Records metrics of all test parts from the outputs of a method, and stores its estimates.
void NetworkRun::measure(
    const std::function<at::Tensor(const std::string& part, const ClipSet& set)>& outputs,
    records::Curves& curves) {
  const bool pose = gives_pose(method_.output());
  const bool landmarks = gives_landmarks(method_.output());
  const auto kinds = context_.settings.texts("test.kinds");
  auto parts = pose ? test_parts(context_.settings) : kinds;
  parts.emplace_back("validation");
  Estimates estimates;  // poses, else landmarks
  for (const auto& part : parts) {
    const auto seen = load_set(part);
    // One part is enough to notice inputs of another scale.
    if (part == kinds.front()) record_input(seen.features, "", context_.record);
    const auto given = outputs(part, seen);
    if (pose)
      estimates[part] = extract_pose(given);
    else
      estimates[part] = landmarks ? extract_landmarks(given, side_).flatten(-2) : given;
    if (std::find(kinds.begin(), kinds.end(), part) != kinds.end())
      measure_outputs(part, given, seen.truth);
  }
  // Strengths of damage are measured on poses only.
  if (pose) measure_pose(estimates, context_, curves);
  write_estimates(context_, estimates);
}

/// Records landmarks and 3-D landmarks of a kind of test sequences.
void NetworkRun::measure_outputs(const std::string& kind, const at::Tensor& outputs,
                                 const Truth& truth) {
  if (method_.output() == Output::Landmarks3d)
    record_landmark_error_3d(mean_error(method_.output(), outputs, truth, side_), kind,
                             context_.record);
  if (!gives_landmarks(method_.output())) return;
  measure_points(extract_landmarks(outputs, side_), truth.landmarks, kind, context_);
  if (method_.shows_landmarks && is_shown(context_.settings, context_.record.cell.seed))
    draw(kind, extract_landmarks(outputs[0], side_));
}

/// Draws frames of the first test sequence with true and estimated landmarks.
void NetworkRun::draw(const std::string& kind, const at::Tensor& landmarks) const {
  const auto clips = draw_part(kind);
  std::vector<at::Tensor> frames;
  for (const auto& frame : clips.images[0].unbind(0)) frames.push_back(datasets::to_gray(frame));
  datasets::write_landmark_strip(context_.folder / (kind + ".png"), at::stack(frames), landmarks,
                                 clips.landmarks[0], /*frames=*/6);
}

/// Measures the per-frame network itself, without training.
void NetworkRun::run_per_frame(records::Curves& curves) {
  // The stored features are the input of the layers behind the trunk.
  const auto layer = trained_->index_of(models::features_layer(trained_)) + 1;
  measure(
      [&](const std::string&, const ClipSet& set) {
        const c10::InferenceMode inference;
        const auto frames = trained_->run(set.features.flatten(0, 1).to(device_of(*trained_)),
                                          layer, trained_->stages().size());
        return frames.cpu().unflatten(0, {set.features.size(0), set.features.size(1)});
      },
      curves);
  leave_tracker(nullptr);
}

/// Trains the network of the method, and measures it.
void NetworkRun::run_trained(records::Curves& curves) {
  const auto& cell = context_.record.cell;
  Random random(seed_of({"dynamic_face", "weights", method_.info.id, std::to_string(cell.seed)}));
  double dropout = 0;
  if (method_.drops_out) dropout = dropout_rate(method_, hyperparameters(), context_.settings);
  const auto network = method_.make(trained_, context_.settings, dropout, random);
  network->to(at::Device(context_.device));
  // A script without parameters is only measured.
  if (!network->parameters().empty()) train(*network, load(), hyperparameters(), curves);
  // A trial never sees test sequences: validation chooses the hyperparameters.
  if (records::is_trial(cell)) return;
  measure([&](const std::string& part,
              const ClipSet& set) { return predict_clips(*network, input_for(part, set)); },
          curves);
  if (method_.sees == Sees::Estimates)
    measure_response(*network, curves);
  else
    leave_tracker(network.get());
}

/// Records a network on estimates as a filter: impulse response, gain and, for a linear one, the
/// weights of eq 2.
void NetworkRun::measure_response(training::SequenceNetwork& network, records::Curves& curves) {
  // A nonlinear network has an output without input too: it is subtracted.
  const auto x = make_impulse() / pose_unit;
  record_impulse(
      (predict_clips(network, x) - predict_clips(network, at::zeros_like(x))) * pose_unit, curves);
  record_gain(
      [&](const at::Tensor& of) { return predict_clips(network, of / pose_unit) * pose_unit; },
      curves);
  if (method_.cell != models::RecurrentCell::Linear) return;
  if (const auto tracker = baselines::fit_tracker_to_response(curves.at("impulse")))
    record_tracker_weights(*tracker, "", context_.record);
}

/// Writes the file of `reprise track`. network: null for a per-frame method.
void NetworkRun::leave_tracker(const torch::nn::Module* network) const {
  if (is_shown(context_.settings, context_.record.cell.seed))
    write_tracker(context_.folder / "tracker.safetensors", method_, context_.settings, *trained_,
                  network);
}

void NetworkRun::run() {
  records::Curves curves;
  if (method_.make)
    run_trained(curves);
  else
    run_per_frame(curves);
  context_.store.write_curves(context_.record.cell, curves);
}

}  // namespace

at::Tensor predict_clips(training::SequenceNetwork& network, const at::Tensor& x) {
  constexpr std::int64_t clips_at_once = 16;  // limits memory, not results
  return run_in_pieces(network, x, clips_at_once,
                       [&](const at::Tensor& piece) { return network.forward(piece); });
}

void run_network(const Method& method, CellContext& context) { NetworkRun(method, context).run(); }

}  // namespace reprise::reproduce::dynamic_face_study
