#include "models/methods.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"
#include "core/text.h"
#include "models/recurrent/recurrent_backbone.h"

namespace reprise::models {
namespace {

using Kind = MethodFacts::Kind;

/// The layers of a method, and what they are called in its id and its title.
struct Place {
  std::string id, title;
  std::vector<Layer> layers;
};

const Place fc6{"fc6", "fc6", {Layer::Fc6}}, fc7{"fc7", "fc7", {Layer::Fc7}},
    fc67{"fc67", "fc6/7", {Layer::Fc6, Layer::Fc7}};
const Place convolution{"conv", "conv", {Layer::LastConvolution}};

/// The document's equations of a PreRNN.
std::string equations(Cell cell, InputToHidden sharing, const Place& place) {
  const bool shared = sharing == InputToHidden::Shared;
  switch (cell) {
    case Cell::Vrnn:
      return place.layers.front() == Layer::LastConvolution ? "eq 6" : "eq 5";
    case Cell::Lstm:
      return shared ? "eq 10, 11" : "eq 7, 8";
    case Cell::Gru:
      return shared ? "eq 10, 12" : "eq 7, 9";
    case Cell::Elman:
    case Cell::Linear:
      break;
  }
  throw Error(fmt::format("document prernn has no {}", cell_title(cell)),
              "take a cell of document_cells()");
}

std::string layer_in(const Backbone& network, Layer layer) {
  return layer == Layer::LastConvolution ? transformable_layers(network).back()
                                         : std::string(name_of(layer));
}

Method pre_rnn(Cell cell, InputToHidden sharing, const Place& place, bool train_inputs) {
  const MethodFacts facts{.kind = Kind::PreRnn,
                          .cell = cell,
                          .layers = place.layers,
                          .input_to_hidden = sharing,
                          .train_inputs = train_inputs};
  const bool shared = sharing == InputToHidden::Shared;
  return {
      .info = {.id = fmt::format("{}_{}_{}",
                                 !train_inputs ? "wh"
                                 : shared      ? "sih"
                                               : "pre",
                                 cell_name(cell), place.id),
               .title = fmt::format("{}{} {}{}", shared ? "SIH-" : "Pre", cell_title(cell),
                                    place.title, train_inputs ? "" : ", W_x fixed"),
               .role = train_inputs ? training::Role::Document : training::Role::Ablation,
               .source =
                   equations(cell, sharing, place) + (train_inputs ? "; claim 3" : "; claim 2"),
               .cost = cost_in_words(facts)},
      .facts = facts,
      .make =
          [facts](const Backbone& trained, const MethodStart& start, Random& random) {
            TransformOptions options{.cell = *facts.cell,
                                     .input_to_hidden = facts.input_to_hidden,
                                     .hidden_scale = start.hidden_scale,
                                     .train_inputs = facts.train_inputs,
                                     .dropout = start.dropout,
                                     .draw_output = start.draw_output,
                                     .features_of = features_layer(trained)};
            for (const auto layer : facts.layers)
              options.layers.push_back(layer_in(trained, layer));
            return transform(trained, options, random);
          },
  };
}

std::vector<Method> at(const std::vector<Place>& places) {
  std::vector<Method> all;
  for (const auto sharing : {InputToHidden::PerGate, InputToHidden::Shared})
    for (const auto cell : document_cells()) {
      if (gate_names(cell).size() == 1 && sharing == InputToHidden::Shared)
        continue;  // nothing to share
      for (const auto& place : places)
        all.push_back(pre_rnn(cell, sharing, place, /*train_inputs=*/true));
    }
  for (const auto cell : document_cells())
    all.push_back(pre_rnn(cell, InputToHidden::PerGate, places.front(), /*train_inputs=*/false));
  return all;
}

std::string counted(std::size_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace

LinearMap start_output_layer(const Backbone& trained, const MethodStart& start, Random& random) {
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
  if (first == 0)
    throw UsageError("this network has no layer that could be made recurrent behind another one",
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

/// Error: a method of that kind has none.
Cell cell_of(const MethodFacts& facts) {
  if (!facts.cell)
    throw Error("a method that has no recurrent cell was asked for it",
                "give its facts a cell, or Kind::Plain or Own");
  return *facts.cell;
}

std::string facts_in_words(const MethodFacts& facts) {
  std::string words;
  if (facts.kind == Kind::Plain) words = "each frame by itself";
  if (facts.kind == Kind::Own) words = "a network of its own";
  if (facts.kind == Kind::Traditional)
    words = fmt::format(
        "{} before the output layer",
        counted(facts.recurrent_layers(), fmt::format("new {} layer", cell_title(cell_of(facts)))));
  if (facts.kind == Kind::PreRnn) {
    std::vector<std::string> layers;
    for (const auto layer : facts.layers) layers.emplace_back(name_of(layer));
    words = fmt::format("{} at {}", cell_title(cell_of(facts)), join(layers, " and "));
    if (gate_names(cell_of(facts)).size() > 1)
      words += facts.input_to_hidden == InputToHidden::Shared ? ", one input product for all gates"
                                                              : ", an input product per gate";
    if (!facts.train_inputs) words += ", input weights as they were trained";
  }
  return facts.causal ? words : words + ", sees frames to come";
}

std::string cost_in_words(const MethodFacts& facts) {
  if (facts.kind == Kind::Own) return "its own";
  if (facts.kind == Kind::Plain) return "as much as the CNN";
  const auto gates = gate_names(cell_of(facts)).size();
  const auto inputs = facts.input_to_hidden == InputToHidden::Shared ? 1 : gates;
  const auto replaced =
      facts.kind == Kind::PreRnn ? 1U : 0U;  // the product of the layer that became recurrent
  return counted(facts.recurrent_layers() * (inputs - replaced + gates), "matrix product") +
         " per frame more than the CNN";
}

const std::vector<Method>& methods() {
  static const auto all = at({fc6, fc7, fc67});
  return all;
}

const std::vector<Method>& convolutional_methods() {
  static const auto all = at({convolution});
  return all;
}

const std::vector<Cell>& document_cells() {
  static const std::vector<Cell> all{Cell::Vrnn, Cell::Lstm, Cell::Gru};
  return all;
}

std::string_view cell_name(Cell cell) {
  switch (cell) {
    case Cell::Vrnn:
      return "vrnn";
    case Cell::Elman:
      return "elman";
    case Cell::Linear:
      return "linear";
    case Cell::Lstm:
      return "lstm";
    case Cell::Gru:
      return "gru";
  }
  return "";
}

std::string_view cell_title(Cell cell) {
  switch (cell) {
    case Cell::Vrnn:
      return "VRNN";
    case Cell::Elman:
      return "RNN";
    case Cell::Linear:
      return "linear RNN";
    case Cell::Lstm:
      return "LSTM";
    case Cell::Gru:
      return "GRU";
  }
  return "";
}

}  // namespace reprise::models
