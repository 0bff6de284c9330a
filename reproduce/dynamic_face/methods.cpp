#include "reproduce/dynamic_face/methods.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "experiments/names.h"
#include "models/methods.h"
#include "models/recurrent/post_rnn.h"
#include "models/recurrent/recurrent_backbone.h"
#include "reproduce/dynamic_face/cells.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using models::Backbone;
using models::RecurrentCell;
using models::TransformOptions;
using training::Role;

/// Returns FC-RNN, FC-LSTM or FC-GRU (eq 4, 5): recurrent fc6 and fc7 that start at or near the
/// per-frame network.
TransformOptions transform_options(RecurrentCell cell, const Backbone& trained, double dropout) {
  const auto& fc6 = trained->stages()[trained->index_of("fc6")];
  if (cell == RecurrentCell::Elman && fc6.options().activation == models::Activation::Relu)
    cell = RecurrentCell::Vrnn;  // eq 4 keeps the activation of the layer
  return {.layers = {"fc6", "fc7"},
          .cell = cell,
          .hidden_scale = 0,
          .open_gates = models::sigmoid_gates(cell) > 0,
          .dropout = dropout,
          .features_of = models::features_layer(trained)};
}

/// Network on uint8 frames whose trunk is trained too.
class EndToEnd : public training::SequenceNetwork {
 public:
  explicit EndToEnd(std::unique_ptr<training::SequenceNetwork> network)
      : network_(register_module("network",
                                 std::shared_ptr<training::SequenceNetwork>(std::move(network)))) {}
  torch::Tensor forward(const torch::Tensor& x) override {
    return network_->forward(network_input(x).unflatten(0, {x.size(0), x.size(1)}));
  }
  torch::Tensor follow(const torch::Tensor& x) override {
    return network_->follow(network_input(x).unflatten(0, {x.size(0), x.size(1)}));
  }
  void restart() override { network_->restart(); }
  std::vector<torch::Tensor> untrained_parameters() const override {
    return network_->untrained_parameters();
  }

 private:
  std::shared_ptr<training::SequenceNetwork> network_;
};

training::MethodInfo method_info(const std::string& id, const std::string& title, Role role,
                                 const std::string& source) {
  return {.id = id, .title = title, .role = role, .source = source};
}

/// Costs of methods in words.
constexpr auto frame_cost = "the network's head per frame";
constexpr auto recurrent_cost = "two recurrent layers per frame";
constexpr auto frames_cost = "the whole network per frame, and its gradient";

/// Returns a recurrent head on trained features. `change` adapts its options.
Method recurrent(training::MethodInfo info, RecurrentCell cell,
                 const std::function<void(TransformOptions&)>& change = {}) {
  if (info.cost.empty()) info.cost = recurrent_cost;
  return {.info = std::move(info),
          .cell = cell,
          .drops_out = true,
          .make = [=](const Backbone& trained, const Settings&, double dropout, Random& random) {
            auto options = transform_options(cell, trained, dropout);
            if (change) change(options);
            return transform(trained, options, random);
          }};
}

/// Returns a method on another per-frame network.
Method on_network(const std::string& network, Method method) {
  method.network = network;
  return method;
}

/// Returns the control for recurrence: the per-frame network's head, fine-tuned on the same clips
/// for the same steps, with the same search.
Method fine_tuned_frame(training::MethodInfo info) {
  info.cost = frame_cost;
  auto method = recurrent(std::move(info), RecurrentCell::Elman,
                          [](TransformOptions& options) { options.layers = {}; });
  // The type of cell does not matter: no layer is recurrent.
  method.cell = {};
  return method;
}

/// Returns a small recurrent network on estimated poses.
Method post_rnn(training::MethodInfo info, RecurrentCell cell) {
  info.cost = "one recurrent layer of few units per frame";
  return {.info = std::move(info),
          .sees = Method::Sees::Estimates,
          .cell = cell,
          .make = [=](const Backbone&, const Settings& settings, double, Random& random) {
            // Eq 2 has two states for each of the three angles.
            const auto units =
                cell == RecurrentCell::Linear ? 6 : settings.integer("sequence.post_units");
            constexpr std::int64_t angles = 3;
            return std::make_unique<models::PostRnn>(cell, angles, units, random);
          }};
}

