// Shapes and weights of adversarial networks are those of their papers, and what they compute is
// what the formulas say.
#include <torch/torch.h>

#include "models/adversarial/decoder.h"
#include "models/adversarial/discriminator.h"
#include "models/adversarial/mocogan_network.h"
#include "tests/models/networks.h"
#include "tests/support.h"
#include "training/module_state.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using Shape = std::vector<std::int64_t>;

std::int64_t weights_of(const torch::nn::Module& network) {
  std::int64_t sum = 0;
  for (const auto& parameter : network.parameters()) sum += parameter.numel();
  return sum;
}

/// The state's names and shapes, "NAME [a, b]".
std::vector<std::string> layout(const torch::nn::Module& network) {
  std::vector<std::string> lines;
  for (const auto& [name, tensor] : training::module_state(network)) {
    std::ostringstream line;
    line << name << " " << tensor.sizes();
    lines.push_back(line.str());
  }
  return lines;
}

MocoganNetworkOptions small(std::int64_t d_A = 0, ActionEntry entry = ActionEntry::IntoMotion) {
  return {.side = 16, .width = 4, .d_C = 5, .d_M = 3, .d_E = 2, .d_A = d_A, .entry = entry};
}

MocoganNetwork draw_network(const MocoganNetworkOptions& options) {
  MocoganNetwork G(options);
  Random random(1);
  draw_adversarial_weights(*G, random);
  G->eval();
  return G;
}

// R_M: 3 gates of 10 rows, (10 + 10) weights and 2 biases each: 3 * 10 * 22 = 660. G_I: z has 50 +
// 6 + 10 = 66 values; kernels of 16:
// 66*512 + 512*256 + 256*128 + 128*64 + 64*3 = 206,016 of them, 3,296,256 weights; batch norm 2
// (512 + 256 + 128 + 64) = 1,920.
TEST(MocoganNetwork, HasTheWeightsOfTheReleaseAtItsSizes) {
  const MocoganNetwork G(MocoganNetworkOptions{.d_A = 6, .entry = ActionEntry::IntoImage});
  EXPECT_EQ(weights_of(*G), 660 + 3296256 + 1920);
  const auto lines = layout(*G);
  for (const auto* line :
       {"recurrent.weight_ih [30, 10]", "recurrent.bias_hh [30]", "main.0.weight [66, 512, 4, 4]",
        "main.1.running_mean [512]", "main.3.weight [512, 256, 4, 4]",
        "main.10.num_batches_tracked []", "main.12.weight [64, 3, 4, 4]"})
    EXPECT_THAT(lines, testing::Contains(line));
  EXPECT_EQ(lines.size(), 4U + 5 + 4 * 5);
}

// At 16 x 16, depth 4: z of 40 to 8, to 8, to 4 channels of 4 x 4, to 2, to 3; batch norm 2 (8 + 8
// + 4 + 2). R_M has 660.
TEST(MocoganNetwork, CombinesAsOftenAsItsDepthSays) {
  MocoganNetwork G(MocoganNetworkOptions{.side = 16, .width = 2, .depth = 4, .d_C = 30});
  EXPECT_EQ(weights_of(*G), 660 + 40 * 8 + 8 * 8 + 16 * (8 * 4 + 4 * 2 + 2 * 3) + 44);
  EXPECT_EQ(G->forward(draw_codes(G->options(), 2, 5, Random(1), Random(2))).sizes(),
            (Shape{2, 5, 3, 16, 16}));
  EXPECT_THAT([] { MocoganNetwork(MocoganNetworkOptions{.side = 16, .depth = 1}); },
              ThrowsUsageError(HasSubstr("a depth of 1, and 2 doublings")));
}

