// A method that is a network: train, choose the epoch on validation, score the test sequences once.
// The plain per-frame network has nothing to train.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "datasets/draw.h"
#include "datasets/formats/images.h"
#include "experiments/replicates.h"
#include "experiments/sequence_training.h"
#include "models/methods.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/face_tracker.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using Sees = Method::Sees;

struct Data {
  at::Tensor train_x, train_y, validation_x;
  ClipSet validation;
};

class Runner {
 public:
  Runner(const Method& method, CellContext& context)
      : method_(method),
        context_(context),
        side_(context.settings.integer("image.size")),
        parts_(load_scenes(context.settings, context.data,
                           data_seed(context.settings, context.record.cell.seed))),
        trained_(trained_network(context, method.network)) {}

  void run();

 private:
  records::Trial hyperparameters() const;
  Data load();
  datasets::SynheadClips draw_part(const std::string& part) const;
  ClipSet set(const std::string& part);
  at::Tensor input_for(const std::string& part, const ClipSet& set) const;
  void train(training::SequenceNetwork& network, const Data& data, const records::Trial& trial,
             records::Curves& curves);
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

/// Drawn again: frames are not kept.
datasets::SynheadClips Runner::draw_part(const std::string& part) const {
  const auto& settings = context_.settings;
  const auto seed = data_seed(settings, context_.record.cell.seed);
  if (part == "training")
    return training_clips(fold_of(parts_.train, method_.scenes), method_.augments, settings, seed);
  if (part == "validation")
    return validation_clips(parts_, settings.integer("clips.validation"),
                            settings.integer("clips.frames"), settings, seed);
  return test_sequences(parts_, part, settings, seed);
}

/// Loaded from the clips cell, or generated and encoded here if only this method needs this
/// variant.
ClipSet Runner::set(const std::string& part) {
  const bool kept = has_clips(frame_network(method_.network)) &&
                    (part != "training" || (method_.scenes.of == 1 && method_.augments));
  return kept ? read_clips(context_, method_.network, part)
              : encode_clips(trained_, draw_part(part));
}

/// x of a part, as the method sees it.
at::Tensor Runner::input_for(const std::string& part, const ClipSet& set) const {
  if (method_.sees == Sees::Frames) return draw_part(part).images;
  return method_.sees == Sees::Features ? set.features : set.estimates / 20;
}

Data Runner::load() {
  const std::string part = method_.sees == Sees::Estimates ? "crossfit" : "training";
  const auto train =
      method_.sees == Sees::Estimates ? read_clips(context_, method_.network, part) : set(part);
  Data data;
  data.train_x = input_for(part, train);
  data.train_y = target_of(method_.output(), train.truth, side_);
  data.validation = set("validation");
  data.validation_x = input_for("validation", data.validation);
  return data;
}

/// Hyperparameters of this run: parsed from the trial's name, else the best ones of the search.
records::Trial Runner::hyperparameters() const {
  const auto& cell = context_.record.cell;
  return records::is_trial(cell)
             ? records::parse_trial(cell.method)
             : best_trial(search_for(method_, context_.settings), context_.store);
}

void Runner::train(training::SequenceNetwork& network, const Data& data,
                   const records::Trial& trial, records::Curves& curves) {
  const auto& settings = context_.settings;
  const auto weight = landmark_weight_of(trial);
  const SequenceTask task{
      .films = {{data.train_x, data.train_y}},
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
      .judge_start = true};
  const auto rate = trial.value("lr");
  note_training(train_sequence(network, task, rate, context_), rate, "",
                validation_protocol(method_.output(), settings), context_.record, curves);
  if (method_.drops_out)
    context_.record.metrics.push_back(
        {"dropout", dropout_of(method_, trial, settings), "", records::Direction::Neither, ""});
  if (method_.output() == Output::Joint)
    context_.record.metrics.push_back(
        {"landmark_weight", weight, "", records::Direction::Neither, ""});
}

void Runner::measure(
    const std::function<at::Tensor(const std::string& part, const ClipSet& set)>& outputs,
    records::Curves& curves) {
  const bool pose = gives_pose(method_.output()), landmarks = gives_landmarks(method_.output());
  const auto kinds = context_.settings.texts("test.kinds");
  auto parts = pose ? test_parts(context_.settings) : kinds;
  parts.emplace_back("validation");
  Estimates estimates;  // poses, or else points
  for (const auto& part : parts) {
    const auto seen = set(part);
    if (part == kinds.front()) note_input(seen.features, "", context_.record);
    const auto given = outputs(part, seen);
    if (pose)
      estimates[part] = pose_of(given);
    else
      estimates[part] = landmarks ? landmarks_of(given, side_).flatten(-2) : given;
    if (std::find(kinds.begin(), kinds.end(), part) != kinds.end())
      measure_outputs(part, given, seen.truth);
  }
  if (pose) measure_pose(estimates, context_, curves);
  write_estimates(context_, estimates);
}

/// Landmarks and 3-D landmarks of a kind of test sequences.
void Runner::measure_outputs(const std::string& kind, const at::Tensor& outputs,
                             const Truth& truth) {
  if (method_.output() == Output::Places)
    note_places(mean_error(method_.output(), outputs, truth, side_), kind, context_.record);
  if (!gives_landmarks(method_.output())) return;
  measure_points(landmarks_of(outputs, side_), truth.landmarks, kind, context_);
  if (method_.shows_landmarks && is_shown(context_.settings, context_.record.cell.seed))
    draw(kind, landmarks_of(outputs[0], side_));
}

/// Frames of the first test sequence, with its true landmarks and those that were found.
void Runner::draw(const std::string& kind, const at::Tensor& landmarks) const {
  const auto clips = draw_part(kind);
  std::vector<at::Tensor> frames;
  for (const auto& frame : clips.images[0].unbind(0)) frames.push_back(datasets::to_gray(frame));
  datasets::write_landmark_strip(context_.folder / (kind + ".png"), at::stack(frames), landmarks,
                                 clips.landmarks[0], 6);
}

/// The per-frame network's own outputs: nothing is trained.
void Runner::run_per_frame(records::Curves& curves) {
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

void Runner::run_trained(records::Curves& curves) {
  const auto& cell = context_.record.cell;
  Random random(seed_of({"dynamic_face", "weights", method_.info.id, std::to_string(cell.seed)}));
  const auto network = method_.make(
      trained_, context_.settings,
      method_.drops_out ? dropout_of(method_, hyperparameters(), context_.settings) : 0, random);
  network->to(at::Device(context_.device));
  if (!network->parameters().empty())
    train(*network, load(), hyperparameters(), curves);  // a script without any is only measured
  if (records::is_trial(cell)) return;
  measure([&](const std::string& part,
              const ClipSet& set) { return predict_clips(*network, input_for(part, set)); },
          curves);
  if (method_.sees == Sees::Estimates)
    measure_response(*network, curves);
  else
    leave_tracker(network.get());
}

/// A network on estimates as a filter: its response to an impulse, its gain and, of a linear one,
/// the weights of eq 2.
void Runner::measure_response(training::SequenceNetwork& network, records::Curves& curves) {
  const auto x = impulse() / 20;
  note_impulse((predict_clips(network, x) - predict_clips(network, at::zeros_like(x))) * 20,
               curves);
  note_gain([&](const at::Tensor& of) { return predict_clips(network, of / 20) * 20; }, curves);
  if (method_.cell != models::Cell::Linear) return;
  if (const auto tracker = baselines::tracker_of_response(curves.at("impulse")))
    note_weights(*tracker, "", context_.record);
}

/// The file that `reprise track` follows faces with. network: none of a per-frame method.
void Runner::leave_tracker(const torch::nn::Module* network) const {
  if (is_shown(context_.settings, context_.record.cell.seed))
    write_tracker(context_.folder / "tracker.safetensors", method_, context_.settings, *trained_,
                  network);
}

void Runner::run() {
  records::Curves curves;
  if (method_.make)
    run_trained(curves);
  else
    run_per_frame(curves);
  context_.store.write_curves(context_.record.cell, curves);
}

}  // namespace

at::Tensor predict_clips(training::SequenceNetwork& network, const at::Tensor& x) {
  return run_in_pieces(network, x, 16,
                       [&](const at::Tensor& piece) { return network.forward(piece); });
}

void run_network(const Method& method, CellContext& context) { Runner(method, context).run(); }

}  // namespace reprise::reproduce::dynamic_face_study