/// Returns a filter; its cost is that of its tracker.
Method filter(training::MethodInfo info, FilterTraits traits, const std::string& network = "pose") {
  info.cost = is_trivial(traits.tracker)
                  ? "nothing"
                  : find_named(baselines::trackers(), "tracker", traits.tracker).info.cost;
  return {.info = std::move(info), .filter = std::move(traits), .network = network};
}

/// Returns FC-GRU on random fully connected layers: recurrence without the trained weights of eq 4
/// and 5.
Method from_random_layers() {
  return {.info = {.id = "fc_gru_random",
                   .title = "FC-GRU, random fc",
                   .role = Role::Ablation,
                   .source = "without the trained weights of eq 4, 5",
                   .cost = recurrent_cost},
          .cell = RecurrentCell::Gru,
          .drops_out = true,
          .make = [](const Backbone& trained, const Settings&, double dropout, Random& random) {
            std::vector<models::StageOptions> stages;
            for (const auto& stage : trained->stages()) stages.push_back(stage.options());
            // Only fc6, fc7 and the output are used, on features of the trained trunk.
            Backbone untrained(stages);
            untrained->draw(random);
            return transform(untrained, transform_options(RecurrentCell::Gru, untrained, dropout),
                             random);
          }};
}

/// Returns a method whose trunk is trained too: a recurrent one, or its control.
Method end_to_end(const Method& of) {
  auto method = of;
  const auto layers = of.cell ? std::vector<std::string>{"fc6", "fc7"} : std::vector<std::string>{};
  method.info = {.id = of.info.id + "_end_to_end",
                 .title = of.info.title + ", end to end",
                 .role = of.info.role,
                 .source = of.cell ? "document, column 7: trained end to end"
                                   : "the same steps through the trunk without recurrence",
                 .cost = frames_cost};
  method.sees = Method::Sees::Frames;
  method.make = [cell = of.cell.value_or(RecurrentCell::Elman), layers](
                    const Backbone& trained, const Settings&, double dropout,
                    Random& random) -> std::unique_ptr<training::SequenceNetwork> {
    auto options = transform_options(cell, trained, dropout);
    options.layers = layers;
    options.features_of = {};  // the input is images, not features
    return std::make_unique<EndToEnd>(transform(trained, options, random));
  };
  return method;
}

/// Returns FC-GRU that estimates pose and landmarks together.
Method joint() {
  auto method = on_network("joint", recurrent(method_info("fc_gru_joint", "FC-GRU, joint",
                                                          Role::Document, "figure 2F; eq 4, 5"),
                                              RecurrentCell::Gru));
  method.shows_landmarks = true;
  return method;
}

/// Returns FC-GRU with one change that hardly affects the best learning rate and dropout, so
/// FC-GRU's are used.
Method ablation(const std::string& id, const std::string& title, const std::string& source,
                const std::function<void(TransformOptions&)>& change = {}) {
  auto method =
      recurrent(method_info(id, title, Role::Ablation, source), RecurrentCell::Gru, change);
  method.searched_as = "fc_gru";
  return method;
}

/// Returns FC-GRU with the document's dropout. That rate was chosen for layers of 4096 units.
Method with_dropout(const std::string& id, const std::string& title, models::DropoutMask mask) {
  auto method = ablation(id, title, "document: a dropout of 0.25",
                         [=](TransformOptions& options) { options.mask = mask; });
  method.documents_dropout = true;
  return method;
}

/// Returns FC-GRU on clips that are neither mirrored nor reversed.
Method without_augmentation() {
  auto method = ablation("fc_gru_no_augmentation", "FC-GRU, clips not mirrored, not reversed",
                         "without the document's augmentation");
  method.augments = false;
  return method;
}

/// Returns FC-GRU whose two networks train one after the other: both on the first half of the
/// scenes, or each on its own.
Method on_halves(const std::string& id, const std::string& title, std::int64_t half) {
  auto method = ablation(id, title, "training data of the two stages");
  method.network = "half0";
  method.scenes = {.of = 2, .index = half};
  return method;
}

/// Returns a per-frame network itself as a method.
Method frame_by_frame(training::MethodInfo info) {
  info.cost = frame_cost;
  return {.info = std::move(info)};
}

}  // namespace