// Without noise and with the gates held as they begin a small h turns pair by pair, each by an
// angle of its own (tanh is the identity near 0).
TEST(MocoganNetwork, BeginsWithAMotionThatTurnsWhereItIsAskedTo) {
  constexpr double pi = 3.14159265358979;
  auto G = draw_network(MocoganNetworkOptions{.side = 16, .width = 2, .d_C = 3, .d_M = 64});
  Random random(3);
  G->start_rotating(8, random);
  const torch::NoGradGuard no_grad;
  for (auto& item : G->named_parameters()) {
    if (item.key() == "recurrent.weight_ih" || item.key() == "recurrent.bias_hh")
      item.value().zero_();
    if (item.key() == "recurrent.weight_hh") item.value().slice(0, 0, 128).zero_();
    if (item.key() == "recurrent.bias_ih") item.value().slice(0, 128).zero_();
  }
  auto codes = draw_codes(G->options(), 4, 3, Random(1), Random(2));
  codes.h_0 *= 1e-3;
  const double s = 1 / (1 + std::exp(2.0)), r = 1 / (1 + std::exp(-2.0)), grown = 1.2 * r * (1 - s);
  const auto pairs = [](const at::Tensor& h) {
    return at::view_as_complex(h.reshape({-1, 32, 2}).contiguous());
  };
  const auto path = G->motion(codes);
  // A frame multiplies each pair by s + grown e^(i angle).
  const auto factor = pairs(path.select(1, 2)) / pairs(path.select(1, 1));
  const auto turned = (factor - s) / grown;
  EXPECT_TRUE(turned.allclose(turned[0].expand_as(turned), 0, 1e-3));
  EXPECT_TRUE(turned.abs().allclose(at::ones({4, 32}), 0, 1e-3));
  const auto frames = 2 * pi / turned.angle()[0];
  EXPECT_GE(frames.min().item<double>(), 8 - 0.1);
  EXPECT_LE(frames.max().item<double>(), 32 + 0.5);
  EXPECT_NEAR(frames.mean().item<double>(), 20,
              3 * 24 / std::sqrt(12. * 32));  // of u: three standard errors
  EXPECT_THAT([&] { G->start_rotating(2, random); },
              ThrowsUsageError(HasSubstr("rotation period of 2 frames")));
}

// With the weights of its noise and gates as they are drawn: what h^(0) says is there in the eighth
// frame, where a GRU of PyTorch's has lost it. Of an odd number of units the last one has no pair
// to turn with, and no W_hc.
TEST(MocoganNetwork, AMotionThatTurnsRemembersWhereItBegan) {
  const auto told = [](double turning) {
    auto G =
        draw_network(MocoganNetworkOptions{.side = 16, .width = 2, .d_C = 3, .d_M = 21, .d_E = 2});
    Random random(3);
    if (turning > 0) G->start_rotating(turning, random);
    const torch::NoGradGuard no_grad;
    auto codes = draw_codes(G->options(), 64, 8, Random(1), Random(2));
    const auto first = G->motion(codes).select(1, 7);
    codes.h_0 = -codes.h_0;
    return (G->motion(codes).select(1, 7) - first).norm().item<double>() /
           first.norm().item<double>();
  };
  EXPECT_GT(told(8), 1);
  EXPECT_LT(told(0), 0.5);
  auto G =
      draw_network(MocoganNetworkOptions{.side = 16, .width = 2, .d_C = 3, .d_M = 21, .d_E = 2});
  Random random(3);
  G->start_rotating(8, random);
  for (const auto& item : G->named_parameters())
    if (item.key() == "recurrent.weight_hh")
      EXPECT_EQ(item.value()[62].abs().sum().item<double>(), 0);
}

// The first step's kernels are 1 x 1 and see 2 coordinates more.
TEST(MocoganNetwork, WithAGridNoPlaceHasWeightsOfItsOwn) {
  MocoganNetwork G(
      MocoganNetworkOptions{.side = 16, .width = 2, .depth = 4, .grid = true, .d_C = 30});
  EXPECT_EQ(weights_of(*G), 660 + 42 * 8 + 8 * 8 + 8 * 4 + 16 * (4 * 2 + 2 * 3) + 44);
  EXPECT_EQ(G->forward(draw_codes(G->options(), 2, 5, Random(1), Random(2))).sizes(),
            (Shape{2, 5, 3, 16, 16}));
  for (auto& item : G->named_buffers())
    if (item.key() == "main.0.coordinates") {
      EXPECT_EQ(item.value().sizes(), (Shape{1, 2, 4, 4}));
      EXPECT_NEAR(item.value()[0][1][2][3].item<double>(), 1, 1e-6);       // x
      EXPECT_NEAR(item.value()[0][0][2][3].item<double>(), 1. / 3, 1e-6);  // y
      item.value().zero_();
    }
  // Without coordinates all places are alike: far from the edges so are the pixels, in steps of 4.
  const torch::NoGradGuard no_grad;
  const auto frames = G->forward(draw_codes(G->options(), 2, 5, Random(1), Random(2)));
  EXPECT_TRUE(frames.slice(3, 4, 8).slice(4, 4, 8).allclose(frames.slice(3, 8, 12).slice(4, 8, 12),
                                                            0, 1e-6));
}

