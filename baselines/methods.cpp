#include "baselines/methods.h"

#include <fmt/format.h>

#include "models/recurrent/recurrent_backbone.h"

namespace reprise::baselines {
namespace {

using models::Backbone;
using models::Method;
using models::MethodStart;
using models::MethodTraits;
using models::RecurrentCell;
using models::transform;

/// The trained network with its output layer, frame by frame.
Method plain_cnn() {
  const MethodTraits traits{.kind = MethodTraits::Kind::Plain};
  return {.info = {.id = "cnn",
                   .title = "CNN",
                   .role = training::Role::Control,
                   .source = "the network that all methods start from, fine-tuned like them",
                   .cost = models::describe_cost(traits)},
          .traits = traits,
          .make = [](const Backbone& trained, const MethodStart& start, Random& random) {
            return transform(
                trained, {.dropout = start.dropout, .features_of = models::features_layer(trained)},
                random);
          }};
}

/// A traditional RNN: random recurrent layers on fc7.
Method traditional(RecurrentCell cell, int layers) {
  const MethodTraits traits{
      .kind = MethodTraits::Kind::Traditional, .cell = cell, .appended = layers};
  return {
      .info = {.id = fmt::format("trad_{}_{}", models::cell_name(cell), layers),
               .title = fmt::format("{} {} layer{}", models::cell_title(cell), layers,
                                    layers > 1 ? "s" : ""),
               .role = training::Role::Baseline,
               .source = "figure 1C, table 1",
               .cost = models::describe_cost(traits)},
      .traits = traits,
      .make =
          [=](const Backbone& trained, const MethodStart& start, Random& random) {
            return transform(trained,
                             {.cell = cell,
                              .hidden_scale = start.hidden_scale,
                              .dropout = start.dropout,
                              .draw_output = start.draw_output,
                              .appended = layers,
                              .forget_bias = start.forget_bias,
                              .features_of = models::features_layer(trained)},
                             random);
          },
  };
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      plain_cnn(),
      traditional(RecurrentCell::Vrnn, 1),
      traditional(RecurrentCell::Vrnn, 2),
      traditional(RecurrentCell::Lstm, 1),
      traditional(RecurrentCell::Lstm, 2),
      traditional(RecurrentCell::Gru, 1),
      traditional(RecurrentCell::Gru, 2),
  };
  return all;
}

}  // namespace reprise::baselines
