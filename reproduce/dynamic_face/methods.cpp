#include "reproduce/dynamic_face/methods.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "experiments/names.h"
#include "models/methods.h"
#include "models/recurrent/post_rnn.h"
#include "models/recurrent/recurrent_backbone.h"
#include "reproduce/dynamic_face/cells.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using models::Backbone;
using models::Cell;
using models::TransformOptions;
using training::Role;

/// FC-RNN, FC-LSTM, FC-GRU (eq 4, 5): fc6 and fc7 made recurrent, starting at or near the per-frame
/// network.
TransformOptions transform_options(Cell cell, const Backbone& trained, double dropout) {
  const auto& fc6 = trained->stages()[trained->index_of("fc6")];
  if (cell == Cell::Elman && fc6.options().activation == models::Activation::Relu)
    cell = Cell::Vrnn;  // the layer's own H
  return {.layers = {"fc6", "fc7"},
          .cell = cell,
          .hidden_scale = 0,
          .open_gates = models::sigmoid_gates(cell) > 0,
          .dropout = dropout,
          .features_of = models::features_layer(trained)};
}

/// Takes uint8 frames: the whole network learns.
class EndToEnd : public training::SequenceNetwork {
 public:
  explicit EndToEnd(std::unique_ptr<training::SequenceNetwork> network)
      : network_(register_module("network",
                                 std::shared_ptr<training::SequenceNetwork>(std::move(network)))) {}
  torch::Tensor forward(const torch::Tensor& x) override {
    return network_->forward(input_of(x).unflatten(0, {x.size(0), x.size(1)}));
  }
  torch::Tensor follow(const torch::Tensor& x) override {
    return network_->follow(input_of(x).unflatten(0, {x.size(0), x.size(1)}));
  }
  void restart() override { network_->restart(); }
  std::vector<torch::Tensor> fresh() const override { return network_->fresh(); }

 private:
  std::shared_ptr<training::SequenceNetwork> network_;
};

training::MethodInfo about(const std::string& id, const std::string& title, Role role,
                           const std::string& source) {
  return {.id = id, .title = title, .role = role, .source = source};
}

/// What they cost follows from what they are.
constexpr auto frame_cost = "the network's head per frame",
               recurrent_cost = "two recurrent layers per frame",
               frames_cost = "the whole network per frame, and its gradient";

Method recurrent(training::MethodInfo info, Cell cell,
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

Method on_network(const std::string& network, Method method) {
  method.network = network;
  return method;
}

/// The per-frame network's head, fine-tuned on the same clips for the same steps with a search of
/// the same rates and dropouts, without recurrence: the control for recurrence.
Method fine_tuned_frame(training::MethodInfo info) {
  info.cost = frame_cost;
  auto method = recurrent(std::move(info), Cell::Elman,
                          [](TransformOptions& options) { options.layers = {}; });
  method.cell = {};
  return method;
}

Method post(training::MethodInfo info, Cell cell) {
  info.cost = "one recurrent layer of few units per frame";
  return {.info = std::move(info),
          .sees = Method::Sees::Estimates,
          .cell = cell,
          .make = [=](const Backbone&, const Settings& settings, double, Random& random) {
            const auto units = cell == Cell::Linear ? 6 : settings.integer("sequence.post_units");
            return std::make_unique<models::PostRnn>(cell, 3, units, random);
          }};
}

Method filter(training::MethodInfo info, FilterFacts facts, const std::string& network = "pose") {
  info.cost = tracks_nothing(facts.tracker)
                  ? "nothing"
                  : find_named(baselines::trackers(), "tracker", facts.tracker).info.cost;
  return {.info = std::move(info), .filter = std::move(facts), .network = network};
}

/// The fully connected layers drawn anew: recurrence without the trained weights of eq 4 and 5.
Method from_random_layers() {
  return {.info = {.id = "fc_gru_random",
                   .title = "FC-GRU, random fc",
                   .role = Role::Ablation,
                   .source = "without the trained weights of eq 4, 5",
                   .cost = recurrent_cost},
          .cell = Cell::Gru,
          .drops_out = true,
          .make = [](const Backbone& trained, const Settings&, double dropout, Random& random) {
            std::vector<models::StageOptions> stages;
            for (const auto& stage : trained->stages()) stages.push_back(stage.options());
            Backbone fresh(stages);
            fresh->draw(random);
            return transform(fresh, transform_options(Cell::Gru, fresh, dropout), random);
          }};
}

/// The trunk learns, too: FC-RNN and its like, or their control without recurrence.
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
  method.make = [cell = of.cell.value_or(Cell::Elman), layers](
                    const Backbone& trained, const Settings&, double dropout,
                    Random& random) -> std::unique_ptr<training::SequenceNetwork> {
    auto options = transform_options(cell, trained, dropout);
    options.layers = layers;
    options.features_of = {};
    return std::make_unique<EndToEnd>(transform(trained, options, random));
  };
  return method;
}

