// Registered sequence estimators (models/methods.h) as cases of the suite in tests/sequence_contract.h.
#pragma once
#include "models/backbones/known_backbones.h"
#include "models/methods.h"
#include "tests/sequence_contract.h"

namespace reprise::testing_contracts {

inline constexpr std::int64_t outputs = 6;
/// Of both networks below: 12 values a frame.
inline const std::vector<std::int64_t> features{3, 2, 2};

inline bool is_convolutional(const models::MethodTraits& traits) {
  return traits.layers == std::vector{models::Layer::LastConvolution};
}

/// With fc6 and fc7, or with a last convolution and global average pooling.
inline models::Backbone trained_network(bool convolutional) {
  Random random(1);
  auto network = models::make_small_network({.size = 4,
                                             .trunk = convolutional ? "3 p 16" : "3 p",
                                             .width = convolutional ? 0 : 16,
                                             .outputs = outputs},
                                            random);
  network->eval();
  return network;
}

/// The same but for its output layer, whose weights are these times the trained ones.
inline models::Backbone network_with_output(bool convolutional, double times) {
  auto network = trained_network(convolutional);
  const torch::NoGradGuard no_gradient;
  network->stages().back().parts.back().map->weight.mul_(times);
  return network;
}

inline SequenceCase case_of(const models::Method& method) {
  return {.name = method.info.id,
          .make =
              [method](Random& random) {
                return method.make(trained_network(is_convolutional(method.traits)), {}, random);
              },
          .input = features,
          .outputs = outputs,
          .causal = method.traits.causal,
          .recurs = method.traits.recurs()};
}

/// What is wrong with the output layer that a method starts with; "" where it is as MethodStart says. By what the method computes, so that
/// no layer's name decides: first outputs depend on the trained output layer, or they do not.
inline std::string start_fault(const models::Method& method) {
  struct First {
    torch::Tensor outputs;
    std::size_t fresh = 0;
  };
  const auto first = [&](bool draw_output, double times) {
    Random random(2);
    const auto network = method.make(network_with_output(is_convolutional(method.traits), times),
                                     {.draw_output = draw_output}, random);
    network->eval();
    return First{network->forward(uniform({2, 3, 3, 2, 2}, 15)),
                 network->untrained_parameters().size()};
  };
  const auto follows = [&](bool draw_output) {
    return !first(draw_output, 1).outputs.equal(first(draw_output, 2).outputs);
  };
  if (!follows(false))
    return "does not start from the trained output layer where all methods keep it";
  if (method.traits.kind == models::MethodTraits::Kind::Plain)
    return follows(true) ? "" : "the plain network draws its output layer";
  if (follows(true)) return "starts from the trained output layer where all methods draw theirs";
  return first(true, 1).fresh > first(false, 1).fresh
             ? ""
             : "its drawn output layer is not among untrained_parameters()";
}

}  // namespace reprise::testing_contracts
