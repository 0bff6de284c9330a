#include "reproduce/dynamic_face/methods.h"

#include <torch/torch.h>

#include "models/methods.h"
#include "models/recurrent/post_rnn.h"
#include "models/recurrent/recurrent_backbone.h"
#include "reproduce/names.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using models::Backbone;
using models::Cell;
using models::TransformOptions;

/// FC-RNN, FC-LSTM, FC-GRU (eq 4, 5): fc6 and fc7 made recurrent, starting at or near the per-frame network.
TransformOptions transformed(Cell cell, const Backbone& trained, const Settings& settings) {
  const auto& fc6 = trained->stages()[trained->index_of("fc6")];
  if (cell == Cell::Elman && fc6.options().activation == models::Activation::Relu) cell = Cell::Vrnn;  // the layer's own H
  return {.layers = {"fc6", "fc7"},
          .cell = cell,
          .hidden_scale = 0,
          .open_gates = models::sigmoid_gates(cell) > 0,
          .dropout = settings.number("sequence.dropout"),
          .features_of = models::features_layer(trained)};
}

/// Takes uint8 frames: the whole network learns.
class EndToEnd : public training::SequenceNetwork {
 public:
  explicit EndToEnd(std::unique_ptr<training::SequenceNetwork> network)
      : network_(register_module("network", std::shared_ptr<training::SequenceNetwork>(std::move(network)))) {}
  torch::Tensor forward(const torch::Tensor& x) override { return network_->forward(input_of(x).unflatten(0, {x.size(0), x.size(1)})); }
  torch::Tensor follow(const torch::Tensor& x) override { return network_->follow(input_of(x).unflatten(0, {x.size(0), x.size(1)})); }
  void restart() override { network_->restart(); }
  std::vector<torch::Tensor> fresh() const override { return network_->fresh(); }

 private:
  std::shared_ptr<training::SequenceNetwork> network_;
};

Method recurrent(const std::string& name, const std::string& title, Cell cell, std::function<void(TransformOptions&)> change = {}) {
  return {.name = name, .title = title, .make = [=](const Backbone& trained, const Settings& settings, Random& random) {
            auto options = transformed(cell, trained, settings);
            if (change) change(options);
            return transform(trained, options, random);
          }};
}

Method of_network(Method method, const std::string& network, Output output) {
  method.network = network;
  method.output = output;
  return method;
}

/// The per-frame network's head, fine-tuned on the same clips for the same steps with the same dropout, without recurrence: the control
/// for recurrence.
Method continued(const std::string& name, const std::string& title) {
  return recurrent(name, title, Cell::Elman, [](TransformOptions& options) { options.layers = {}; });
}

Method post(const std::string& name, const std::string& title, Cell cell) {
  return {.name = name,
          .title = title,
          .sees = Method::Sees::Estimates,
          .make = [=](const Backbone&, const Settings& settings, Random& random) {
            const auto units = cell == Cell::Linear ? 6 : settings.integer("sequence.post_units");
            return std::make_unique<models::PostRnn>(cell, 3, units, random);
          }};
}

Method filter(const std::string& name, const std::string& title, const std::string& of = "cnn") {
  return {.name = name, .title = title, .filters = of};
}

/// The fully connected layers drawn anew: recurrence without the trained weights of eq 4 and 5.
Method from_random_layers() {
  return {
      .name = "fc_gru_random", .title = "FC-GRU, random fc", .make = [](const Backbone& trained, const Settings& settings, Random& random) {
        std::vector<models::StageOptions> stages;
        for (const auto& stage : trained->stages()) stages.push_back(stage.options());
        Backbone fresh(stages);
        fresh->draw(random);
        return transform(fresh, transformed(Cell::Gru, fresh, settings), random);
      }};
}

Method end_to_end() {
  return {.name = "fc_gru_end_to_end",
          .title = "FC-GRU, end to end",
          .sees = Method::Sees::Frames,
          .make = [](const Backbone& trained, const Settings& settings, Random& random) -> std::unique_ptr<training::SequenceNetwork> {
            auto options = transformed(Cell::Gru, trained, settings);
            options.features_of = {};
            return std::make_unique<EndToEnd>(transform(trained, options, random));
          }};
}

/// One thing changed of FC-GRU that leaves the right learning rate about where it was.
Method ablation(const std::string& name, const std::string& title, const std::function<void(TransformOptions&)>& change = {}) {
  auto method = recurrent(name, title, Cell::Gru, change);
  method.rate_of = "fc_gru";
  return method;
}

