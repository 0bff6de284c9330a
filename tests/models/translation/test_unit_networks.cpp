// UNIT's networks: the streams are the document's, shared layers are one layer, and the losses have
// the values of their formulas.
#include <torch/torch.h>

#include <algorithm>
#include <set>

#include "models/translation/unit_losses.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using training::Domain;

UnitNetworkOptions narrow() {
  return {.width = 2,
          .halvings = 1,
          .blocks_E = 2,
          .shared_E = 1,
          .blocks_G = 2,
          .shared_G = 1,
          .width_D = 2,
          .layers_D = 3,
          .shared_D = 2};
}

UnitNetwork drawn_network(const UnitNetworkOptions& options) {
  UnitNetwork network(options);
  Random random(3);
  draw_unit(*network, UnitStart::He, false, random);
  return network;
}

at::Tensor pictures_of(std::int64_t seed, std::int64_t channels = 3) {
  torch::manual_seed(seed);
  return torch::rand({2, channels, 8, 12}) * 2 - 1;
}

// Without noise: x12 = G_2(E_1(x_1)) and so on, and the cycles are the translations of
// translations.
TEST(UnitNetwork, StreamsAreTheDocuments) {
  auto network = drawn_network(narrow());
  network->eval();
  const auto x_1 = pictures_of(1), x_2 = pictures_of(2);
  const auto s = network->streams(x_1, x_2);
  const auto z_1 = network->encode(x_1, Domain::A), z_2 = network->encode(x_2, Domain::B);
  EXPECT_TRUE(s.mu_1.allclose(z_1, 1e-5, 1e-6));
  EXPECT_TRUE(s.mu_2.allclose(z_2, 1e-5, 1e-6));
  EXPECT_TRUE(s.x11.allclose(network->decode(z_1, Domain::A), 1e-5, 1e-6));
  EXPECT_TRUE(s.x12.allclose(network->decode(z_1, Domain::B), 1e-5, 1e-6));
  EXPECT_TRUE(s.x22.allclose(network->decode(z_2, Domain::B), 1e-5, 1e-6));
  EXPECT_TRUE(s.x21.allclose(network->decode(z_2, Domain::A), 1e-5, 1e-6));
  const auto c = network->cycles(s);
  EXPECT_TRUE(c.mu_12.allclose(network->encode(s.x12, Domain::B), 1e-4, 1e-5));
  EXPECT_TRUE(c.x121.allclose(network->decode(c.mu_12, Domain::A), 1e-4, 1e-5));
  EXPECT_TRUE(c.mu_21.allclose(network->encode(s.x21, Domain::A), 1e-4, 1e-5));
  EXPECT_TRUE(c.x212.allclose(network->decode(c.mu_21, Domain::B), 1e-4, 1e-5));
  EXPECT_EQ(s.x12.sizes(), x_1.sizes());
  EXPECT_EQ(s.mu_1.sizes(), (std::vector<std::int64_t>{2, 4, 4, 6}));
}

// eta has unit variance, drawn anew for every pass, and only in training.
TEST(UnitNetwork, CodesHaveNoiseInTrainingAlone) {
  auto network = drawn_network(narrow());
  const auto x = pictures_of(1);
  torch::manual_seed(1);
  const auto one = network->streams(x, x), other = network->streams(x, x);
  EXPECT_TRUE(one.mu_1.equal(other.mu_1));
  EXPECT_FALSE(one.x11.equal(other.x11));
  network->eval();
  EXPECT_TRUE(network->streams(x, x).x11.equal(network->streams(x, x).x11));
}

