#include "models/recurrent/recurrent_stage.h"
#include "tests/models/networks.h"
#include "tests/support.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

/// Two ways to the same float32 sums round apart by a few units in the last place; values are of
/// order 1.
constexpr double stage_rounding = 2e-5;

const std::vector<RecurrentCell> stage_cells{RecurrentCell::Vrnn, RecurrentCell::Elman,
                                             RecurrentCell::Linear, RecurrentCell::Lstm,
                                             RecurrentCell::Gru};
const std::vector<InputToHidden> both_sharings{InputToHidden::PerGate, InputToHidden::Shared};

/// B by its definition, from the stored statistics.
Tensor normalised(const Tensor& x, const BatchNorm& norm) {
  std::vector<std::int64_t> shape(x.dim(), 1);
  shape[1] = -1;
  const auto as = [&](const Tensor& t) { return t.view(shape); };
  return (x - as(norm->running_mean)) / (as(norm->running_var) + 1e-5).sqrt() * as(norm->weight) +
         as(norm->bias);
}

/// W * x + b by PyTorch's own convolutions.
Tensor convolved(const Tensor& x, const LinearMap& map) {
  const auto& w = map->window();
  return w.size.size() == 3 ? torch::conv3d(x, map->weight, map->bias, w.stride, w.padding)
                            : torch::conv2d(x, map->weight, map->bias, w.stride, w.padding);
}

Tensor convolved(const Tensor& x, const StagePart& part) {
  const auto y = convolved(x, part.map);
  return part.norm ? normalised(y, part.norm) : y;
}

/// u of eq 6 and 7, plainly: convolution, batch norm, residual connection, mean over all positions.
/// x: [N, C, ...] -> [N, n].
Tensor plain_input(const Stage& stage, const Tensor& x) {
  if (stage.options().kind == StageOptions::Kind::Linear)
    return torch::nn::functional::linear(x.flatten(1), stage.parts[0].map->weight,
                                         stage.parts[0].map->bias);
  auto y = x;
  for (std::size_t i = 0; i + 1 < stage.parts.size(); ++i)
    y = torch::relu(convolved(y, stage.parts[i]));
  y = convolved(y, stage.parts.back());
  if (stage.options().kind == StageOptions::Kind::Bottleneck)
    y = y + (stage.projection.map ? convolved(x, stage.projection) : x);
  return y.flatten(2).mean(-1);
}

struct Case {
  std::string name;
  Backbone network;
  std::string layer;
  std::vector<std::int64_t> frame;  ///< shape of what the layer takes
};

/// Every kind of layer: fully connected; convolutions with batch norm, strided, of two and three
/// dimensions; blocks with both kinds of residual connection.
std::vector<Case> all_cases() {
  return {
      {"fully connected", tiny_network(12), "fc6", {8, 4, 4}},
      {"convolution", tiny_network(0), "conv3", {6, 4, 4}},
      {"3-D convolution", tiny_network(0, 4), "conv3", {6, 2, 4, 4}},
      {"block", tiny_residual_network(2, 8, 1), "layer1.0", {8, 5, 6}},
      {"block with projection and stride", tiny_residual_network(2, 4, 2), "layer1.0", {4, 5, 6}},
      {"3-D block with projection", tiny_residual_network(3, 4, 1), "layer1.0", {4, 2, 5, 6}}};
}

const Stage& stage_of(const Case& c) { return c.network->stages()[c.network->index_of(c.layer)]; }

Tensor clip_of(const Case& c, std::int64_t batch, std::int64_t steps, std::uint64_t seed) {
  auto shape = c.frame;
  shape.insert(shape.begin(), {batch, steps});
  return normal_values(shape, seed);
}

RecurrentStage recurrent(const Case& c, RecurrentCell cell, InputToHidden sharing,
                         double hidden_scale) {
  Random random(5);
  return RecurrentStage(
      stage_of(c),
      RecurrentStageOptions{.cell = cell, .input_to_hidden = sharing, .hidden_scale = hidden_scale},
      random);
}

// The mean over the positions of any convolution is a matrix product with the window means: what
// the speed of the layer rests on.
TEST(WindowMeans, TimesTheWeightsAreTheMeanOfTheConvolution) {
  const auto x2 = normal_values({2, 3, 7, 6}, 1, torch::kFloat64),
             x3 = normal_values({2, 3, 5, 7, 6}, 2, torch::kFloat64);
  for (const std::int64_t k : {1, 3})
    for (const std::int64_t stride : {1, 2})
      for (const std::int64_t padding : {0, 1}) {
        const auto w2 = normal_values({4, 3, k, k}, 3, torch::kFloat64),
                   w3 = normal_values({4, 3, k, k, k}, 4, torch::kFloat64);
        const auto plain2 = torch::conv2d(x2, w2, {}, stride, padding).flatten(2).mean(-1);
        const auto plain3 = torch::conv3d(x3, w3, {}, stride, padding).flatten(2).mean(-1);
        const auto ours2 = window_means(x2, square_window(2, k, stride, padding))
                               .flatten(1)
                               .matmul(w2.flatten(1).t());
        const auto ours3 = window_means(x3, square_window(3, k, stride, padding))
                               .flatten(1)
                               .matmul(w3.flatten(1).t());
        EXPECT_LT(largest(plain2 - ours2), 1e-13) << k << " " << stride << " " << padding;
        EXPECT_LT(largest(plain3 - ours3), 1e-13) << k << " " << stride << " " << padding;
      }
}

