#include "models/recurrent/recurrent_backbone.h"
#include "tests/models/networks.h"
#include "tests/support.h"

namespace reprise::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using torch::Tensor;

constexpr double rounding = 2e-5;

Tensor clips(std::uint64_t seed, std::int64_t steps = 3) {
  return normal_values({2, steps, 2, 16, 16}, seed);
}

auto transformed(const Backbone& network, const TransformOptions& options) {
  Random random(4);
  return transform(network, options, random);
}

/// The trained network on each frame.
Tensor frame_by_frame(const Backbone& network, const Tensor& x) {
  const std::vector<std::int64_t> clips{x.size(0), x.size(1)};
  return network.ptr()->forward(x.flatten(0, 1)).unflatten(0, clips);
}

TEST(Transform, WithoutLayersItIsTheTrainedNetworkOnEachFrame) {
  for (const std::int64_t width : {0, 12}) {
    const auto network = tiny_network(width);
    const auto x = clips(1);
    EXPECT_LT(largest(transformed(network, {})->forward(x) - frame_by_frame(network, x)), rounding);
  }
}

TEST(Transform, PreVrnnAtFullyConnectedLayersWithoutHiddenWeightsIsTheTrainedNetwork) {
  const auto network = tiny_network(12);
  const auto x = clips(2);
  const auto recurrent = transformed(
      network, {.layers = {"fc6", "fc7"}, .cell = RecurrentCell::Vrnn, .hidden_scale = 0});
  EXPECT_LT(largest(recurrent->forward(x) - frame_by_frame(network, x)), rounding);
}

// W_ho of the document: the output layer alone is another one, and it is among what learns from
// nothing.
TEST(Transform, ADrawnOutputLayerIsNewAndNothingElseIs) {
  const auto network = tiny_network(12);
  const auto kept = transformed(network, {.layers = {"fc6"}, .cell = RecurrentCell::Gru});
  const auto drawn =
      transformed(network, {.layers = {"fc6"}, .cell = RecurrentCell::Gru, .draw_output = true});
  const auto before = kept->named_parameters(), after = drawn->named_parameters();
  const auto& trained_output = network->stages().back().parts.back().map;
  for (const auto& parameter : before) {
    const auto& other = after[parameter.key()];
    const bool output = parameter.value().sizes() == trained_output->weight.sizes() ||
                        parameter.value().sizes() == trained_output->bias.sizes();
    if (!output && parameter.key().find("weight_h") == std::string::npos)
      EXPECT_TRUE(other.equal(parameter.value())) << parameter.key();
    if (parameter.value().equal(trained_output->weight)) {
      EXPECT_FALSE(other.equal(parameter.value()));
      EXPECT_LE(other.abs().max().item<double>(), 1 / std::sqrt(12.0));
    }
    if (parameter.value().equal(trained_output->bias))
      EXPECT_EQ(other.abs().max().item<double>(), 0);
  }
  EXPECT_EQ(drawn->untrained_parameters().size(), kept->untrained_parameters().size() + 2);
}

TEST(Transform, AForgetGateStartsAsAsked) {
  const auto network = tiny_network(12);
  for (const double bias : {0.0, 1.0}) {
    const auto traditional =
        transformed(network, {.cell = RecurrentCell::Lstm, .appended = 1, .forget_bias = bias});
    const auto gates = traditional->named_parameters()["rnn1.bias"].view({4, -1});
    EXPECT_EQ(gates[1].min().item<double>(), bias);
    EXPECT_EQ(gates.sum().item<double>(), bias * 12);
  }
}

TEST(Transform, ElmanAtTanhLayersWithoutHiddenWeightsIsTheTrainedNetwork) {
  const auto network = tiny_network(12, 0, Activation::Tanh);
  const auto x = clips(2);
  const auto recurrent = transformed(
      network, {.layers = {"fc6", "fc7"}, .cell = RecurrentCell::Elman, .hidden_scale = 0});
  EXPECT_LT(largest(recurrent->forward(x) - frame_by_frame(network, x)), rounding);
}