Method joint() {
  auto method = on_network("joint", recurrent(about("fc_gru_joint", "FC-GRU, joint", Role::Document,
                                                    "figure 2F; eq 4, 5"),
                                              Cell::Gru));
  method.shows_landmarks = true;
  return method;
}

/// One thing changed of FC-GRU that leaves the right learning rate and dropout about where they
/// were.
Method ablation(const std::string& id, const std::string& title, const std::string& source,
                const std::function<void(TransformOptions&)>& change = {}) {
  auto method = recurrent(about(id, title, Role::Ablation, source), Cell::Gru, change);
  method.searched_as = "fc_gru";
  return method;
}

/// The document's dropout rate is for layers of 4096 units: what it does here, whatever the search
/// chose.
Method with_dropout(const std::string& id, const std::string& title, models::DropoutMask mask) {
  auto method = ablation(id, title, "document: a dropout of 0.25",
                         [=](TransformOptions& options) { options.mask = mask; });
  method.documents_dropout = true;
  return method;
}

Method without_augmentation() {
  auto method = ablation("fc_gru_no_augmentation", "FC-GRU, clips not mirrored, not reversed",
                         "without the document's augmentation");
  method.augments = false;
  return method;
}

/// The two networks trained one after the other, both on the first half of the training scenes, or
/// each on a half of its own.
Method on_halves(const std::string& id, const std::string& title, std::int64_t half) {
  auto method = ablation(id, title, "training data of the two stages");
  method.network = "half0";
  method.scenes = {.of = 2, .index = half};
  return method;
}

Method frame_by_frame(training::MethodInfo info) {
  info.cost = frame_cost;
  return {.info = std::move(info)};
}

}  // namespace

const std::vector<FrameNetwork>& frame_networks() {
  static const auto all = [] {
    std::vector<FrameNetwork> networks{{"pose"},
                                       {"half0", Output::Pose, {.of = 2}},
                                       {"joint", Output::Joint},
                                       {"landmarks", Output::Landmarks},
                                       {"places", Output::Places}};
    const auto folds = static_cast<std::int64_t>(fold_networks().size());
    for (std::int64_t k = 0; k < folds; ++k)
      networks.push_back({fold_networks()[static_cast<std::size_t>(k)],
                          Output::Pose,
                          {.of = folds, .index = k, .others = true}});
    return networks;
  }();
  return all;
}

const std::vector<std::string>& fold_networks() {
  static const std::vector<std::string> all{"fold0", "fold1", "fold2", "fold3", "fold4"};
  return all;
}

bool tracks_nothing(const std::string& tracker) {
  return tracker == "constant" || tracker == "held";
}

Search search_for(const Method& method, const Settings& settings) {
  constexpr double greatest_dropout = 0.9;  // beyond it hardly a unit is left
  const auto& searched = method.searched_as.empty() ? method : method_named(method.searched_as);
  const auto section = searched.search_section();
  Search search{.trials = cell("search", searched.info.id, 0),
                .grid = {{axis("lr", settings.numbers(section + ".learning_rates"))}},
                .seeds = settings.integer(section + ".seeds"),
                .rules = {{.metric = "validation_error"}},
                .widen = widen_setting(settings)};
  if (searched.drops_out) {
    auto dropouts = axis("dropout", settings.numbers(section + ".dropouts"));
    dropouts.greatest = greatest_dropout;
    search.grid.push_back({dropouts});
  }
  if (searched.output() == Output::Joint)
    search.grid.push_back({axis("weight", settings.numbers("search.joint_weights"))});
  if (method.documents_dropout) search.fixed = {"dropout"};
  return search;
}

