// The networks of digit adaptation: streams, what is shared, coordinates, and the first weights.
#include <torch/torch.h>

#include "models/translation/digit_networks.h"
#include "tests/support.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using training::Domain;

DigitNetworkOptions small_digits() {
  return {.side = 16, .channels_1 = 1, .channels_2 = 1, .classes = 10, .width_G = 2, .width_D = 2};
}

at::Tensor digits_drawn(std::int64_t seed, std::int64_t channels = 1, std::int64_t side = 16) {
  torch::manual_seed(seed);
  return torch::rand({3, channels, side, side}) * 2 - 1;
}

TEST(DigitNetworks, StreamsAreTheDocuments) {
  auto options = small_digits();
  options.channels_1 = 3;
  DigitCoders G(options);
  Random random(3);
  draw_digit_coders(*G, false, random);
  G->eval();
  const torch::NoGradGuard no_grad;
  const auto x_1 = digits_drawn(1, 3), x_2 = digits_drawn(2);
  const auto s = G->streams(x_1, x_2);
  const auto z_1 = G->encode(x_1, Domain::A), z_2 = G->encode(x_2, Domain::B);
  EXPECT_EQ(z_1.sizes(), (std::vector<std::int64_t>{3, 16, 1, 1}));
  EXPECT_TRUE(s.mu_1.allclose(z_1.flatten(1), 1e-5, 1e-6));
  EXPECT_TRUE(s.x11.allclose(G->decode(z_1, Domain::A), 1e-5, 1e-6));
  EXPECT_TRUE(s.x12.allclose(G->decode(z_1, Domain::B), 1e-5, 1e-6));
  EXPECT_TRUE(s.x22.allclose(G->decode(z_2, Domain::B), 1e-5, 1e-6));
  EXPECT_TRUE(s.x21.allclose(G->decode(z_2, Domain::A), 1e-5, 1e-6));
  EXPECT_EQ(s.x21.sizes(), x_1.sizes());
  EXPECT_EQ(s.x12.sizes(), x_2.sizes());
}

// Every side halves down to the heads' 2 x 2.
TEST(DigitNetworks, SidesOfPowersOfTwoHaveAsManyLayersAsTheyNeed) {
  for (const std::int64_t side : {8, 16, 32}) {
    auto options = small_digits();
    options.side = side;
    DigitCoders G(options);
    DigitDiscriminator D(options);
    const auto x = digits_drawn(1, 1, side);
    EXPECT_EQ(G->streams(x, x).x12.sizes(), x.sizes()) << side;
    EXPECT_EQ(D->classes(x, Domain::A).sizes(), (std::vector<std::int64_t>{3, 10})) << side;
    EXPECT_EQ(D->real(x, Domain::B).sizes(), (std::vector<std::int64_t>{3})) << side;
  }
}

// A convolution does not know where it is; the coordinates tell it.
TEST(DigitNetworks, CoordinatesAreSeenByTheEncoderAlone) {
  auto options = small_digits();
  EXPECT_EQ(DigitCoders(options)->named_parameters()["g_en_conv0_a.model.0.weight"].size(1), 3);
  options.coordinates = false;
  EXPECT_EQ(DigitCoders(options)->named_parameters()["g_en_conv0_a.model.0.weight"].size(1), 1);
}

TEST(DigitNetworks, FirstLayersOfDAreEachDomainsOwnOrOne) {
  auto options = small_digits();
  const auto x = digits_drawn(1);
  const auto differ = [&](bool own_front, bool equal) {
    options.own_front_D = own_front;
    DigitDiscriminator D(options);
    Random random(1);
    draw_digit_discriminator(*D, equal, random);
    D->eval();
    return !D->features(x, Domain::A).equal(D->features(x, Domain::B));
  };
  EXPECT_TRUE(differ(true, false));
  EXPECT_FALSE(differ(true, true));
  EXPECT_FALSE(differ(false, false));
}

// Dropout before the heads, in training alone; none where features are compared.
TEST(DigitNetworks, FeaturesHaveNoDropout) {
  DigitDiscriminator D(small_digits());
  const auto x = digits_drawn(1);
  torch::manual_seed(1);
  EXPECT_TRUE(D->features(x, Domain::A).equal(D->features(x, Domain::A)));
  EXPECT_FALSE(D->classes(x, Domain::A).equal(D->classes(x, Domain::A)));
  D->eval();
  EXPECT_TRUE(D->classes(x, Domain::A).equal(D->classes(x, Domain::A)));
}

TEST(DigitNetworks, NamesWhatCannotBeMade) {
  auto options = small_digits();
  options.side = 28;
  EXPECT_THAT([&] { DigitCoders G(options); }, ThrowsUsageError(HasSubstr("28 pixels")));
  options = small_digits();
  options.channels_1 = 3;
  options.own_front_D = false;
  EXPECT_THAT([&] { DigitDiscriminator D(options); },
              ThrowsUsageError(HasSubstr("3 and 1 channels")));
  options = small_digits();
  options.classes = 1;
  EXPECT_THAT([&] { DigitDiscriminator D(options); }, ThrowsUsageError(HasSubstr("1 classes")));
  EXPECT_THAT([] { DigitCoders(small_digits())->encode(digits_drawn(1, 3), Domain::A); },
              ThrowsUsageError(HasSubstr("[3, 3, 16, 16]")));
}

}  // namespace
}  // namespace reprise::models