// The same depth with and without sharing; what is shared is one tensor that both domains move.
TEST(UnitNetwork, SharedLayersAreOneLayer) {
  const auto count = [](std::int64_t shared) {
    auto options = narrow();
    options.shared_E = options.shared_G = options.shared_D = shared;
    return std::pair{training::module_state(*UnitNetwork(options)).size(),
                     training::module_state(*UnitDiscriminators(options)).size()};
  };
  const std::size_t block = 4, conv = 2;  // tensors: two convolutions with biases; one
  EXPECT_EQ(count(0).first, count(1).first + 2 * block);
  EXPECT_EQ(count(1).first, count(2).first + 2 * block);
  EXPECT_EQ(count(0).second,
            count(1).second + 2 * conv);  // and the head, which is shared with the last layer
  EXPECT_EQ(count(1).second, count(2).second + conv);
  auto network = drawn_network(narrow());
  const auto moved = [&](Domain of, const std::string& name) {
    network->zero_grad();
    network->decode(network->encode(pictures_of(1), of), of).square().mean().backward();
    for (const auto& [key, parameter] : network->named_parameters().pairs())
      if (key == name)
        return parameter.grad().defined() && parameter.grad().abs().sum().item<double>() > 0;
    throw Error("no parameter " + name, "");
  };
  for (const auto of : {Domain::A, Domain::B}) {
    EXPECT_TRUE(moved(of, "enc_shared.0.model.0.weight"));
    EXPECT_TRUE(moved(of, "dec_shared.0.model.3.weight"));
    EXPECT_EQ(moved(of, "encode_A.0.model.0.weight"), of == Domain::A);
    EXPECT_EQ(moved(of, "decode_B.0.model.0.weight"), of == Domain::B);
  }
}

TEST(UnitNetwork, OneWayHasNoGOneAndNoDOne) {
  auto options = narrow();
  options.one_way = true;
  auto network = drawn_network(options);
  const auto s = network->streams(pictures_of(1), pictures_of(2));
  EXPECT_FALSE(s.x11.defined() || s.x21.defined());
  EXPECT_TRUE(s.x12.defined() && s.x22.defined());
  for (const auto& [name, tensor] : training::module_state(*network))
    EXPECT_EQ(name.find("decode_A"), std::string::npos);
  for (const auto& [name, tensor] : training::module_state(*UnitDiscriminators(options)))
    EXPECT_EQ(name.find("model_A"), std::string::npos);
  EXPECT_THAT([&] { network->decode(s.mu_1, Domain::A); },
              ThrowsUsageError(HasSubstr("from A to B only")));
}

// Nearest upsampling and a convolution of equal weights give equal values everywhere but at the
// border: no checkerboard. A transposed convolution of equal weights does not.
TEST(UnitNetwork, NearestUpsamplingLeavesNoCheckerboard) {
  const auto ripple = [](Upsampling upsampling) {
    UnitNetwork network(UnitNetworkOptions{.width = 2,
                                           .halvings = 1,
                                           .blocks_E = 0,
                                           .shared_E = 0,
                                           .blocks_G = 0,
                                           .shared_G = 0,
                                           .upsampling = upsampling});
    const torch::NoGradGuard no_grad;
    for (auto& parameter : network->parameters()) parameter.fill_(0.1);
    const auto y = network->decode(torch::ones({1, 4, 6, 6}), Domain::B);
    EXPECT_EQ(y.sizes(), (std::vector<std::int64_t>{1, 3, 12, 12}));
    const auto inner = y.slice(2, 2, -2).slice(3, 2, -2);
    return (inner.max() - inner.min()).item<double>();
  };
  EXPECT_LT(ripple(Upsampling::Nearest), 1e-6);
  EXPECT_GT(ripple(Upsampling::Transposed), 0.05);
}

// Each scale sees half the side of the one before. Names are those of the release.
TEST(UnitNetwork, DiscriminatorsOfThreeScalesSeeThePictureHalvedTwice) {
  auto options = narrow();
  options.scales_D = 3;
  EXPECT_THAT([&] { UnitDiscriminators discriminators(options); },
              ThrowsUsageError(HasSubstr("3 scales with 2 shared layers")));
  options.shared_D = 0;
  UnitDiscriminators discriminators(options);
  Random random(3);
  draw_unit(*discriminators, UnitStart::He, false, random);
  const auto state = training::module_state(*discriminators);
  for (const auto* name : {"model_1_A", "model_2_A", "model_4_A", "model_4_B"})
    EXPECT_TRUE(std::any_of(state.begin(), state.end(), [&](const auto& one) {
      return one.first.starts_with(name);
    })) << name;
  const auto x = torch::rand({2, 3, 64, 64});
  const auto logits = discriminators->compute_logits(x, Domain::A);
  ASSERT_EQ(logits.size(), 3U);
  for (std::int64_t scale = 0; scale < 3; ++scale)  // three convolutions halve 64, 32 and 16
    EXPECT_EQ(logits[scale].sizes(), (std::vector<std::int64_t>{2, 64 >> (2 * scale)}));
  EXPECT_EQ(discriminators->forward(x, Domain::A).size(1), 64 + 16 + 4);
}

