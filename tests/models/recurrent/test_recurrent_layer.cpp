#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "models/recurrent/recurrent_layer.h"
#include "tests/support.h"
#include "training/precision.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

const std::vector<RecurrentCell> all_cells{RecurrentCell::Vrnn, RecurrentCell::Elman,
                                           RecurrentCell::Linear, RecurrentCell::Lstm,
                                           RecurrentCell::Gru};

RecurrentCell cell_of(const std::string& kind) {
  return kind == "vrnn"   ? RecurrentCell::Vrnn
         : kind == "lstm" ? RecurrentCell::Lstm
                          : RecurrentCell::Gru;
}

Tensor matrix(const nlohmann::json& rows) {
  std::vector<Tensor> out;
  for (const auto& row : rows)
    out.push_back(torch::tensor(row.get<std::vector<double>>(), torch::kFloat64));
  return torch::stack(out);
}

Tensor stacked(const nlohmann::json& by_gate, const std::vector<std::string>& gates) {
  std::vector<Tensor> out;
  for (const auto& gate : gates) {
    const auto& value = by_gate.at(gate);
    out.push_back(value[0].is_array()
                      ? matrix(value)
                      : torch::tensor(value.get<std::vector<double>>(), torch::kFloat64));
  }
  return torch::cat(out);
}

Tensor normal(std::vector<std::int64_t> shape, std::uint64_t seed,
              torch::Dtype type = torch::kFloat64) {
  auto values = torch::empty(shape, torch::kFloat64);
  Random random(seed);
  for (std::int64_t i = 0; i < values.numel(); ++i) values.data_ptr<double>()[i] = random.normal();
  return values.to(type);
}

/// Equations 5, 8, 9 with autograd's own rules, one step and one gate at a time: slow and plain.
/// What W_h* see of the state goes through the mask.
Tensor plain_recurrence(RecurrentCell cell, const Tensor& u, const Tensor& w, const Tensor& mask) {
  const auto n = w.size(1);
  const auto gates = static_cast<std::int64_t>(gate_names(cell).size());
  auto h = torch::zeros({u.size(1), n}, u.options()), c = h;
  std::vector<Tensor> out;
  for (std::int64_t t = 0; t < u.size(0); ++t) {
    const auto input = [&](std::int64_t g) {
      return u.size(2) == n ? u[t] : u[t].narrow(1, g * n, n);
    };
    const auto hidden = [&](std::int64_t g, const Tensor& state) {
      return (state * mask).matmul(w.narrow(0, g * n, n).t());
    };
    if (gates == 1) {
      const auto a = input(0) + hidden(0, h);
      h = cell == RecurrentCell::Vrnn    ? torch::relu(a)
          : cell == RecurrentCell::Elman ? torch::tanh(a)
                                         : a;
    } else if (cell == RecurrentCell::Lstm) {
      const auto i = torch::sigmoid(input(0) + hidden(0, h)),
                 f = torch::sigmoid(input(1) + hidden(1, h)),
                 o = torch::sigmoid(input(2) + hidden(2, h));
      c = f * c + i * torch::tanh(input(3) + hidden(3, h));
      h = o * torch::tanh(c);
    } else {
      const auto r = torch::sigmoid(input(0) + hidden(0, h)),
                 z = torch::sigmoid(input(1) + hidden(1, h));
      h = (1 - z) * h + z * torch::tanh(input(2) + hidden(2, r * h));
    }
    out.push_back(h);
  }
  EXPECT_EQ(w.size(0), gates * n);
  return torch::stack(out);
}

TEST(Recurrence, AgreesWithTheGoldenCasesOfEveryCellAndSharing) {
  const auto& cases = fixture_json("recurrent_cells.json").at("cases");
  ASSERT_FALSE(cases.empty());
  for (const auto& c : cases) {
    const auto cell = cell_of(c.at("kind"));
    const bool shared = c.at("shared_input_to_hidden");
    const auto& gates = gate_names(cell);
    const auto inputs = shared ? std::vector<std::string>{"v"} : gates;
    const auto u = matrix(c.at("x")).matmul(stacked(c.at("w_input"), inputs).t()) +
                   stacked(c.at("bias"), inputs);
    const auto h = recurrence(cell, u.unsqueeze(1), stacked(c.at("w_hidden"), gates));
    EXPECT_LT((h.squeeze(1) - matrix(c.at("h"))).abs().max().item<double>(), 1e-6)
        << c.at("kind") << " shared " << shared;
  }
}