/// The document's dropout rate is for layers of 4096 units; validation decides whether a method is better without dropout.
Method without_dropout(const std::string& of, const std::string& title, Cell cell, bool recurs = true) {
  auto method = recurrent(of + "_no_dropout", title + ", no dropout", cell, [=](TransformOptions& options) {
    options.dropout = 0;
    if (!recurs) options.layers = {};
  });
  method.rate_of = of;
  return method;
}

Method without_clipping() {
  auto method = ablation("fc_gru_no_clipping", "FC-GRU, no gradient clipping");
  method.clips_gradients = false;
  return method;
}

Method without_augmentation() {
  auto method = ablation("fc_gru_no_augmentation", "FC-GRU, clips not mirrored, not reversed");
  method.augments = false;
  return method;
}

/// The two networks trained one after the other, both on the first half of the training scenes, or each on a half of its own.
Method on_halves(const std::string& name, const std::string& title, const std::string& scenes) {
  auto method = ablation(name, title);
  method.network = "half0";
  method.scenes = scenes;
  return method;
}

Method per_frame(const std::string& name, const std::string& title) { return {.name = name, .title = title}; }

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      per_frame("cnn", "per frame"),
      continued("cnn_continued", "per frame, fine-tuned"),
      filter("kalman_position", "Kalman, constant position"),
      filter("kalman_velocity", "Kalman, constant velocity"),
      filter("particle_position", "particle filter, constant position"),
      filter("particle_velocity", "particle filter, constant velocity"),
      filter("kalman_bound", "Kalman, tuned on the test"),
      filter("smoother", "RTS smoother (not causal)"),
      post("post_linear", "linear RNN on estimates", Cell::Linear),
      post("post_lstm", "LSTM on estimates", Cell::Lstm),
      post("post_gru", "GRU on estimates", Cell::Gru),
      recurrent("fc_rnn", "FC-RNN", Cell::Elman),
      recurrent("fc_lstm", "FC-LSTM", Cell::Lstm),
      recurrent("fc_gru", "FC-GRU", Cell::Gru),
      end_to_end(),
      without_dropout("cnn_continued", "per frame, fine-tuned", Cell::Elman, /*recurs=*/false),
      without_dropout("fc_rnn", "FC-RNN", Cell::Elman),
      without_dropout("fc_lstm", "FC-LSTM", Cell::Lstm),
      without_dropout("fc_gru", "FC-GRU", Cell::Gru),
      filter("kalman_continued", "Kalman on per frame, fine-tuned", "cnn_continued"),
      filter("kalman_continued_no_dropout", "Kalman on per frame, fine-tuned, no dropout", "cnn_continued_no_dropout"),
      filter("kalman_fc_gru", "Kalman on FC-GRU", "fc_gru"),
      of_network(per_frame("cnn_joint", "per frame, joint"), "joint", Output::Joint),
      of_network(recurrent("fc_gru_joint", "FC-GRU, joint", Cell::Gru), "joint", Output::Joint),
      of_network(per_frame("cnn_landmarks", "per frame, landmarks"), "landmarks", Output::Landmarks),
      of_network(recurrent("fc_gru_landmarks", "FC-GRU, landmarks", Cell::Gru), "landmarks", Output::Landmarks),
      of_network(per_frame("cnn_places", "per frame, landmarks in space"), "places", Output::Places),
      of_network(recurrent("fc_gru_places", "FC-GRU, landmarks in space", Cell::Gru), "places", Output::Places),
      ablation("fc_gru_step_dropout", "FC-GRU, dropout anew each step",
               [](TransformOptions& options) { options.mask = models::DropoutMask::Step; }),
      without_clipping(),
      without_augmentation(),
      on_halves("fc_gru_one_half", "FC-GRU, both networks on one half", "half0"),
      on_halves("fc_gru_two_halves", "FC-GRU, each network on a half of its own", "half1"),
      recurrent("fc_gru_copied_gates", "FC-GRU, gates copied", Cell::Gru, [](TransformOptions& options) { options.open_gates = false; }),
      from_random_layers(),
  };
  return all;
}

const Method& method_named(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& method : methods()) {
    if (method.name == name) return method;
    known.push_back(method.name);
  }
  throw unknown("method", name, known);
}

}  // namespace reprise::reproduce::dynamic_face_study
