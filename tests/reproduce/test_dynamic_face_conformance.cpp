// Networks of study dynamic_face in the suite of the sequence contract, and properties of the
// study's registry.
#include "experiments/run/runner.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/study.h"
#include "tests/sequence_contract.h"

namespace reprise::testing_contracts {
namespace {

using reproduce::dynamic_face_study::frame_networks;
using reproduce::dynamic_face_study::Method;
using reproduce::dynamic_face_study::methods;
using training::Role;

const reproduce::Settings& settings() {
  static const auto all = reproduce::settings_of(reproduce::dynamic_face(), {.profile = "smoke"});
  return all;
}

/// Returns fc6, fc7 and a pose output behind a trunk with 12 features per frame.
models::Backbone trained_network() {
  Random random(1);
  auto network = models::make_small_network({.size = 4,
                                             .trunk = "3 p",
                                             .width = 16,
                                             .activation = models::Activation::Tanh,
                                             .outputs = 3},
                                            random);
  network->eval();
  return network;
}

/// Lists the cases. Methods on frames are methods on features behind a trunk.
std::vector<SequenceCase> cases() {
  std::vector<SequenceCase> all;
  for (const auto& method : methods())
    if (method.make && method.sees != Method::Sees::Frames)
      all.push_back({.name = method.info.id,
                     .make =
                         [&method](Random& random) {
                           return method.make(trained_network(), settings(), 0.1, random);
                         },
                     .input = {method.sees == Method::Sees::Estimates ? 3 : 12},
                     .outputs = 3,
                     .recurs = method.cell.has_value()});
  return all;
}

INSTANTIATE_TEST_SUITE_P(DynamicFace, SequenceContract, testing::ValuesIn(cases()), name_of_case);

TEST(DynamicFaceRegistry, EveryMethodIsAFilterANetworkOrThePerFrameOneItself) {
  std::set<std::string> ids;
  for (const auto& method : methods())
    EXPECT_TRUE(ids.insert(method.info.id).second) << method.info.id;
  for (const auto& method : methods()) {
    EXPECT_FALSE(method.filter && method.make) << method.info.id;
    if (method.filter) EXPECT_TRUE(ids.contains(method.filter->of)) << method.info.id;
    if (!method.searched_as.empty())
      EXPECT_TRUE(ids.contains(method.searched_as)) << method.info.id;
    if (method.cell)
      EXPECT_TRUE(method.make) << method.info.id << ": a recurrent layer that nobody makes";
    for (const auto& text : {method.info.title, method.info.source, method.info.cost})
      EXPECT_NE(text, "") << method.info.id;
  }
}

// Scripts start from the trained output layer here (external.cpp), whatever its name, like the
// study's own methods.
TEST(DynamicFaceRegistry, MethodsOnFeaturesStartFromTheTrainedOutputLayerButTheOneOfRandomLayers) {
  for (const auto& method : methods()) {
    if (!method.make || method.sees != Method::Sees::Features) continue;
    const auto first_outputs = [&](double times) {
      auto trained = trained_network();
      const torch::NoGradGuard no_gradient;
      trained->stages().back().parts.back().map->weight.mul_(times);
      Random random(2);
      const auto network = method.make(trained, settings(), 0, random);
      network->eval();
      return network->forward(uniform({2, 3, 12}, 15));
    };
    EXPECT_EQ(first_outputs(1).equal(first_outputs(2)), method.info.id == "fc_gru_random")
        << method.info.id;
  }
}

TEST(DynamicFaceRegistry, EveryAblationHasTheMethodThatItChanges) {
  for (const auto& method : methods())
    if (method.info.role == Role::Ablation && !method.searched_as.empty())
      EXPECT_NE(method.searched_as, method.info.id);
  for (const auto& network : frame_networks())
    EXPECT_NO_THROW(reproduce::dynamic_face_study::frame_network(network.name));
}

}  // namespace
}  // namespace reprise::testing_contracts