TEST(UnitNetwork, AnEqualStartIsOneNetworkTwice) {
  UnitNetwork network(narrow());
  Random random(1);
  draw_unit(*network, UnitStart::Gaussian, true, random);
  network->eval();
  const auto s = network->streams(pictures_of(1), pictures_of(1));
  EXPECT_TRUE(s.x11.equal(s.x12));
  EXPECT_TRUE(s.mu_1.equal(s.mu_2));
}

TEST(UnitNetwork, DomainsMayHaveOtherChannels) {
  auto options = narrow();
  options.channels_2 = 1;
  auto network = drawn_network(options);
  const auto s = network->streams(pictures_of(1), pictures_of(2, 1));
  EXPECT_EQ(s.x12.size(1), 1);
  EXPECT_EQ(s.x21.size(1), 3);
  EXPECT_THAT([&] { network->encode(pictures_of(1), Domain::B); },
              ThrowsUsageError(HasSubstr("[2, 3, 8, 12]"), HasSubstr("1 channels")));
}

TEST(UnitNetwork, NamesWhatCannotBeMade) {
  const auto with = [](auto change) {
    return [change] {
      auto options = narrow();
      change(options);
      UnitNetwork network(options);
    };
  };
  EXPECT_THAT(with([](auto& o) { o.shared_E = 3; }),
              ThrowsUsageError(HasSubstr("3 of 2 layers of E")));
  EXPECT_THAT(with([](auto& o) { o.shared_D = 3; }),
              ThrowsUsageError(HasSubstr("3 of 3 layers of D")));
  EXPECT_THAT(with([](auto& o) { o.kernel_D = 4; }), ThrowsUsageError(HasSubstr("kernel is 4")));
  EXPECT_THAT(with([](auto& o) { o.width = 0; }), ThrowsUsageError(HasSubstr("widths 0")));
  auto network = drawn_network(narrow());
  EXPECT_THAT(
      [&] {
        network->encode(torch::zeros({1, 3, 7, 8}), Domain::A);
      },
      ThrowsUsageError(HasSubstr("8 x 7"), HasSubstr("multiples of 2")));
}

// Equal edges cost nothing whatever their colours; the same picture shifted by two pixels costs.
// A flat picture has a finite gradient.
TEST(UnitLosses, RegistrationSeesAShiftAndNoColours) {
  const auto x = torch::rand({2, 3, 16, 16}, training::torch_generator(4)) * 2 - 1;
  const auto loss = [&](const at::Tensor& y) { return registration_loss(x, y).item<double>(); };
  EXPECT_NEAR(loss(x), 0, 1e-5);
  EXPECT_NEAR(loss(-0.5 * x + 0.2), 0, 1e-3);
  EXPECT_GT(loss(x.roll(2, 3)), 0.5);
  auto flat = at::zeros_like(x).requires_grad_();
  registration_loss(x, flat).backward();
  EXPECT_TRUE(flat.grad().isfinite().all().item<bool>());
}

// mu = 2 in 3 of 4 values of two images: mean of mu^2 is 3; half its sum, a mean over images, is 6.
TEST(UnitLosses, HaveTheValuesOfTheirFormulas) {
  auto mu = torch::full({2, 2, 1, 2}, 2.0);
  mu.slice(3, 1).slice(1, 1).zero_();
  EXPECT_NEAR(kl_to_prior(mu, UnitReading::Means).item<double>(), 3, 1e-6);
  EXPECT_NEAR(kl_to_prior(mu, UnitReading::Sums).item<double>(), 6, 1e-6);
  const auto x = torch::zeros({2, 1, 2, 2}),
             y = torch::tensor({1.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0}).view({2, 1, 2, 2});
  EXPECT_NEAR(distance_to(x, y, UnitReading::Means).item<double>(), 1, 1e-6);
  EXPECT_NEAR(distance_to(x, y, UnitReading::Sums).item<double>(), 4, 1e-6);
}

