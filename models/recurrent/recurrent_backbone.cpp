#include "models/recurrent/recurrent_backbone.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/text.h"

namespace reprise::models {
namespace {

using torch::Tensor;
using Kind = StageOptions::Kind;

/// Returns why stage i cannot be made recurrent; empty if it can.
std::string find_obstacle(const std::vector<Stage>& stages, std::size_t i) {
  const auto& stage = stages[i];
  if (stage.parts.empty()) return "is a pooling: it has no weights";
  if (stage.options().activation == Activation::None)
    return "is the output layer: its output is not a hidden state";
  if (stage.options().kind == Kind::Linear) return "";
  const bool last = i + 1 == stages.size();
  if (!last && stages[i + 1].is_global_pooling()) return "";
  return fmt::format(
      "is a convolution that {} follows: eq 6 pools over the whole map inside the recurrent layer, "
      "so only the last convolution before global average pooling can carry it",
      last ? "nothing" : stages[i + 1].options().name);
}

/// A stage of the sequence network. One of feedforward, transformed and appended is set.
struct Step {
  std::string name = {};
  bool first_linear = false;  ///< first fully connected layer: its inputs are the features
  bool output_drawn = false;  ///< output layer with random weights
  std::optional<Stage> feedforward = {};
  RecurrentStage transformed{nullptr};
  RecurrentLayer appended{nullptr};
  CellState state = {};  ///< state of the current stream
};

/// The network that transform() makes: stages in order, each with its own kind of step.
class RecurrentBackbone : public training::SequenceNetwork {
 public:
  RecurrentBackbone(const Backbone& trained, const TransformOptions& options, Random& random);

  Tensor forward(const Tensor& x) override {
    return walk(x, [](Step&, const Tensor&) {});
  }
  Tensor follow(const Tensor& x) override;
  void restart() override {
    for (auto& step : steps_) step.state = {};
  }
  std::vector<Tensor> untrained_parameters() const override;
  std::int64_t recurrent_parameters(std::int64_t features, std::int64_t width) const override;
  std::map<std::string, Tensor> gates(const Tensor& x) override;