TEST(Transform, OpenGatesStartNearTheTrainedNetworkAndCopiedGatesDoNot) {
  const auto network = tiny_network(12, 0, Activation::Tanh);
  // A clip that stands still: the state has settled at its end.
  const auto x = clips(2, 1).repeat({1, 12, 1, 1, 1});
  const auto expected = frame_by_frame(network, x).select(1, 11);
  for (const auto cell : {RecurrentCell::Gru, RecurrentCell::Lstm}) {
    const auto away = [&](bool open_gates) {
      const auto recurrent = transformed(
          network, {.layers = {"fc7"}, .cell = cell, .hidden_scale = 0, .open_gates = open_gates});
      return largest(recurrent->forward(x).select(1, 11) - expected);
    };
    if (cell == RecurrentCell::Gru) EXPECT_LT(away(true), 1e-4);
    EXPECT_LT(away(true), 0.5 * away(false)) << "cell " << static_cast<int>(cell);
  }
}

TEST(Transform, VariationalDropoutHasOneMaskForAllStepsOfAClip) {
  const auto network = tiny_network(12);
  const auto x = clips(2, 1).repeat({1, 6, 1, 1, 1});
  for (const auto mask : {DropoutMask::Sequence, DropoutMask::Step}) {
    const auto plain = transformed(network, {.dropout = 0.5, .mask = mask});
    plain->train();
    torch::manual_seed(1);
    const auto y = plain->forward(x).detach();
    EXPECT_EQ(largest(y - y.narrow(1, 0, 1)) < rounding, mask == DropoutMask::Sequence);
    EXPECT_GT(largest(y[0] - y[1]), 1e-3);
    plain->eval();
    EXPECT_LT(largest(plain->forward(x) - frame_by_frame(network, x)), rounding);
  }
}

TEST(Transform, VariationalDropoutKeepsTheMeanOverMasksSlow) {
  const auto network = tiny_network(12, 0, Activation::Tanh);
  const auto recurrent = transformed(
      network,
      {.layers = {"fc7"}, .cell = RecurrentCell::Elman, .hidden_scale = 0.3, .dropout = 0.1});
  recurrent->train();
  const auto x = clips(1, 4).repeat({4000, 1, 1, 1, 1});
  torch::manual_seed(2);
  const auto y = recurrent->forward(x).detach();
  recurrent->eval();
  const auto expected = recurrent->forward(x.narrow(0, 0, 1));
  EXPECT_LT(largest(y.mean(0) - expected[0]), 0.2 * largest(expected));
  EXPECT_THAT([&] { transformed(network, {.dropout = 1}); },
              ThrowsUsageError(HasSubstr("dropout rate of 1")));
}

TEST(Transform, ALaterFrameReachesNoEarlierOutputAndAnEarlierOneReachesAllLater) {
  for (const auto& [network, layer] : {std::pair{tiny_network(12), "fc6"},
                                       {tiny_network(12), "fc7"},
                                       {tiny_network(0), "conv3"},
                                       {tiny_residual_network(2, 8, 1), "layer1.0"}})
    for (const auto cell : {RecurrentCell::Vrnn, RecurrentCell::Lstm, RecurrentCell::Gru}) {
      const auto recurrent =
          transformed(network, {.layers = {layer}, .cell = cell, .hidden_scale = 1});
      auto x = clips(3, 4);
      const auto before = recurrent->forward(x).detach().clone();
      x.select(1, 1).add_(1);
      const auto moved = (recurrent->forward(x) - before).abs().amax({0, 2});
      EXPECT_EQ(moved[0].item<float>(), 0) << layer;
      for (int t : {1, 2, 3}) EXPECT_GT(moved[t].item<float>(), 0) << layer << " step " << t;
    }
}