// D_I: kernels of 16: 3*64 + 64*128 + 128*256 + 256*512 + 512 = 172,736, 2,763,776 weights; batch
// norm 2 (128 + 256 + 512) = 1,792. Patch: 16 (3*64 + 64*128 + 128*256 + 256) = 662,528 and 2 (128
// + 256) = 768. D_V with 6 actions: kernels of 64: 3*64 + 64*128 + 128*256 + 256*512 + 512*7 =
// 175,808, 11,251,712 weights, and 1,792.
TEST(Discriminator, HasTheWeightsOfTheReleaseAtItsSizes) {
  const Discriminator image(DiscriminatorOptions{}), patch(DiscriminatorOptions{.patch = true}),
      video(DiscriminatorOptions{.frames = 16, .outputs = 7});
  EXPECT_EQ(weights_of(*image), 2763776 + 1792);
  EXPECT_EQ(weights_of(*patch), 662528 + 768);
  EXPECT_EQ(weights_of(*video), 11251712 + 1792);
  for (const auto* line :
       {"main.1.weight [64, 3, 4, 4]", "main.4.weight [128, 64, 4, 4]", "main.5.weight [128]",
        "main.9.running_var [256]", "main.12.weight [512, 256, 4, 4]", "main.13.bias [512]",
        "main.15.weight [1, 512, 4, 4]"})
    EXPECT_THAT(layout(*image), testing::Contains(line));
  EXPECT_THAT(layout(*patch), testing::Contains("main.12.weight [1, 256, 4, 4]"));
  EXPECT_THAT(layout(*video), testing::Contains("main.15.weight [7, 512, 4, 4, 4]"));
}

TEST(Discriminator, GivesOneRowPerItemAtEverySize) {
  for (const std::int64_t side : {8, 16, 32}) {
    const std::int64_t frames = 16;
    EXPECT_EQ(Discriminator(DiscriminatorOptions{.side = side, .width = 2})
                  ->forward(torch::zeros({2, 3, side, side}))
                  .sizes(),
              (Shape{2, 1}));
    EXPECT_EQ(Discriminator(DiscriminatorOptions{.side = side, .width = 2, .patch = true})
                  ->forward(torch::zeros({2, 3, side, side}))
                  .sizes(),
              (Shape{2, 16}));
    for (const auto time : {ClipTime::Valid, ClipTime::Halved})
      for (const auto normalisation :
           {Normalisation::Batch, Normalisation::Spectral, Normalisation::None})
        EXPECT_EQ(Discriminator(DiscriminatorOptions{.side = side,
                                                     .frames = frames,
                                                     .width = 2,
                                                     .outputs = 4,
                                                     .time = time,
                                                     .normalisation = normalisation})
                      ->forward(torch::zeros({2, 3, frames, side, side}))
                      .sizes(),
                  (Shape{2, 4}));
  }
}

TEST(Discriminator, NoiseIsThereInTrainingAlone) {
  Discriminator D(
      DiscriminatorOptions{.side = 8, .width = 3, .normalisation = Normalisation::None});
  Random random(3);
  draw_adversarial_weights(*D, random);
  const auto x = normal_values({2, 3, 8, 8}, 5), sigma = torch::full({}, 0.5);
  EXPECT_FALSE(D->forward(x, sigma).equal(D->forward(x, sigma)));
  EXPECT_TRUE(D->forward(x, torch::zeros({})).allclose(D->forward(x)));
  D->eval();
  EXPECT_TRUE(D->forward(x, sigma).equal(D->forward(x)));
}

TEST(Discriminator, NamesWhatItCannotBe) {
  EXPECT_THAT([] { Discriminator(DiscriminatorOptions{.side = 48}); },
              ThrowsUsageError(HasSubstr("48 pixels")));
  EXPECT_THAT([] { Discriminator(DiscriminatorOptions{.side = 64, .frames = 12}); },
              ThrowsUsageError(HasSubstr("at least 13")));
  EXPECT_THAT(
      [] {
        Discriminator(DiscriminatorOptions{.side = 16, .frames = 6, .time = ClipTime::Halved});
      },
      ThrowsUsageError(HasSubstr("multiple of 4")));
  EXPECT_THAT([] { Discriminator(DiscriminatorOptions{.outputs = 2, .patch = true}); },
              ThrowsUsageError(HasSubstr("2 outputs")));
  EXPECT_THAT(
      [] {
        Discriminator(DiscriminatorOptions{.side = 8, .width = 1})
            ->forward(torch::zeros({1, 3, 16, 16}));
      },
      ThrowsUsageError(HasSubstr("[N, 3, 8, 8]"), HasSubstr("[1, 3, 16, 16]")));
}