TEST(Recurrence, HandWrittenGradientsAreThoseOfTheEquations) {
  for (const auto cell : all_cells)
    for (const bool shared : {false, true})
      for (const bool masked : {false, true}) {
        const std::int64_t n = 4, gates = gate_names(cell).size();
        auto u = normal({5, 3, shared ? n : gates * n}, 1).requires_grad_(),
             w = (normal({gates * n, n}, 2) * 0.4).requires_grad_();
        const auto weight = normal({5, 3, n}, 3), mask = normal({3, n}, 4);
        const auto h = recurrence(cell, u, w, masked ? mask : Tensor());
        const auto expected = plain_recurrence(cell, u, w, masked ? mask : torch::ones_like(mask));
        EXPECT_LT((h - expected).abs().max().item<double>(), 1e-12);
        const auto ours = torch::autograd::grad({(h * weight).sum()}, {u, w});
        const auto plain = torch::autograd::grad({(expected * weight).sum()}, {u, w});
        for (int k : {0, 1})
          EXPECT_LT((ours[k] - plain[k]).abs().max().item<double>(), 1e-12)
              << "cell " << static_cast<int>(cell) << " shared " << shared << " masked " << masked
              << " input " << k;
      }
}

TEST(Recurrence, RefusesAMaskOfAnotherShape) {
  EXPECT_THAT(
      [] {
        recurrence(RecurrentCell::Gru, torch::zeros({2, 3, 12}), torch::zeros({12, 4}),
                   torch::ones({4}));
      },
      ThrowsError(HasSubstr("the mask is [4]"), HasSubstr("[3, 4]")));
}

TEST(Recurrence, GradientsAgreeWithFiniteDifferences) {
  const double step = 1e-6;
  for (const auto cell : all_cells) {
    const std::int64_t n = 3, gates = gate_names(cell).size();
    const auto u = normal({4, 2, gates * n}, 4).requires_grad_(),
               w = (normal({gates * n, n}, 5) * 0.4).requires_grad_();
    const auto loss = [&] { return recurrence(cell, u, w).square().sum(); };
    const auto gradient = torch::autograd::grad({loss()}, {u, w});
    const torch::NoGradGuard no_gradient;
    for (int k : {0, 1}) {
      auto flat = (k == 0 ? u : w).detach().view(-1);
      for (std::int64_t i = 0; i < flat.numel(); i += 5) {
        const auto value = flat[i].item<double>();
        flat[i] = value + step;
        const auto above = loss().item<double>();
        flat[i] = value - step;
        const auto below = loss().item<double>();
        flat[i] = value;
        EXPECT_NEAR(gradient[k].reshape(-1)[i].item<double>(), (above - below) / (2 * step), 1e-5);
      }
    }
  }
}

TEST(Recurrence, InPassesOfBFloat16StatesAndGradientsAreFloat32AndNearThoseOfFloat32) {
  constexpr std::int64_t steps = 4, batch = 9, n = 24;
  for (const auto cell : all_cells) {
    const auto gates = static_cast<std::int64_t>(gate_names(cell).size());
    const auto run = [&](training::Precision precision) {
      const auto u = normal({steps, batch, gates * n}, 1, torch::kFloat).requires_grad_(),
                 w = (0.1 * normal({gates * n, n}, 2, torch::kFloat)).requires_grad_();
      Tensor h;
      {
        const training::PrecisionGuard passes(precision, torch::kCPU);
        h = recurrence(cell, u, w);
      }
      h.square().mean().backward();
      return std::vector{h.detach(), u.grad(), w.grad()};
    };
    const auto whole = run(training::Precision::Float32),
               narrow = run(training::Precision::BFloat16);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(narrow[i].scalar_type(), torch::kFloat);
      EXPECT_LT((whole[i] - narrow[i]).norm().item<double>(), 0.02 * whole[i].norm().item<double>())
          << static_cast<int>(cell) << " " << i;
      EXPECT_FALSE(torch::equal(whole[i], narrow[i])) << static_cast<int>(cell) << " " << i;
    }
  }
}

TEST(Recurrence, NamesBothShapesWhenTheyDoNotFit) {
  EXPECT_THAT(
      [] {
        recurrence(RecurrentCell::Gru, torch::zeros({2, 1, 7}), torch::zeros({9, 3}));
      },
      ThrowsError(HasSubstr("[2, 1, 7]"), HasSubstr("[9, 3]")));
}

TEST(TraditionalLayer, LstmIsTorchsOwnOnTheSameWeights) {
  Random random(6);
  RecurrentLayer ours(RecurrentLayerOptions(7, 5).cell(RecurrentCell::Lstm).hidden_scale(1.0),
                      random);
  torch::nn::LSTM theirs(torch::nn::LSTMOptions(7, 5).batch_first(true));
  const torch::NoGradGuard no_gradient;
  auto p = theirs->named_parameters();
  // torch stacks i, f, c, o; ours i, f, o, c
  const auto reorder = [](const Tensor& t) {
    const auto b = t.chunk(4);
    return torch::cat({b[0], b[1], b[3], b[2]});
  };
  p["weight_ih_l0"].copy_(reorder(ours->weight_x));
  p["weight_hh_l0"].copy_(reorder(ours->weight_h));
  p["bias_ih_l0"].copy_(reorder(ours->bias));
  p["bias_hh_l0"].zero_();
  const auto x = normal({3, 6, 7}, 7, torch::kFloat32);
  EXPECT_LT((ours(x) - std::get<0>(theirs(x))).abs().max().item<double>(), 1e-6);
}