TEST(Transform, FollowingAStreamFrameByFrameIsTheClip) {
  const auto network = tiny_network(12, 0, Activation::Tanh);
  const auto x = clips(3, 6);
  for (const auto cell : {RecurrentCell::Elman, RecurrentCell::Lstm, RecurrentCell::Gru})
    for (const std::int64_t appended : {0, 1}) {
      const auto layers =
          appended ? std::vector<std::string>{} : std::vector<std::string>{"fc6", "fc7"};
      const auto recurrent = transformed(
          network, {.layers = layers, .cell = cell, .hidden_scale = 1, .appended = appended});
      recurrent->eval();
      const torch::NoGradGuard no_gradient;
      const auto whole = recurrent->forward(x);
      for (int pass = 0; pass < 2; ++pass, recurrent->restart()) {
        EXPECT_LT(largest(recurrent->follow(x.slice(1, 0, 2)) - whole.slice(1, 0, 2)), rounding);
        for (int t = 2; t < 6; ++t)
          EXPECT_LT(largest(recurrent->follow(x.slice(1, t, t + 1)) - whole.slice(1, t, t + 1)),
                    rounding);
      }
      EXPECT_GT(largest(whole.select(1, 5) - recurrent->forward(x.slice(1, 5, 6)).select(1, 0)),
                1e-3)
          << "the state matters";
    }
}

TEST(Transform, OfA3DNetworkTakesClipsAsSteps) {
  const auto network = tiny_network(0, 4);
  const auto x = normal_values({2, 3, 2, 4, 16, 16}, 5);
  const auto recurrent = transformed(network, {.layers = {"conv3"}, .cell = RecurrentCell::Lstm});
  EXPECT_EQ(recurrent->forward(x).sizes(), (std::vector<std::int64_t>{2, 3, 5}));
}

TEST(Transform, OnFeaturesIsTheSameNetworkWithoutItsFirstStages) {
  const auto network = tiny_network(12);
  const auto x = clips(6);
  const TransformOptions whole{.layers = {"fc7"}, .cell = RecurrentCell::Gru},
      part{.layers = {"fc7"}, .cell = RecurrentCell::Gru, .features_of = "fc6"};
  const auto features = network.ptr()->features(x.flatten(0, 1), "fc6").unflatten(0, {2, 3});
  const auto cut = transformed(network, part);
  EXPECT_LT(largest(transformed(network, whole)->forward(x) - cut->forward(features)), rounding);
  EXPECT_FALSE(cut->named_parameters().contains("fc6.weight"));
}

TEST(Transform, NamesItsParametersAsTheTrainedNetworkDoesAndTheNewOnesByTheirLayer) {
  const auto network = tiny_network(0);
  const auto recurrent = transformed(network, {.layers = {"conv3"}, .cell = RecurrentCell::Gru});
  const auto names = recurrent->named_parameters();
  EXPECT_TRUE(names["trunk.0.weight"].equal(network->named_parameters()["trunk.0.weight"]));
  EXPECT_EQ(names["trunk.7.weight_x"].sizes(), (std::vector<std::int64_t>{3 * 8, 6, 3, 3}));
  EXPECT_EQ(names["trunk.7.weight_h"].sizes(), (std::vector<std::int64_t>{3 * 8, 8}));
  EXPECT_FALSE(names.contains("trunk.7.weight"));
}

TEST(Transform, LeavesTheTrainedNetworkAlone) {
  const auto network = tiny_network(12);
  const auto before = network.ptr()->forward(clips(7).flatten(0, 1));
  const auto recurrent = transformed(network, {.layers = {"fc6"}});
  {
    const torch::NoGradGuard no_gradient;
    for (auto& p : recurrent->parameters()) p.add_(1);
  }
  EXPECT_TRUE(before.equal(network.ptr()->forward(clips(7).flatten(0, 1))));
}