// What every cell must give at W_h* = 0 and the first step, from the layer's feedforward sums a
// alone.
TEST(RecurrentStage, FirstStepWithoutHiddenWeightsIsWhatTheEquationsGiveFromTheFeedforwardSums) {
  for (const auto& c : all_cases()) {
    const auto x = clip_of(c, 3, 1, 6);
    const auto a = plain_input(stage_of(c), x.squeeze(1)).unsqueeze(1);
    for (const auto cell : stage_cells)
      for (const auto sharing : both_sharings) {
        const auto expected =
            cell == RecurrentCell::Vrnn     ? torch::relu(a)
            : cell == RecurrentCell::Elman  ? torch::tanh(a)
            : cell == RecurrentCell::Linear ? a
            : cell == RecurrentCell::Lstm
                ? torch::sigmoid(a) * torch::tanh(torch::sigmoid(a) * torch::tanh(a))
                : torch::sigmoid(a) * torch::tanh(a);
        EXPECT_LT(largest(recurrent(c, cell, sharing, 0.0)(x) - expected), stage_rounding)
            << c.name << ", cell " << static_cast<int>(cell);
      }
  }
}

TEST(RecurrentStage, IsTheRecurrenceOnTheInputsOfEveryGate) {
  for (const auto& c : all_cases())
    for (const auto cell : stage_cells)
      for (const auto sharing : both_sharings) {
        auto layer = recurrent(c, cell, sharing, 0.5);
        const auto x = clip_of(c, 2, 4, 7);
        auto u = plain_input(stage_of(c), x.flatten(0, 1)).unflatten(0, {2, 4}).transpose(0, 1);
        if (sharing == InputToHidden::PerGate)
          u = u.repeat({1, 1, static_cast<std::int64_t>(gate_names(cell).size())});
        const auto expected = recurrence(cell, u.contiguous(), layer->weight_h).transpose(0, 1);
        EXPECT_LT(largest(layer(x) - expected), stage_rounding)
            << c.name << ", cell " << static_cast<int>(cell);
      }
}

// Eq 7 and 10: what a gate starts from is the trained layer, its bias too (a forget gate without it
// is another method).
TEST(RecurrentStage, EveryGateStartsAsACopyOfTheTrainedWeightsAndBias) {
  for (const auto& c : all_cases())
    for (const auto cell : stage_cells)
      for (const auto sharing : both_sharings) {
        const auto layer = recurrent(c, cell, sharing, 0.5);
        const auto& map = stage_of(c).parts.back().map;
        const auto copies = sharing == InputToHidden::PerGate
                                ? static_cast<std::int64_t>(gate_names(cell).size())
                                : 1;
        const auto weights = layer->weight_x.chunk(copies);
        ASSERT_EQ(weights.size(), static_cast<std::size_t>(copies)) << c.name;
        for (const auto& weight : weights) EXPECT_TRUE(weight.equal(map->weight)) << c.name;
        ASSERT_EQ(layer->bias.defined(), map->bias.defined()) << c.name;
        if (map->bias.defined())
          for (const auto& bias : layer->bias.chunk(copies))
            EXPECT_TRUE(bias.equal(map->bias)) << c.name;
      }
}

TEST(RecurrentStage, EveryGateHasItsOwnCopyOfTheConvolution) {
  const auto c = all_cases()[1];
  auto layer = recurrent(c, RecurrentCell::Gru, InputToHidden::PerGate, 0.5);
  const auto x = clip_of(c, 2, 3, 8);
  const auto before = layer->gates(x);
  const torch::NoGradGuard no_gradient;
  layer->weight_x.narrow(0, 8, 8).add_(
      0.1);  // the update gate's; the first step has no other way to it
  const auto after = layer->gates(x);
  EXPECT_TRUE(before[0].select(1, 0).equal(after[0].select(1, 0)));
  EXPECT_GT(largest(before[1].select(1, 0) - after[1].select(1, 0)), 1e-3);
}

TEST(RecurrentStage, LeavesTheTrainedStageAlone) {
  for (const auto& c : all_cases()) {
    auto layer = recurrent(c, RecurrentCell::Gru, InputToHidden::Shared, 0.5);
    std::vector<Tensor> before;
    for (const auto& p : c.network->parameters()) before.push_back(p.clone());
    {
      const torch::NoGradGuard no_gradient;
      for (auto& p : layer->parameters()) p.add_(1);
    }
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_TRUE(before[i].equal(c.network->parameters()[i])) << c.name;
  }
}