// KL of mu_1 is 1, of mu_2 4, of mu_12 9, of mu_21 16; distances 0.1 (x11), 0.2 (x22), 0.3 (x121),
// 0.4 (x212). Each lambda is a prime.
TEST(UnitLosses, EqOneHasEveryLambdaInItsPlace) {
  const auto code = [](double mu) { return torch::full({1, 1, 2, 2}, mu); };
  const auto off = [](double distance) { return torch::full({1, 3, 4, 4}, distance); };
  const auto x = torch::zeros({1, 3, 4, 4});
  const UnitStreams streams{.mu_1 = code(1),
                            .mu_2 = code(-2),
                            .x11 = off(0.1),
                            .x12 = off(7),
                            .x22 = off(-0.2),
                            .x21 = off(7)};
  const UnitCycles cycles{.mu_12 = code(3), .mu_21 = code(4), .x121 = off(0.3), .x212 = off(-0.4)};
  const UnitWeights weights{
      .lambda0 = 1000, .lambda1 = 2, .lambda2 = 3, .lambda3 = 5, .lambda4 = 7};
  const auto terms = unit_terms(x, x, streams, &cycles, weights);
  EXPECT_NEAR(terms.vae_1.item<double>(), 2 * 1 + 3 * 0.1, 1e-5);
  EXPECT_NEAR(terms.vae_2.item<double>(), 2 * 4 + 3 * 0.2, 1e-5);
  EXPECT_NEAR(terms.cc_1.item<double>(), 5 * (1 + 9) + 7 * 0.3, 1e-5);
  EXPECT_NEAR(terms.cc_2.item<double>(), 5 * (4 + 16) + 7 * 0.4, 1e-5);
  EXPECT_FALSE(unit_terms(x, x, streams, nullptr, weights).cc_1.defined());
  auto half = streams;
  half.x11 = at::Tensor();
  EXPECT_NEAR(unit_terms(x, x, half, nullptr, weights).vae_1.item<double>(), 2 * 1, 1e-5);
}

// The gradient of eq 1 beside the adversarial part, through the cycle too, is that of finite
// differences.
TEST(UnitLosses, GradientsAreThoseOfFiniteDifferences) {
  auto options = narrow();
  options.width = 1;
  auto network = drawn_network(options);
  network->to(torch::kDouble);
  network->eval();  // no noise: the same objective at every look
  const auto x_1 = pictures_of(1).to(torch::kDouble), x_2 = pictures_of(2).to(torch::kDouble);
  for (const auto reading : {UnitReading::Means, UnitReading::Sums}) {
    const auto objective = [&] {
      const auto s = network->streams(x_1, x_2);
      const auto c = network->cycles(s);
      const auto t = unit_terms(
          x_1, x_2, s, &c,
          {.lambda1 = 0.3, .lambda2 = 2, .lambda3 = 0.5, .lambda4 = 3, .reading = reading});
      return t.vae_1 + t.vae_2 + t.cc_1 + t.cc_2;
    };
    network->zero_grad();
    objective().backward();
    for (auto& [name, parameter] : network->named_parameters().pairs()) {
      if (name.ends_with("bias")) continue;  // those before an instance norm have none
      const torch::NoGradGuard no_grad;
      auto value = parameter.as_strided({}, {});  // its first one, whatever the layout
      const double h = 1e-6, slope = parameter.grad().flatten()[0].item<double>();
      value.add_(h);
      const double above = objective().item<double>();
      value.sub_(2 * h);
      const double below = objective().item<double>();
      value.add_(h);
      EXPECT_NEAR((above - below) / (2 * h), slope, 1e-4 * (1 + std::abs(slope))) << name;
    }
  }
}

}  // namespace
}  // namespace reprise::models