double dropout_of(const Method& method, const records::Trial& trial, const Settings& settings) {
  return method.documents_dropout ? settings.number("sequence.dropout")
                                  : trial.find("dropout").value_or(0);
}

double landmark_weight_of(const records::Trial& trial) { return trial.find("weight").value_or(1); }

const FrameNetwork& frame_network(const std::string& name) {
  return find_named(frame_networks(), "per-frame network", name);
}

namespace {

constexpr std::string_view size_prefix = "heads-";

std::string facts_in_words(const Method& method) {
  if (method.filter) {
    const auto& [of, tracker, motion, tuned_on_test, gated] = *method.filter;
    const std::string_view moves = !motion ? "the better motion"
                                   : *motion == baselines::Motion::ConstantPosition
                                       ? "constant position"
                                       : "constant velocity";
    return fmt::format(
        "{}{} on {}, {}, noise {}", tracker, gated ? " with a gate" : "", of, moves,
        tuned_on_test ? "with the least error on the test" : "with the least error on validation");
  }
  const std::string_view sees = method.sees == Method::Sees::Features    ? "features"
                                : method.sees == Method::Sees::Estimates ? "estimates"
                                                                         : "frames";
  auto words = fmt::format("{} on {} of network {}",
                           method.cell ? models::cell_title(*method.cell) : "no recurrence", sees,
                           method.network);
  if (!method.searched_as.empty()) words += ", learning rate of " + method.searched_as;
  return words;
}

}  // namespace

std::string size_name(std::int64_t heads) { return fmt::format("{}{}", size_prefix, heads); }

FrameNetwork size_network(const std::string& name) {
  std::size_t heads = 0;
  const auto* end = name.data() + name.size();
  if (!name.starts_with(size_prefix) ||
      std::from_chars(name.data() + size_prefix.size(), end, heads).ptr != end || heads == 0)
    throw Error("'" + name + "' is not a network on so many heads",
                "plan it as heads-N, N at least 1");
  return {.name = name, .heads = heads};
}