TEST(Convolution, SpectralNormGivesTheKernelALargestSingularValueOfOne) {
  for (const bool transposed : {false, true}) {
    Convolution convolution(
        ConvolutionOptions{.in = 3, .out = 5, .transposed = transposed, .spectral = true});
    const torch::NoGradGuard no_grad;
    convolution->weight.copy_(normal_values(convolution->weight.sizes().vec(), 8));
    for (int i = 0; i < 200; ++i) convolution->kernel();
    const auto rows =
        (transposed ? convolution->kernel().transpose(0, 1) : convolution->kernel()).flatten(1);
    EXPECT_NEAR(std::get<1>(at::linalg_svd(rows))[0].item<double>(), 1, 1e-5);
    convolution->eval();
    EXPECT_TRUE(convolution->kernel().equal(convolution->kernel()));
  }
}

TEST(MocoganNetwork, MotionIsTheGruOfTheEquations) {
  auto G = draw_network(small());
  const auto codes = draw_codes(G->options(), 2, 4, Random(1), Random(2));
  std::map<std::string, at::Tensor> w;
  for (const auto& [name, tensor] : training::module_state(*G)) w[name] = tensor;
  const auto half = [](const at::Tensor& rows, std::int64_t gate) {
    return rows.slice(0, 3 * gate, 3 * gate + 3);
  };
  auto h = codes.h_0;
  const auto motion = G->motion(codes);
  for (std::int64_t k = 0; k < 4; ++k) {
    const auto of_e = [&](std::int64_t gate) {
      return codes.epsilon.select(1, k).matmul(half(w["recurrent.weight_ih"], gate).t()) +
             half(w["recurrent.bias_ih"], gate);
    };
    const auto of_h = [&](std::int64_t gate) {
      return h.matmul(half(w["recurrent.weight_hh"], gate).t()) +
             half(w["recurrent.bias_hh"], gate);
    };
    const auto r = (of_e(0) + of_h(0)).sigmoid(), s = (of_e(1) + of_h(1)).sigmoid(),
               c = (of_e(2) + r * of_h(2)).tanh();
    h = (1 - s) * c + s * h;
    EXPECT_LT(largest(motion.select(1, k) - h), 1e-6);
  }
}

// One unit, all weights 1 and biases 0, e = 1, h = 0.5: r = s = sigmoid(1.5) = 0.8175745, c =
// tanh(1 + 0.8175745 * 0.5) = 0.8871958, h' = (1 - s) c + s h = 0.1618473 + 0.4087872 = 0.5706345.
TEST(MocoganNetwork, OneStepOfTheGruByHand) {
  MocoganNetwork G(MocoganNetworkOptions{.side = 8, .width = 1, .d_C = 1, .d_M = 1, .d_E = 1});
  const torch::NoGradGuard no_grad;
  for (auto& item : G->named_parameters())
    if (item.key().starts_with("recurrent"))
      item.value().fill_(item.key().find("weight") != std::string::npos ? 1 : 0);
  const auto motion = G->motion({.z_C = torch::zeros({1, 1}),
                                 .h_0 = torch::full({1, 1}, 0.5),
                                 .epsilon = torch::ones({1, 1, 1}),
                                 .z_A = {}});
  EXPECT_NEAR(motion.item<double>(), 0.5706345, 1e-5);
}

TEST(MocoganNetwork, FramesAreThoseOfTheirCodesAndLongerClipsBeginAsShorterOnes) {
  auto G = draw_network(small());
  const auto clips = [&](std::int64_t K) {
    return G->forward(draw_codes(G->options(), 3, K, Random(1), Random(2)));
  };
  EXPECT_EQ(clips(7).sizes(), (Shape{3, 7, 3, 16, 16}));
  EXPECT_LT(largest(clips(7).slice(1, 0, 4) - clips(4)), 1e-6);
  EXPECT_LE(clips(7).abs().max().item<double>(), 1);
}

