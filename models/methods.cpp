#include "models/methods.h"

#include <fmt/format.h>

#include "core/error.h"
#include "models/recurrent/recurrent_backbone.h"

namespace reprise::models {
namespace {

const std::vector<Cell> cells{Cell::Vrnn, Cell::Lstm, Cell::Gru};

/// A place to transform. No names: the last layer that can be.
struct Place {
  std::string name, title;
  std::vector<std::string> layers;
};

const Place fc6{"fc6", "fc6", {"fc6"}}, fc7{"fc7", "fc7", {"fc7"}}, fc67{"fc67", "fc6/7", {"fc6", "fc7"}};
const Place convolution{"conv", "conv", {}};

Method pre_rnn(Cell cell, InputToHidden sharing, const Place& place, bool train_inputs) {
  const std::string prefix = !train_inputs ? "wh" : sharing == InputToHidden::Shared ? "sih" : "pre";
  return {
      .name = fmt::format("{}_{}_{}", prefix, cell_name(cell), place.name),
      .title = fmt::format("{}{} {}{}", prefix == "sih" ? "SIH-" : "Pre", cell_title(cell), place.title, train_inputs ? "" : ", W_x fixed"),
      .make =
          [=](const Backbone& trained, Random& random) {
            const auto layers = place.layers.empty() ? std::vector{transformable_layers(trained).back()} : place.layers;
            return transform(trained,
                             {.layers = layers,
                              .cell = cell,
                              .input_to_hidden = sharing,
                              .train_inputs = train_inputs,
                              .features_of = features_layer(trained)},
                             random);
          },
  };
}

std::vector<Method> at(const std::vector<Place>& places) {
  std::vector<Method> all;
  for (const auto sharing : {InputToHidden::PerGate, InputToHidden::Shared})
    for (const auto cell : cells) {
      if (cell == Cell::Vrnn && sharing == InputToHidden::Shared) continue;  // one gate: nothing to share
      for (const auto& place : places) all.push_back(pre_rnn(cell, sharing, place, /*train_inputs=*/true));
    }
  for (const auto cell : cells) all.push_back(pre_rnn(cell, InputToHidden::PerGate, places.front(), /*train_inputs=*/false));
  return all;
}

}  // namespace

std::string features_layer(const Backbone& network) {
  const auto transformable = transformable_layers(network);
  const auto first = transformable.empty() ? 0 : network->index_of(transformable.front());
  if (first == 0)
    throw UsageError("this network has no layer that could be made recurrent behind another one", "give a network with a trunk");
  return network->stages()[first - 1].options().name;
}

const std::vector<Method>& methods() {
  static const auto all = at({fc6, fc7, fc67});
  return all;
}

const std::vector<Method>& convolutional_methods() {
  static const auto all = at({convolution});
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