 private:
  void add_recurrent(const Stage& stage, Step& step, const TransformOptions& options,
                     Random& random);
  void add_feedforward(const Stage& stage, Step& step, bool draws_output, Random& random);
  void append_traditional(const TransformOptions& options, std::int64_t width, Random& random);
  template <typename See>
  Tensor walk(const Tensor& x, See see, bool follows = false);
  Tensor run_recurrent_step(Step& step, const Tensor& of_clips, bool follows, const Tensor& mask);
  Tensor apply_dropout(const Tensor& of_clips) const;
  Tensor draw_state_mask(const Step& step, std::int64_t clips) const;
  std::vector<Step> steps_;
  double dropout_;
  DropoutMask mask_;
};

/// Marks the named stages. UsageError: a layer that cannot be made recurrent.
std::vector<bool> mark_recurrent_stages(const Backbone& trained, const TransformOptions& options,
                                        std::size_t first) {
  const auto& stages = trained->stages();
  std::vector<bool> recurrent(stages.size(), false);
  for (const auto& layer : options.layers) {
    const auto i = trained->index_of(layer);
    std::string why = find_obstacle(stages, i);
    if (recurrent[i]) why = "is named twice";
    if (i < first) why = "does not follow " + options.features_of;
    if (!why.empty())
      throw UsageError(fmt::format("layer \"{}\" cannot be made recurrent: it {}", layer, why),
                       "name one of: " + join(transformable_layers(trained), ", "));
    recurrent[i] = true;
  }
  return recurrent;
}

RecurrentBackbone::RecurrentBackbone(const Backbone& trained, const TransformOptions& options,
                                     Random& random)
    : dropout_(options.dropout), mask_(options.mask) {
  if (!(dropout_ >= 0 && dropout_ < 1))
    throw UsageError(fmt::format("a dropout rate of {}", dropout_),
                     "give one from 0 up to below 1");
  const auto& stages = trained->stages();
  const auto first = options.features_of.empty() ? 0 : trained->index_of(options.features_of) + 1;
  const auto recurrent = mark_recurrent_stages(trained, options, first);
  if (first >= stages.size())
    throw UsageError("nothing follows layer " + options.features_of,
                     "name a layer before the output layer");
  for (std::size_t i = first; i < stages.size(); ++i) {
    const auto& stage = stages[i];
    // Traditional layers come directly before the output layer.
    const bool last = i + 1 == stages.size();
    if (last) append_traditional(options, stage.options().inputs, random);
    const bool linear = stage.options().kind == Kind::Linear;
    Step step{.name = stage.options().name,
              .first_linear = linear && (i == 0 || stages[i - 1].options().kind != Kind::Linear)};
    if (recurrent[i]) {
      add_recurrent(stage, step, options, random);
      // The recurrent layer includes the global average pooling, so the next stage is skipped.
      if (!linear) ++i;
    } else {
      add_feedforward(stage, step, options.draw_output && last, random);
    }
    steps_.push_back(std::move(step));
  }
}

/// Makes the step a recurrent version of the stage.
void RecurrentBackbone::add_recurrent(const Stage& stage, Step& step,
                                      const TransformOptions& options, Random& random) {
  step.transformed =
      RecurrentStage(stage,
                     RecurrentStageOptions{.cell = options.cell,
                                           .input_to_hidden = options.input_to_hidden,
                                           .hidden_scale = options.hidden_scale,
                                           .open_gates = options.open_gates},
                     random);
  register_at(*this, stage.options().path, step.transformed.ptr());
  if (options.train_inputs) return;
  for (auto& parameter : step.transformed->parameters())
    parameter.set_requires_grad(parameter.is_same(step.transformed->weight_h));
}

/// Makes the step a copy of the stage.
void RecurrentBackbone::add_feedforward(const Stage& stage, Step& step, bool draws_output,
                                        Random& random) {
  step.feedforward.emplace(*this, stage.options());
  step.feedforward->copy_values(stage);
  step.feedforward->fix_statistics();
  step.output_drawn = draws_output;
  if (draws_output) draw_output_layer(step.feedforward->parts.back().map, random);
}

/// Adds the recurrent layers of the traditional baseline, with random weights.
void RecurrentBackbone::append_traditional(const TransformOptions& options, std::int64_t width,
                                           Random& random) {
  for (std::int64_t k = 0; k < options.appended; ++k) {
    Step step{.name = fmt::format("rnn{}", k + 1)};
    step.appended =
        register_module(step.name, RecurrentLayer(RecurrentLayerOptions(width, width)
                                                      .cell(options.cell)
                                                      .hidden_scale(options.hidden_scale)
                                                      .forget_bias(options.forget_bias),
                                                  random));
    steps_.push_back(std::move(step));
  }
}

/// Runs the network. `see` is called at every recurrent step with its input [B, T, ...].
template <typename See>
Tensor RecurrentBackbone::walk(const Tensor& x, See see, bool follows) {
  if (x.dim() < 3)
    throw Error(fmt::format("recurrent network: x is {}", c10::str(x.sizes())),
                "give x as [B, T, ...], the frames of clips");
  const std::vector<std::int64_t> clips{x.size(0), x.size(1)};
  // Feedforward stages see each frame separately: frames are folded into the batch.
  auto y = x.flatten(0, 1);
  // 2-D convolutions are faster channels-last.
  if (y.dim() == 4) y = y.contiguous(at::MemoryFormat::ChannelsLast);
  for (auto& step : steps_) {
    // Dropout acts on the input of recurrent and fully connected stages.
    const bool drops = dropout_ > 0 && is_training() &&
                       (!step.feedforward || step.feedforward->options().kind == Kind::Linear);
    if (drops) y = apply_dropout(y.unflatten(0, clips)).flatten(0, 1);
    if (step.feedforward) {
      y = step.feedforward->forward(y);
      continue;
    }
    // Recurrent stages see clips again. A traditional layer takes vectors, not maps.
    const auto of_clips = (step.appended ? y.flatten(1) : y).unflatten(0, clips);
    see(step, of_clips);
    Tensor mask;
    if (drops && step.transformed) mask = draw_state_mask(step, clips[0]);
    y = run_recurrent_step(step, of_clips, follows, mask).flatten(0, 1);
  }
  return y.unflatten(0, clips);
}

Tensor RecurrentBackbone::run_recurrent_step(Step& step, const Tensor& of_clips, bool follows,
                                             const Tensor& mask) {
  // follow() continues the stream from the step's state; forward() starts every clip at zero.
  if (step.appended)
    return follows ? step.appended->follow(of_clips, step.state) : step.appended->forward(of_clips);
  return follows ? step.transformed->follow(of_clips, step.state)
                 : step.transformed->forward(of_clips, mask);
}

Tensor RecurrentBackbone::follow(const Tensor& x) {
  const torch::NoGradGuard no_gradient;
  return walk(
      x, [](Step&, const Tensor&) {}, /*follows=*/true);
}

/// Applies dropout with masks from torch's default generator, which the training loop seeds.
Tensor RecurrentBackbone::apply_dropout(const Tensor& of_clips) const {
  auto sizes = of_clips.sizes().vec();
  // One mask for all steps of a clip: the dimension of time broadcasts.
  if (mask_ == DropoutMask::Sequence) sizes[1] = 1;
  return of_clips * at::dropout(torch::ones(sizes, of_clips.options().requires_grad(false)),
                                dropout_, /*train=*/true);
}

/// Draws the mask of the previous state, [clips, n]; undefined for DropoutMask::Step.
Tensor RecurrentBackbone::draw_state_mask(const Step& step, std::int64_t clips) const {
  if (mask_ == DropoutMask::Step) return {};
  const auto& weight = step.transformed->weight_h;
  return at::dropout(torch::ones({clips, weight.size(1)}, weight.options().requires_grad(false)),
                     dropout_, /*train=*/true);
}

std::vector<Tensor> RecurrentBackbone::untrained_parameters() const {
  std::vector<Tensor> parameters;
  for (const auto& step : steps_) {
    if (step.transformed) parameters.push_back(step.transformed->weight_h);
    if (step.appended)
      for (const auto& parameter : step.appended->parameters()) parameters.push_back(parameter);
    // A drawn output layer is untrained as well.
    if (!step.output_drawn) continue;
    const auto& map = step.feedforward->parts.back().map;
    parameters.push_back(map->weight);
    if (map->bias.defined()) parameters.push_back(map->bias);
  }
  return parameters;
}

std::int64_t RecurrentBackbone::recurrent_parameters(std::int64_t features,
                                                     std::int64_t width) const {
  std::int64_t count = 0;
  for (const auto& step : steps_) {
    // A convolution counts its own weights; the caller's sizes are those of fully connected layers.
    if (step.transformed && step.transformed->weight_x.dim() > 2) {
      count += step.transformed->added_parameters();
    } else if (step.transformed) {
      const auto& o = step.transformed->options();
      count +=
          added_parameters(o.cell, o.input_to_hidden, step.first_linear ? features : width, width);
    }
    if (step.appended)
      count += traditional_parameters(step.appended->options().cell(), width, width);
  }
  return count;
}

std::map<std::string, Tensor> RecurrentBackbone::gates(const Tensor& x) {
  const torch::NoGradGuard no_gradient;
  std::map<std::string, Tensor> found;
  walk(x, [&](Step& step, const Tensor& seen) {
    const auto cell =
        step.appended ? step.appended->options().cell() : step.transformed->options().cell;
    const auto activations =
        step.appended ? step.appended->gates(seen) : step.transformed->gates(seen);
    for (std::size_t g = 0; g < activations.size(); ++g)
      found[step.name + "." + gate_names(cell)[g]] = activations[g];
  });
  return found;
}

}  // namespace

void draw_output_layer(LinearMap& layer, Random& random) {
  const torch::NoGradGuard no_gradient;
  const auto bound = 1 / std::sqrt(static_cast<double>(layer->weight.size(1)));
  // Values are drawn in memory order, whatever the layout of the layer's own weights.
  auto weight = torch::empty_like(layer->weight).contiguous();
  auto* values = weight.data_ptr<float>();
  for (std::int64_t i = 0; i < weight.numel(); ++i)
    values[i] = static_cast<float>(random.uniform(-bound, bound));
  layer->weight.copy_(weight);
  if (layer->bias.defined()) layer->bias.zero_();
}

std::vector<std::string> transformable_layers(const Backbone& network) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < network->stages().size(); ++i)
    if (find_obstacle(network->stages(), i).empty())
      names.push_back(network->stages()[i].options().name);
  return names;
}

std::unique_ptr<training::SequenceNetwork> transform(const Backbone& trained,
                                                     const TransformOptions& options,
                                                     Random& random) {
  return std::make_unique<RecurrentBackbone>(trained, options, random);
}

}  // namespace reprise::models