TEST(Transform, TrainingMovesNoStatistics) {
  const auto network = tiny_network(12);
  const auto recurrent = transformed(network, {.layers = {"fc6"}});
  recurrent->eval();
  const auto expected = recurrent->forward(clips(8));
  recurrent->train();
  EXPECT_TRUE(recurrent->forward(clips(8)).equal(expected));
  for (const auto& buffer : recurrent->named_buffers())
    EXPECT_TRUE(buffer.value().equal(network->named_buffers()[buffer.key()])) << buffer.key();
}

TEST(Transform, FreshParametersAreTheHiddenOnesAndAllOfAnAppendedLayer) {
  const auto network = tiny_network(12);
  EXPECT_TRUE(transformed(network, {})->untrained_parameters().empty());
  EXPECT_EQ(transformed(network, {.layers = {"fc6", "fc7"}})->untrained_parameters().size(), 2U);
  const auto traditional = transformed(network, {.cell = RecurrentCell::Gru, .appended = 2});
  EXPECT_EQ(traditional->untrained_parameters().size(), 6U);
  EXPECT_EQ(traditional->recurrent_parameters(8 * 4 * 4, 12), 2 * 3 * 2 * 12 * 12);
  EXPECT_EQ(traditional->forward(clips(9)).sizes(), (std::vector<std::int64_t>{2, 3, 5}));
}

TEST(Transform, CountsTheParametersThatRecurrenceAdds) {
  const auto fc = tiny_network(12), conv = tiny_network(0);
  EXPECT_EQ(transformed(fc, {.layers = {"fc6"}, .cell = RecurrentCell::Lstm})
                ->recurrent_parameters(8 * 4 * 4, 12),
            added_parameters(RecurrentCell::Lstm, InputToHidden::PerGate, 8 * 4 * 4, 12));
  EXPECT_EQ(transformed(conv, {.layers = {"conv3"}, .cell = RecurrentCell::Lstm})
                ->recurrent_parameters(0, 0),
            added_parameters(RecurrentCell::Lstm, InputToHidden::PerGate, 6 * 9, 8));
  EXPECT_EQ(transformed(conv, {.layers = {"conv3"},
                               .cell = RecurrentCell::Lstm,
                               .input_to_hidden = InputToHidden::Shared})
                ->recurrent_parameters(0, 0),
            4 * 8 * 8);
}

// The sizes of the document's 82 %: nothing so large has to be built to be counted.
TEST(Transform, CountsTheParametersThatRecurrenceWouldAddToVgg16) {
  const auto fc = tiny_network(12);
  const auto count = [&](InputToHidden sharing) {
    return transformed(fc,
                       {.layers = {"fc6"}, .cell = RecurrentCell::Lstm, .input_to_hidden = sharing})
        ->recurrent_parameters(25088, 4096);
  };
  EXPECT_EQ(count(InputToHidden::PerGate), 375'390'208);
  EXPECT_EQ(count(InputToHidden::Shared), 67'108'864);
  EXPECT_EQ(transformed(fc, {.layers = {"fc7"}, .cell = RecurrentCell::Gru})
                ->recurrent_parameters(25088, 4096),
            5LL * 4096 * 4096);
}

TEST(Transform, GatesAreNamedByLayer) {
  const auto recurrent = transformed(tiny_residual_network(2, 8, 1),
                                     {.layers = {"layer1.0"}, .cell = RecurrentCell::Lstm});
  const auto gates = recurrent->gates(clips(10));
  EXPECT_EQ(gates.size(), 3U);
  ASSERT_TRUE(gates.contains("layer1.0.f"));
  EXPECT_EQ(gates.at("layer1.0.f").sizes(), (std::vector<std::int64_t>{2, 3, 8}));
}

TEST(Transform, ALayerMayBeNamedByTheNameOrByThePathOfItsWeights) {
  const auto network = tiny_residual_network(2, 8, 1);
  const auto x = clips(11);
  const auto expected = transformed(network, {.layers = {"layer1.0"}})->forward(x);
  EXPECT_TRUE(transformed(network, {.layers = {"layer1.0.conv3"}})->forward(x).equal(expected));
}

