// A method that is a network: train, choose the epoch on validation, score the test sequences once. The plain per-frame network has nothing
// to train.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "datasets/draw.h"
#include "datasets/formats/images.h"
#include "experiments/replicates.h"
#include "experiments/sequence_training.h"
#include "metrics/landmarks.h"
#include "metrics/pose.h"
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
        parts_(load_scenes(context.settings, context.data, data_seed(context.settings, context.record.cell.seed))),
        trained_(trained_network(context, method.network)) {}

  void run();

 private:
  records::Trial hyperparameters() const;
  Data load();
  datasets::SynheadClips clips_of(const std::string& part) const;
  ClipSet set(const std::string& part);
  at::Tensor input_for(const std::string& part, const ClipSet& set) const;
  void train(training::SequenceNetwork& network, const Data& data, const records::Trial& trial, records::Curves& curves);
  void draw(const std::string& kind, const at::Tensor& landmarks) const;
  void measure(const std::function<at::Tensor(const std::string& part, const ClipSet& set)>& outputs, records::Curves& curves);

  const Method& method_;
  CellContext& context_;
  std::int64_t side_;
  SceneParts parts_;
  models::Backbone trained_;
};

/// Drawn again: frames are not kept.
datasets::SynheadClips Runner::clips_of(const std::string& part) const {
  const auto& settings = context_.settings;
  const auto seed = data_seed(settings, context_.record.cell.seed);
  if (part == "training") {
    return training_clips(fold_of(parts_.train, method_.scenes), method_.augments, settings, seed);
  }
  if (part == "validation")
    return validation_clips(parts_, settings.integer("clips.validation"), settings.integer("clips.frames"), settings, seed);
  return test_sequences(parts_, part, settings, seed);
}

/// Loaded from the clips cell, or generated and encoded here if only this method needs this variant.
ClipSet Runner::set(const std::string& part) {
  const bool kept = has_clips(frame_network(method_.network)) && (part != "training" || (method_.scenes.of == 1 && method_.augments));
  return kept ? read_clips(context_, method_.network, part) : set_of(trained_, clips_of(part));
}

/// x of a part, as the method sees it.
at::Tensor Runner::input_for(const std::string& part, const ClipSet& set) const {
  return method_.sees == Sees::Features ? set.features : method_.sees == Sees::Estimates ? set.estimates / 20 : clips_of(part).images;
}

Data Runner::load() {
  const std::string part = method_.sees == Sees::Estimates ? "crossfit" : "training";
  const auto train = method_.sees == Sees::Estimates ? read_clips(context_, method_.network, part) : set(part);
  Data data;
  data.train_x = input_for(part, train);
  data.train_y = target_of(method_.output(), train.truth, side_);
  data.validation = set("validation");
  data.validation_x = input_for("validation", data.validation);
  return data;
}

/// Those of a trial's name, else the best ones of the search.
records::Trial Runner::hyperparameters() const {
  const auto& cell = context_.record.cell;
  return records::is_trial(cell) ? records::parse_trial(cell.method) : best_trial(search_for(method_, context_.settings), context_.store);
}

void Runner::train(training::SequenceNetwork& network, const Data& data, const records::Trial& trial, records::Curves& curves) {
  const auto& settings = context_.settings;
  const auto weight = landmark_weight_of(trial);
  const SequenceTask task{
      .films = {{data.train_x, data.train_y}},
      .loss = [=](const at::Tensor& outputs, const at::Tensor& truth) { return squared_error(outputs, truth, weight); },
      .validate = [&] { return mean_error(method_.output(), outputs_of(network, data.validation_x), data.validation.truth, side_); },
      .settings = method_.section(),
      .search = method_.search_section(),
      .trial = records::is_trial(context_.record.cell),
      .batch = settings.integer(method_.section() + ".batch"),
      .judge_start = true};
  const auto rate = trial.value("lr");
  note_training(train_sequence(network, task, rate, context_), rate, "", validation_protocol(method_.output(), settings), context_.record,
                curves);
  if (method_.drops_out)
    context_.record.metrics.push_back({"dropout", dropout_of(method_, trial, settings), "", records::Direction::Neither, ""});
  if (method_.output() == Output::Joint)
    context_.record.metrics.push_back({"landmark_weight", weight, "", records::Direction::Neither, ""});
}

