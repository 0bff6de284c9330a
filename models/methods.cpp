#include "models/methods.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"
#include "core/text.h"
#include "models/recurrent/recurrent_backbone.h"

namespace reprise::models {
namespace {

using Kind = MethodTraits::Kind;

/// Layers of a method, with their names in its id and title.
struct LayerSet {
  std::string id, title;
  std::vector<Layer> layers;
};

const LayerSet fc6{"fc6", "fc6", {Layer::Fc6}};
const LayerSet fc7{"fc7", "fc7", {Layer::Fc7}};
const LayerSet fc67{"fc67", "fc6/7", {Layer::Fc6, Layer::Fc7}};
const LayerSet convolution{"conv", "conv", {Layer::LastConvolution}};

/// Names the document's equations of a PreRNN.
std::string equations(RecurrentCell cell, InputToHidden sharing, const LayerSet& place) {
  const bool shared = sharing == InputToHidden::Shared;
  switch (cell) {
    case RecurrentCell::Vrnn:
      return place.layers.front() == Layer::LastConvolution ? "eq 6" : "eq 5";
    case RecurrentCell::Lstm:
      return shared ? "eq 10, 11" : "eq 7, 8";
    case RecurrentCell::Gru:
      return shared ? "eq 10, 12" : "eq 7, 9";
    case RecurrentCell::Elman:
    case RecurrentCell::Linear:
      break;
  }
  throw Error(fmt::format("document prernn has no {}", cell_title(cell)),
              "take a cell of document_cells()");
}

/// Returns the name of a layer in a network.
std::string layer_in(const Backbone& network, Layer layer) {
  return layer == Layer::LastConvolution ? transformable_layers(network).back()
                                         : std::string(name_of(layer));
}

/// Returns the prefix of a method's id.
std::string id_prefix(bool shared, bool train_inputs) {
  if (!train_inputs) return "wh";
  return shared ? "sih" : "pre";
}

/// Makes PreRNN, SIH ("sih_") or PreRNN with fixed W_x ("wh_").
Method pre_rnn(RecurrentCell cell, InputToHidden sharing, const LayerSet& place,
               bool train_inputs) {
  const MethodTraits traits{.kind = Kind::PreRnn,
                            .cell = cell,
                            .layers = place.layers,
                            .input_to_hidden = sharing,
                            .train_inputs = train_inputs};
  const bool shared = sharing == InputToHidden::Shared;
  return {
      .info = {.id = fmt::format("{}_{}_{}", id_prefix(shared, train_inputs), cell_name(cell),
                                 place.id),
               .title = fmt::format("{}{} {}{}", shared ? "SIH-" : "Pre", cell_title(cell),
                                    place.title, train_inputs ? "" : ", W_x fixed"),
               .role = train_inputs ? training::Role::Document : training::Role::Ablation,
               .source =
                   equations(cell, sharing, place) + (train_inputs ? "; claim 3" : "; claim 2"),
               .cost = describe_cost(traits)},
      .traits = traits,
      .make =
          [traits](const Backbone& trained, const MethodStart& start, Random& random) {
            TransformOptions options{.cell = *traits.cell,
                                     .input_to_hidden = traits.input_to_hidden,
                                     .hidden_scale = start.hidden_scale,
                                     .train_inputs = traits.train_inputs,
                                     .dropout = start.dropout,
                                     .draw_output = start.draw_output,
                                     .features_of = features_layer(trained)};
            for (const auto layer : traits.layers)
              options.layers.push_back(layer_in(trained, layer));
            return transform(trained, options, random);
          },
  };
}

/// Lists all cells, shared and per gate, at all places; then W_h only, at the first place.
std::vector<Method> make_methods(const std::vector<LayerSet>& places) {
  std::vector<Method> all;
  for (const auto sharing : {InputToHidden::PerGate, InputToHidden::Shared})
    for (const auto cell : document_cells()) {
      // SIH shares the product of several gates; a VRNN has one.
      if (gate_names(cell).size() == 1 && sharing == InputToHidden::Shared) continue;
      for (const auto& place : places)
        all.push_back(pre_rnn(cell, sharing, place, /*train_inputs=*/true));
    }
  for (const auto cell : document_cells())
    all.push_back(pre_rnn(cell, InputToHidden::PerGate, places.front(), /*train_inputs=*/false));
  return all;
}

std::string format_count(std::size_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace

LinearMap start_output_layer(const Backbone& trained, const MethodStart& start, Random& random) {
  // A copy, so that training the method leaves the CNN unchanged.
  const auto& map = trained->stages().back().parts.back().map;
  LinearMap layer(map->weight.size(1), map->weight.size(0), map->window(), map->bias.defined());
  const torch::NoGradGuard no_gradient;
  layer->weight.copy_(map->weight);
  if (map->bias.defined()) layer->bias.copy_(map->bias);
  if (start.draw_output) draw_output_layer(layer, random);
  return layer;
}

std::string features_layer(const Backbone& network) {
  const auto transformable = transformable_layers(network);
  const auto first = transformable.empty() ? 0 : network->index_of(transformable.front());
  // Features are the output of the layer before it, so there must be one.
  if (first == 0)
    throw UsageError("this network has no layer after its first one that can be made recurrent",
                     "give a network with a trunk");
  return network->stages()[first - 1].options().name;
}

std::string_view name_of(Layer layer) {
  switch (layer) {
    case Layer::Fc6:
      return "fc6";
    case Layer::Fc7:
      return "fc7";
    case Layer::LastConvolution:
      return "conv";
  }
  return "";
}

/// Returns the cell of a method. Error: the method has none.
RecurrentCell require_cell(const MethodTraits& traits) {
  if (!traits.cell)
    throw Error("this method has no recurrent cell",
                "give its traits a cell, or Kind::Plain or Own");
  return *traits.cell;
}

std::string describe_traits(const MethodTraits& traits) {
  std::string words;
  if (traits.kind == Kind::Plain) words = "each frame by itself";
  if (traits.kind == Kind::Own) words = "a network of its own";
  if (traits.kind == Kind::Traditional)
    words =
        fmt::format("{} before the output layer",
                    format_count(traits.recurrent_layers(),
                                 fmt::format("new {} layer", cell_title(require_cell(traits)))));
  if (traits.kind == Kind::PreRnn) {
    std::vector<std::string> layers;
    for (const auto layer : traits.layers) layers.emplace_back(name_of(layer));
    words = fmt::format("{} at {}", cell_title(require_cell(traits)), join(layers, " and "));
    if (gate_names(require_cell(traits)).size() > 1)
      words += traits.input_to_hidden == InputToHidden::Shared ? ", one input product for all gates"
                                                               : ", an input product per gate";
    if (!traits.train_inputs) words += ", input weights as they were trained";
  }
  return traits.causal ? words : words + ", sees frames to come";
}

std::string describe_cost(const MethodTraits& traits) {
  if (traits.kind == Kind::Own) return "its own";
  if (traits.kind == Kind::Plain) return "as much as the CNN";
  const auto gates = gate_names(require_cell(traits)).size();
  // Products per layer: of the input, one or one per gate, and of the hidden state per gate.
  const auto inputs = traits.input_to_hidden == InputToHidden::Shared ? 1 : gates;
  // A recurrent layer replaces the product of the trained layer.
  const auto replaced = traits.kind == Kind::PreRnn ? 1U : 0U;
  return format_count(traits.recurrent_layers() * (inputs - replaced + gates), "matrix product") +
         " per frame more than the CNN";
}

const std::vector<Method>& methods() {
  static const auto all = make_methods({fc6, fc7, fc67});
  return all;
}

const std::vector<Method>& convolutional_methods() {
  static const auto all = make_methods({convolution});
  return all;
}

const std::vector<RecurrentCell>& document_cells() {
  static const std::vector<RecurrentCell> all{RecurrentCell::Vrnn, RecurrentCell::Lstm,
                                              RecurrentCell::Gru};
  return all;
}

std::string_view cell_name(RecurrentCell cell) {
  switch (cell) {
    case RecurrentCell::Vrnn:
      return "vrnn";
    case RecurrentCell::Elman:
      return "elman";
    case RecurrentCell::Linear:
      return "linear";
    case RecurrentCell::Lstm:
      return "lstm";
    case RecurrentCell::Gru:
      return "gru";
  }
  return "";
}

std::string_view cell_title(RecurrentCell cell) {
  switch (cell) {
    case RecurrentCell::Vrnn:
      return "VRNN";
    case RecurrentCell::Elman:
      return "RNN";
    case RecurrentCell::Linear:
      return "linear RNN";
    case RecurrentCell::Lstm:
      return "LSTM";
    case RecurrentCell::Gru:
      return "GRU";
  }
  return "";
}

}  // namespace reprise::models