bool is_trivial(const std::string& tracker) { return tracker == "constant" || tracker == "held"; }

namespace {

/// Describes a method for `list methods`.
std::string describe_traits(const Method& method) {
  if (method.filter) {
    const auto& [of, tracker, motion, tuned_on_test, gated] = *method.filter;
    std::string_view moves = "the better motion";
    if (motion == baselines::Motion::ConstantPosition) moves = "constant position";
    if (motion == baselines::Motion::ConstantVelocity) moves = "constant velocity";
    return fmt::format(
        "{}{} on {}, {}, noise {}", tracker, gated ? " with a gate" : "", of, moves,
        tuned_on_test ? "with the least error on the test" : "with the least error on validation");
  }
  std::string_view sees = "frames";
  if (method.sees == Method::Sees::Features) sees = "features";
  if (method.sees == Method::Sees::Estimates) sees = "estimates";
  auto words = fmt::format("{} on {} of network {}",
                           method.cell ? models::cell_title(*method.cell) : "no recurrence", sees,
                           method.network);
  if (!method.searched_as.empty()) words += ", learning rate of " + method.searched_as;
  return words;
}

Method fine_tuned() {
  return fine_tuned_frame(method_info("cnn_continued", "per frame, fine-tuned", Role::Control,
                                      "the same steps without recurrence"));
}

/// Lists per-frame estimates, and filters of them.
std::vector<Method> per_frame_methods() {
  using enum Role;
  using baselines::Motion;
  const auto trivial = [](const std::string& id, const std::string& title,
                          const std::string& source) {
    return filter(method_info(id, title, Control, source), {.of = per_frame, .tracker = id});
  };
  return {
      frame_by_frame(
          method_info(per_frame, "per frame", Baseline, "document: estimation per frame")),
      trivial("constant", "constant: the mean pose", "knows nothing of the picture"),
      trivial("held", "the estimate of the frame before", "a frame late"),
      filter(method_info("moving_average", "moving average", Control,
                         "the mean of the last estimates"),
             {.of = per_frame, .tracker = "moving_average"}),
      filter(method_info("one_euro", "one-euro filter", Baseline, "Casiez, Roussel, Vogel 2012"),
             {.of = per_frame, .tracker = "one_euro"}),
      fine_tuned(),
      filter(method_info("kalman_position", "Kalman, constant position", Baseline, "eq 3"),
             {.of = per_frame, .tracker = "kalman", .motion = Motion::ConstantPosition}),
      filter(method_info("kalman_velocity", "Kalman, constant velocity", Baseline, "eq 3"),
             {.of = per_frame, .tracker = "kalman", .motion = Motion::ConstantVelocity}),
      filter(method_info("kalman_gated", "Kalman with a gate for outliers", Baseline,
                         "eq 3; a validation gate, Bar-Shalom and Fortmann 1988"),
             {.of = per_frame, .tracker = "kalman", .gated = true}),
      filter(method_info("particle_position", "particle filter, constant position", Baseline,
                         "document: particle filter"),
             {.of = per_frame, .tracker = "particle", .motion = Motion::ConstantPosition}),
      filter(method_info("particle_velocity", "particle filter, constant velocity", Baseline,
                         "document: particle filter"),
             {.of = per_frame, .tracker = "particle", .motion = Motion::ConstantVelocity}),
      filter(method_info("kalman_bound", "Kalman, tuned on the test", Bound,
                         "noise of the least error on the test"),
             {.of = per_frame, .tracker = "kalman", .tuned_on_test = true}),
      filter(
          method_info("smoother", "RTS smoother (not causal)", Bound, "uses future frames as well"),
          {.of = per_frame, .tracker = "smoother"}),
  };
}

/// Lists recurrent networks on estimates, on fixed features and end to end, and filters on their
/// controls.
std::vector<Method> recurrent_methods() {
  using enum Role;
  const auto fc_rnn =
      recurrent(method_info("fc_rnn", "FC-RNN", Document, "eq 4, 5"), RecurrentCell::Elman);
  const auto fc_lstm = recurrent(method_info("fc_lstm", "FC-LSTM", Document, "eq 4, 5 with LSTM"),
                                 RecurrentCell::Lstm);
  const auto fc_gru =
      recurrent(method_info("fc_gru", "FC-GRU", Document, "eq 4, 5 with GRU"), RecurrentCell::Gru);
  return {
      post_rnn(method_info("post_linear", "linear RNN on estimates", Document, "eq 1, 2"),
               RecurrentCell::Linear),
      post_rnn(method_info("post_lstm", "LSTM on estimates", Document, "figure 1B, eq 1 with LSTM"),
               RecurrentCell::Lstm),
      post_rnn(method_info("post_gru", "GRU on estimates", Document, "figure 1B, eq 1 with GRU"),
               RecurrentCell::Gru),
      fc_rnn,
      fc_lstm,
      fc_gru,
      end_to_end(fine_tuned()),
      end_to_end(fc_rnn),
      end_to_end(fc_lstm),
      end_to_end(fc_gru),
      filter(method_info("kalman_continued", "Kalman on per frame, fine-tuned", Baseline,
                         "eq 3 on another method"),
             {.of = "cnn_continued", .tracker = "kalman"}),
      filter(method_info("kalman_end_to_end", "Kalman on per frame, end to end", Baseline,
                         "eq 3 on another method"),
             {.of = "cnn_continued_end_to_end", .tracker = "kalman"}),
  };
}

/// Lists methods that find landmarks, alone or with the pose.
std::vector<Method> landmark_methods() {
  using enum Role;
  return {
      on_network("joint", frame_by_frame(method_info("cnn_joint", "per frame, joint", Baseline,
                                                     "document, figure 2F, per frame"))),
      joint(),
      on_network("landmarks",
                 frame_by_frame(method_info("cnn_landmarks", "per frame, landmarks", Baseline,
                                            "document: landmarks per frame"))),
      filter(method_info("kalman_landmarks", "Kalman on per frame, landmarks", Baseline,
                         "eq 3 for each coordinate"),
             {.of = "cnn_landmarks", .tracker = "kalman"}, "landmarks"),
      on_network("landmarks", recurrent(method_info("fc_gru_landmarks", "FC-GRU, landmarks",
                                                    Document, "eq 4, 5 for landmarks"),
                                        RecurrentCell::Gru)),
      on_network("places", frame_by_frame(method_info("cnn_places", "per frame, landmarks in space",
                                                      Baseline, "landmarks in space, per frame"))),
      filter(method_info("kalman_places", "Kalman on per frame, landmarks in space", Baseline,
                         "eq 3 for each coordinate"),
             {.of = "cnn_places", .tracker = "kalman"}, "places"),
      on_network("places", recurrent(method_info("fc_gru_places", "FC-GRU, landmarks in space",
                                                 Document, "eq 4, 5 for landmarks in space"),
                                     RecurrentCell::Gru)),
  };
}

/// Lists FC-GRU with one change each.
std::vector<Method> ablations() {
  using enum Role;
  return {
      with_dropout("fc_gru_dropout", "FC-GRU, the document's dropout",
                   models::DropoutMask::Sequence),
      with_dropout("fc_gru_step_dropout", "FC-GRU, new dropout mask per step",
                   models::DropoutMask::Step),
      without_augmentation(),
      on_halves("fc_gru_one_half", "FC-GRU, both networks on one half", 0),
      on_halves("fc_gru_two_halves", "FC-GRU, each network on another half", 1),
      recurrent(method_info("fc_gru_copied_gates", "FC-GRU, gates copied", Ablation,
                            "gates start as copies, not open"),
                RecurrentCell::Gru, [](TransformOptions& options) { options.open_gates = false; }),
      from_random_layers(),
  };
}

}  // namespace

const std::vector<Method>& methods() {
  // This order is that of rows on the page.
  static const auto all = [] {
    std::vector<Method> methods;
    for (const auto& group :
         {per_frame_methods(), recurrent_methods(), landmark_methods(), ablations()})
      methods.insert(methods.end(), group.begin(), group.end());
    return methods;
  }();
  return all;
}

const Method& method_named(const std::string& name) {
  return find_named(methods(), "method", name);
}

std::vector<ListedMethod> listed_methods() {
  std::vector<ListedMethod> listed;
  for (const auto& method : methods())
    listed.push_back({method.filter ? training::Contract::Tracker : training::Contract::Sequence,
                      method.info, describe_traits(method)});
  return listed;
}

}  // namespace reprise::reproduce::dynamic_face_study