const std::vector<Method>& methods() {
  using enum Role;
  using baselines::Motion;
  static const auto plain =
      frame_by_frame(about(per_frame, "per frame", Baseline, "document: estimation per frame"));
  static const auto fine_tuned = fine_tuned_frame(about(
      "cnn_continued", "per frame, fine-tuned", Control, "the same steps without recurrence"));
  static const auto fc_rnn = recurrent(about("fc_rnn", "FC-RNN", Document, "eq 4, 5"), Cell::Elman);
  static const auto fc_lstm =
      recurrent(about("fc_lstm", "FC-LSTM", Document, "eq 4, 5 with LSTM"), Cell::Lstm);
  static const auto fc_gru =
      recurrent(about("fc_gru", "FC-GRU", Document, "eq 4, 5 with GRU"), Cell::Gru);
  static const auto null = [](const std::string& id, const std::string& title,
                              const std::string& source) {
    return filter(about(id, title, Control, source), {.of = per_frame, .tracker = id});
  };
  static const std::vector<Method> all{
      plain,
      null("constant", "constant: the mean pose", "knows nothing of the picture"),
      null("held", "the estimate of the frame before", "a frame late"),
      filter(about("moving_average", "moving average", Control, "the mean of the last estimates"),
             {.of = per_frame, .tracker = "moving_average"}),
      filter(about("one_euro", "one-euro filter", Baseline, "Casiez, Roussel, Vogel 2012"),
             {.of = per_frame, .tracker = "one_euro"}),
      fine_tuned,
      filter(about("kalman_position", "Kalman, constant position", Baseline, "eq 3"),
             {per_frame, "kalman", Motion::ConstantPosition}),
      filter(about("kalman_velocity", "Kalman, constant velocity", Baseline, "eq 3"),
             {per_frame, "kalman", Motion::ConstantVelocity}),
      filter(about("kalman_gated", "Kalman with a gate for outliers", Baseline,
                   "eq 3; a validation gate, Bar-Shalom and Fortmann 1988"),
             {.of = per_frame, .tracker = "kalman", .gated = true}),
      filter(about("particle_position", "particle filter, constant position", Baseline,
                   "document: particle filter"),
             {per_frame, "particle", Motion::ConstantPosition}),
      filter(about("particle_velocity", "particle filter, constant velocity", Baseline,
                   "document: particle filter"),
             {per_frame, "particle", Motion::ConstantVelocity}),
      filter(
          about("kalman_bound", "Kalman, tuned on the test", Bound, "the room that tuning leaves"),
          {.of = per_frame, .tracker = "kalman", .tuned_on_test = true}),
      filter(about("smoother", "RTS smoother (not causal)", Bound, "what the future is worth"),
             {.of = per_frame, .tracker = "smoother"}),
      post(about("post_linear", "linear RNN on estimates", Document, "eq 1, 2"), Cell::Linear),
      post(about("post_lstm", "LSTM on estimates", Document, "figure 1B, eq 1 with LSTM"),
           Cell::Lstm),
      post(about("post_gru", "GRU on estimates", Document, "figure 1B, eq 1 with GRU"), Cell::Gru),
      fc_rnn,
      fc_lstm,
      fc_gru,
      end_to_end(fine_tuned),
      end_to_end(fc_rnn),
      end_to_end(fc_lstm),
      end_to_end(fc_gru),
      filter(about("kalman_continued", "Kalman on per frame, fine-tuned", Baseline,
                   "eq 3 on another method"),
             {.of = "cnn_continued", .tracker = "kalman"}),
      filter(about("kalman_end_to_end", "Kalman on per frame, end to end", Baseline,
                   "eq 3 on another method"),
             {.of = "cnn_continued_end_to_end", .tracker = "kalman"}),
      on_network("joint", frame_by_frame(about("cnn_joint", "per frame, joint", Baseline,
                                               "document, figure 2F, per frame"))),
      joint(),
      on_network("landmarks", frame_by_frame(about("cnn_landmarks", "per frame, landmarks",
                                                   Baseline, "document: landmarks per frame"))),
      filter(about("kalman_landmarks", "Kalman on per frame, landmarks", Baseline,
                   "eq 3 for each coordinate"),
             {.of = "cnn_landmarks", .tracker = "kalman"}, "landmarks"),
      on_network("landmarks", recurrent(about("fc_gru_landmarks", "FC-GRU, landmarks", Document,
                                              "eq 4, 5 for landmarks"),
                                        Cell::Gru)),
      on_network("places", frame_by_frame(about("cnn_places", "per frame, landmarks in space",
                                                Baseline, "landmarks in space, per frame"))),
      filter(about("kalman_places", "Kalman on per frame, landmarks in space", Baseline,
                   "eq 3 for each coordinate"),
             {.of = "cnn_places", .tracker = "kalman"}, "places"),
      on_network("places", recurrent(about("fc_gru_places", "FC-GRU, landmarks in space", Document,
                                           "eq 4, 5 for landmarks in space"),
                                     Cell::Gru)),
      with_dropout("fc_gru_dropout", "FC-GRU, the document's dropout",
                   models::DropoutMask::Sequence),
      with_dropout("fc_gru_step_dropout", "FC-GRU, new dropout mask per step",
                   models::DropoutMask::Step),
      without_augmentation(),
      on_halves("fc_gru_one_half", "FC-GRU, both networks on one half", 0),
      on_halves("fc_gru_two_halves", "FC-GRU, each network on another half", 1),
      recurrent(about("fc_gru_copied_gates", "FC-GRU, gates copied", Ablation,
                      "gates start as copies, not open"),
                Cell::Gru, [](TransformOptions& options) { options.open_gates = false; }),
      from_random_layers(),
  };
  return all;
}

const Method& method_named(const std::string& name) {
  return find_named(methods(), "method", name);
}

std::vector<ListedMethod> listed_methods() {
  std::vector<ListedMethod> listed;
  for (const auto& method : methods())
    listed.push_back({method.filter ? training::Contract::Tracker : training::Contract::Sequence,
                      method.info, facts_in_words(method)});
  return listed;
}

}  // namespace reprise::reproduce::dynamic_face_study