// Torch's GRU resets after the matrix, eq 9 before it: with the reset gate held open (r = 1) and no
// second bias both are the same cell.
TEST(TraditionalLayer, GruIsTorchsOwnOnTheSameWeightsWhileTheResetGateIsOpen) {
  Random random(8);
  RecurrentLayer ours(RecurrentLayerOptions(7, 5).cell(RecurrentCell::Gru).hidden_scale(1.0),
                      random);
  torch::nn::GRU theirs(torch::nn::GRUOptions(7, 5).batch_first(true));
  const torch::NoGradGuard no_gradient;
  ours->bias.narrow(0, 0, 5).fill_(60);
  auto p = theirs->named_parameters();
  // torch's z keeps the old state (h = (1 - z) h~ + z h), eq 9's takes the new one: sigma(-a) = 1 -
  // sigma(a)
  const auto flip = [](const Tensor& t) {
    const auto b = t.chunk(3);
    return torch::cat({b[0], -b[1], b[2]});
  };
  p["weight_ih_l0"].copy_(flip(ours->weight_x));
  p["weight_hh_l0"].copy_(flip(ours->weight_h));
  p["bias_ih_l0"].copy_(flip(ours->bias));
  p["bias_hh_l0"].zero_();
  const auto x = normal({3, 6, 7}, 9, torch::kFloat32);
  EXPECT_LT((ours(x) - std::get<0>(theirs(x))).abs().max().item<double>(), 1e-6);
}

TEST(RecurrentLayer, EveryParameterGetsAGradient) {
  for (const auto cell : all_cells)
    for (const auto sharing : {InputToHidden::PerGate, InputToHidden::Shared}) {
      Random random(18);
      RecurrentLayer layer(
          RecurrentLayerOptions(6, 4).cell(cell).input_to_hidden(sharing).hidden_scale(0.5),
          random);
      layer(normal({2, 4, 6}, 20, torch::kFloat32)).square().sum().backward();
      for (const auto& p : layer->named_parameters())
        EXPECT_GT(p.value().grad().abs().sum().item<double>(), 0) << p.key();
    }
}

TEST(RecurrentLayer, GatesAreThoseOfTheForwardPass) {
  Random random(21);
  RecurrentLayer layer(RecurrentLayerOptions(6, 4).cell(RecurrentCell::Gru).hidden_scale(0.5),
                       random);
  const auto x = normal({2, 3, 6}, 23, torch::kFloat32);
  const auto gates = layer->gates(x);
  ASSERT_EQ(gates.size(), 2U);
  const auto reset = torch::matmul(x.select(1, 0), layer->weight_x.narrow(0, 0, 4).t()) +
                     layer->bias.narrow(0, 0, 4);
  EXPECT_LT((gates[0].select(1, 0) - torch::sigmoid(reset)).abs().max().item<double>(), 1e-6);
  EXPECT_EQ(gates[1].sizes(), (std::vector<std::int64_t>{2, 3, 4}));
}

TEST(Orthogonal, RowsAreOrthonormalTimesTheScale) {
  Random random(24);
  const auto q = draw_orthogonal(16, 0.1, random).to(torch::kFloat64);
  EXPECT_LT((q.matmul(q.t()) - 0.01 * torch::eye(16, torch::kFloat64)).abs().max().item<double>(),
            1e-7);
}

TEST(AddedParameters, AreThePublishedCountsAtVgg16) {
  EXPECT_EQ(added_parameters(RecurrentCell::Lstm, InputToHidden::PerGate, 25088, 4096),
            375'390'208);
  EXPECT_EQ(added_parameters(RecurrentCell::Lstm, InputToHidden::Shared, 25088, 4096), 67'108'864);
  EXPECT_EQ(traditional_parameters(RecurrentCell::Gru, 4096, 4096), 3 * 2 * 4096LL * 4096);
}

TEST(AddedParameters, AreThoseTheLayerHas) {
  Random random(25);
  for (const auto cell : all_cells)
    for (const auto sharing : {InputToHidden::PerGate, InputToHidden::Shared}) {
      const RecurrentLayer layer(RecurrentLayerOptions(6, 4).cell(cell).input_to_hidden(sharing),
                                 random);
      EXPECT_EQ(added_parameters(cell, sharing, 6, 4),
                layer->weight_x.numel() + layer->weight_h.numel() - 6 * 4);
    }
}

}  // namespace
}  // namespace reprise::models