void Runner::measure(const std::function<at::Tensor(const std::string& part, const ClipSet& set)>& outputs, records::Curves& curves) {
  Estimates estimates, points;
  const auto kinds = context_.settings.texts("test.kinds");
  auto parts = gives_pose(method_.output()) ? test_parts(context_.settings) : kinds;
  parts.emplace_back("validation");
  for (const auto& part : parts) {
    const auto seen = set(part);
    if (part == kinds.front()) note_input(seen.features, "", context_.record);
    const auto given = outputs(part, seen);
    if (gives_pose(method_.output()))
      estimates[part] = pose_of(given);
    else
      points[part] = gives_landmarks(method_.output()) ? landmarks_of(given, side_).flatten(-2) : given;
    if (std::find(kinds.begin(), kinds.end(), part) == kinds.end()) continue;
    if (method_.output() == Output::Places) note_places(mean_error(method_.output(), given, seen.truth, side_), part, context_.record);
    if (!gives_landmarks(method_.output())) continue;
    measure_landmarks(landmarks_of(given, side_), seen.truth.landmarks, part, context_);
    if (method_.shows_landmarks && is_shown(context_.settings, context_.record.cell.seed)) draw(part, landmarks_of(given[0], side_));
  }
  measure_pose(estimates, context_, curves);
  write_estimates(context_, gives_pose(method_.output()) ? estimates : points);
}

/// Frames of the first test sequence, with its true landmarks and those that were found.
void Runner::draw(const std::string& kind, const at::Tensor& landmarks) const {
  const auto clips = clips_of(kind);
  std::vector<at::Tensor> frames;
  for (const auto& frame : clips.images[0].unbind(0)) frames.push_back(datasets::to_gray(frame));
  datasets::write_landmark_strip(context_.folder / (kind + ".png"), at::stack(frames), landmarks, clips.landmarks[0], 6);
}

void Runner::run() {
  const auto& cell = context_.record.cell;
  records::Curves curves;
  if (!method_.make) {
    const auto layer = trained_->index_of(models::features_layer(trained_)) + 1;
    measure(
        [&](const std::string&, const ClipSet& set) {
          const c10::InferenceMode inference;
          const auto frames = trained_->run(set.features.flatten(0, 1).to(device_of(*trained_)), layer, trained_->stages().size());
          return frames.cpu().unflatten(0, {set.features.size(0), set.features.size(1)});
        },
        curves);
    if (is_shown(context_.settings, cell.seed))
      write_tracker(context_.folder / "tracker.safetensors", method_, context_.settings, *trained_, nullptr);
    return context_.store.write_curves(cell, curves);
  }
  Random random(seed_of({"dynamic_face", "weights", method_.info.id, std::to_string(cell.seed)}));
  const auto network =
      method_.make(trained_, context_.settings, method_.drops_out ? dropout_of(method_, hyperparameters(), context_.settings) : 0, random);
  network->to(at::Device(context_.device));
  if (!network->parameters().empty()) train(*network, load(), hyperparameters(), curves);  // a script without any is only measured
  if (records::is_trial(cell)) return context_.store.write_curves(cell, curves);
  measure([&](const std::string& part, const ClipSet& set) { return outputs_of(*network, input_for(part, set)); }, curves);
  if (method_.sees == Sees::Estimates) {
    const auto x = impulse() / 20;
    note_impulse((outputs_of(*network, x) - outputs_of(*network, at::zeros_like(x))) * 20, curves);
    note_gain([&](const at::Tensor& of) { return outputs_of(*network, of / 20) * 20; }, curves);
    if (method_.cell == models::Cell::Linear)
      if (const auto tracker = baselines::tracker_of_response(curves.at("impulse"))) note_weights(*tracker, "", context_.record);
  } else if (is_shown(context_.settings, cell.seed)) {
    write_tracker(context_.folder / "tracker.safetensors", method_, context_.settings, *trained_, network.get());
  }
  context_.store.write_curves(cell, curves);
}

}  // namespace

at::Tensor outputs_of(training::SequenceNetwork& network, const at::Tensor& x) {
  const c10::InferenceMode inference;
  network.eval();
  std::vector<at::Tensor> pieces;
  const auto device = device_of(network);
  for (const auto& piece : x.split(16)) pieces.push_back(network.forward(piece.to(device)).cpu());
  return at::cat(pieces);
}

void run_network(const Method& method, CellContext& context) { Runner(method, context).run(); }

}  // namespace reprise::reproduce::dynamic_face_study