TEST(MocoganNetwork, ContentAndMotionHaveSeedsOfTheirOwn) {
  const auto o = small(3);
  const auto a = draw_codes(o, 4, 5, Random(1), Random(2)),
             other_motion = draw_codes(o, 4, 5, Random(1), Random(3)),
             other_content = draw_codes(o, 4, 5, Random(4), Random(2));
  EXPECT_TRUE(a.z_C.equal(other_motion.z_C));
  EXPECT_FALSE(a.epsilon.equal(other_motion.epsilon));
  EXPECT_FALSE(a.h_0.equal(other_motion.h_0));
  EXPECT_FALSE(a.z_C.equal(other_content.z_C));
  EXPECT_TRUE(a.epsilon.equal(other_content.epsilon));
  EXPECT_TRUE(a.z_A.equal(other_content.z_A));
}

// An action that enters by the motion changes the path; one that enters by the picture leaves it
// alone.
TEST(MocoganNetwork, AnActionEntersWhereItIsToldTo) {
  const auto actions = [](std::int64_t action) { return torch::full({2}, action, at::kLong); };
  for (const auto entry : {ActionEntry::IntoMotion, ActionEntry::IntoImage}) {
    auto G = draw_network(small(3, entry));
    const auto a = draw_codes(G->options(), 2, 4, Random(1), Random(2), actions(0)),
               b = draw_codes(G->options(), 2, 4, Random(1), Random(2), actions(2));
    EXPECT_EQ(G->motion(a).equal(G->motion(b)), entry == ActionEntry::IntoImage);
    EXPECT_FALSE(G->forward(a).equal(G->forward(b)));
  }
  EXPECT_THAT([&] { draw_codes(small(3), 2, 4, Random(1), Random(2), actions(3)); },
              ThrowsUsageError(HasSubstr("class beyond 0 to 2")));
}

TEST(MocoganNetwork, NamesCodesThatDoNotFit) {
  auto G = draw_network(small());
  auto codes = draw_codes(G->options(), 2, 4, Random(1), Random(2));
  codes.h_0 = torch::zeros({2, 9});
  EXPECT_THAT([&] { G->forward(codes); },
              ThrowsUsageError(HasSubstr("h_0 is [2, 9]"), HasSubstr("[2, 3] is needed")));
  EXPECT_THAT([] { MocoganNetwork(MocoganNetworkOptions{.d_C = 0}); },
              ThrowsUsageError(HasSubstr("d_C 0")));
}

// (3, 0) to (0, 3) passes through 3 (sqrt(1/2), sqrt(1/2)); the straight line would pass through
// (1.5, 1.5), which is shorter.
TEST(ClipCodes, BetweenTwoKeepTheirLengthAndEndsAreThemselves) {
  const auto a = torch::tensor({{3.0f, 0.0f}}), b = torch::tensor({{0.0f, 3.0f}});
  const auto codes = interpolate_codes(a, b, 3);
  EXPECT_TRUE(torch::allclose(
      codes, torch::tensor({{3.0f, 0.0f}, {2.12132f, 2.12132f}, {0.0f, 3.0f}}), 0, 1e-5));
  EXPECT_TRUE(torch::allclose(interpolate_codes(a, a, 4), a.expand({4, 2}), 0, 1e-6));
  EXPECT_TRUE(
      torch::allclose(interpolate_codes(a, -a, 3).select(0, 1), torch::zeros({2}), 0, 1e-6));
  // Of every step of a motion by itself.
  const auto steps = interpolate_codes(torch::stack({a, b}, 1), torch::stack({b, b}, 1), 3);
  EXPECT_EQ(steps.sizes(), (Shape{3, 2, 2}));
  EXPECT_TRUE(torch::allclose(steps.select(1, 0), codes, 0, 1e-6));
  EXPECT_TRUE(torch::allclose(steps.select(1, 1), b.expand({3, 2}), 0, 1e-6));
  EXPECT_THAT([&] { interpolate_codes(a, b, 1); }, ThrowsUsageError(HasSubstr("1 codes")));
  EXPECT_THAT(
      [&] {
        interpolate_codes(a, torch::zeros({1, 3}), 2);
      },
      ThrowsUsageError(HasSubstr("[1, 3]")));
}

}  // namespace
}  // namespace reprise::models