TEST(RecurrentStage, StoredStatisticsServeInTrainingAndStayAsTheyAre) {
  for (const auto& c : all_cases()) {
    auto layer = recurrent(c, RecurrentCell::Lstm, InputToHidden::PerGate, 0.5);
    const auto x = clip_of(c, 2, 3, 9);
    layer->eval();
    const auto expected = layer(x);
    std::vector<Tensor> before;
    for (const auto& b : layer->buffers()) before.push_back(b.clone());
    layer->train();
    EXPECT_TRUE(layer(x).equal(expected)) << c.name;
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_TRUE(before[i].equal(layer->buffers()[i])) << c.name;
  }
}

TEST(RecurrentStage, GradientsAgreeWithFiniteDifferencesAtEveryParameterAndTheInput) {
  const double step = 1e-6;
  for (const auto& c : all_cases()) {
    c.network.ptr()->to(torch::kFloat64);
    auto layer = recurrent(c, RecurrentCell::Gru, InputToHidden::PerGate, 0.5);
    layer->to(torch::kFloat64);
    auto x = clip_of(c, 1, 3, 10).to(torch::kFloat64).requires_grad_();
    auto inputs = layer->parameters();
    inputs.push_back(x);
    const auto loss = [&] { return layer(x).square().sum(); };
    const auto gradient = torch::autograd::grad({loss()}, inputs);
    const torch::NoGradGuard no_gradient;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      // Elements by their place in the tensor: a channels-last weight and its gradient may lie in
      // memory in other orders.
      const auto flat = gradient[k].flatten();
      for (std::int64_t i = 0; i < flat.numel(); i += std::max<std::int64_t>(1, flat.numel() / 2)) {
        auto element = inputs[k].detach();
        for (std::int64_t rest = i; element.dim() > 0;) {
          const auto block = element[0].numel();
          element = element[rest / block];
          rest %= block;
        }
        const auto value = element.item<double>();
        element.fill_(value + step);
        const auto above = loss().item<double>();
        element.fill_(value - step);
        const auto below = loss().item<double>();
        element.fill_(value);
        EXPECT_NEAR(flat[i].item<double>(), (above - below) / (2 * step), 1e-6)
            << c.name << ", parameter " << k;
      }
    }
  }
}

TEST(RecurrentStage, EveryParameterGetsAGradient) {
  for (const auto& c : all_cases())
    for (const auto sharing : both_sharings) {
      auto layer = recurrent(c, RecurrentCell::Lstm, sharing, 0.5);
      layer(clip_of(c, 2, 3, 11)).square().sum().backward();
      for (const auto& p : layer->named_parameters())
        EXPECT_GT(p.value().grad().abs().sum().item<double>(), 0) << c.name << " " << p.key();
    }
}

TEST(RecurrentStage, CountsTheWeightsThatItAdds) {
  for (const auto& c : all_cases()) {
    const auto& w = stage_of(c).parts.back().map->weight;
    const auto n = w.size(0);
    for (const auto cell : stage_cells)
      for (const auto sharing : both_sharings)
        EXPECT_EQ(recurrent(c, cell, sharing, 0.1)->added_parameters(),
                  added_parameters(cell, sharing, w.numel() / n, n))
            << c.name;
  }
}

TEST(RecurrentStage, NamesTheLayerAndTheShapeOfAClipThatDoesNotFit) {
  const auto cases = all_cases();
  EXPECT_THAT(
      [&] {
        recurrent(cases[1], RecurrentCell::Gru, InputToHidden::Shared,
                  0.1)(torch::zeros({2, 3, 5, 4, 4}));
      },
      ThrowsError(HasSubstr("conv3"), HasSubstr("[6, 5, 4, 4]"),
                  HasSubstr("[N, 6, height, width]")));
  EXPECT_THAT(
      [&] {
        recurrent(cases[0], RecurrentCell::Gru, InputToHidden::Shared,
                  0.1)(torch::zeros({2, 3, 7}));
      },
      ThrowsError(HasSubstr("fc6"), HasSubstr("[6, 7]"), HasSubstr("[N, 128]")));
  EXPECT_THAT(
      [&] {
        recurrent(cases[0], RecurrentCell::Gru, InputToHidden::Shared, 0.1)(torch::zeros({2, 3}));
      },
      ThrowsError(HasSubstr("[2, 3]"), HasSubstr("[B, T, ...]")));
}

TEST(RecurrentStage, RefusesAPoolingAndAnOutputLayer) {
  const auto network = tiny_network(0);
  Random random(1);
  for (const std::string layer : {"pool1", "out"})
    EXPECT_THAT(
        [&] {
          RecurrentStage(network->stages()[network->index_of(layer)], RecurrentStageOptions{},
                         random);
        },
        ThrowsError(HasSubstr(layer), HasSubstr("no weights, or no activation")));
}

}  // namespace
}  // namespace reprise::models