TEST(Transform, SaysWhyALayerCannotBeMadeRecurrentAndWhichCan) {
  const auto refusing = [](const Backbone& network, const std::vector<std::string>& layers,
                           const std::string& features_of = "") {
    return [=] { transformed(network, {.layers = layers, .features_of = features_of}); };
  };
  const auto fc = tiny_network(12), conv = tiny_network(0);
  EXPECT_THAT(refusing(fc, {"conv3"}),
              ThrowsUsageError(HasSubstr("\"conv3\""), HasSubstr("fc6 follows"),
                               HasSubstr("name one of: fc6, fc7")));
  EXPECT_THAT(refusing(conv, {"conv2"}),
              ThrowsUsageError(HasSubstr("conv3 follows"), HasSubstr("name one of: conv3")));
  EXPECT_THAT(refusing(fc, {"pool1"}), ThrowsUsageError(HasSubstr("is a pooling")));
  EXPECT_THAT(refusing(fc, {"out"}), ThrowsUsageError(HasSubstr("is the output layer")));
  EXPECT_THAT(refusing(fc, {"fc6", "fc6"}), ThrowsUsageError(HasSubstr("named twice")));
  EXPECT_THAT(refusing(fc, {"fc6"}, "fc6"), ThrowsUsageError(HasSubstr("does not follow fc6")));
  EXPECT_THAT(refusing(fc, {}, "out"), ThrowsUsageError(HasSubstr("nothing follows layer out")));
  EXPECT_THAT(refusing(fc, {"fc5"}),
              ThrowsUsageError(HasSubstr("no layer \"fc5\""), HasSubstr("did you mean"),
                               HasSubstr("conv1, pool1")));
  EXPECT_THAT(
      [&] {
        transformed(fc, {})->forward(torch::zeros({2, 3}));
      },
      ThrowsError(HasSubstr("[2, 3]"), HasSubstr("[B, T, ...]")));
}

// Descriptions alone: no weight of these is looked at.
TEST(TransformableLayers, OfTheKnownNetworks) {
  EXPECT_THAT(transformable_layers(vgg16()), ElementsAre("fc6", "fc7"));
  EXPECT_THAT(transformable_layers(resnet50()), ElementsAre("layer4.2"));
  EXPECT_THAT(transformable_layers(c3d()), ElementsAre("fc6", "fc7"));
}

TEST(Transform, GradientsOfAWholeNetworkAgreeWithFiniteDifferences) {
  const double step = 1e-6;
  for (const auto& [network, layer] :
       {std::pair{tiny_network(0), "conv3"}, {tiny_network(12), "fc6"}}) {
    network.ptr()->to(torch::kFloat64);
    const auto recurrent =
        transformed(network, {.layers = {layer}, .cell = RecurrentCell::Lstm, .hidden_scale = 0.5});
    recurrent->to(torch::kFloat64);
    const auto x = clips(12).to(torch::kFloat64);
    const auto loss = [&] { return recurrent->forward(x).square().sum(); };
    recurrent->zero_grad();
    loss().backward();
    const torch::NoGradGuard no_gradient;
    for (const auto& item : recurrent->named_parameters()) {
      const auto& p = item.value();
      auto value = p.flatten()[0].clone();
      auto first = p;
      while (first.dim() > 0) first = first[0];
      first.copy_(value + step);
      const auto above = loss().item<double>();
      first.copy_(value - step);
      const auto below = loss().item<double>();
      first.copy_(value);
      const auto gradient = p.grad().flatten()[0].item<double>();
      EXPECT_NEAR(gradient, (above - below) / (2 * step), 1e-6 * std::max(1.0, std::abs(gradient)))
          << layer << " " << item.key();
    }
  }
}

}  // namespace
}  // namespace reprise::models
