#include "models/diffusion/synthesis.h"
#include "models/representations/coordinate_images.h"
#include "tests/models/exact.h"
#include "tests/models/representations.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

/// A disc and a slope: [1, height, width] in [-1, 1].
Tensor toy(std::int64_t height, std::int64_t width) {
  const auto y = torch::linspace(-1, 1, height).unsqueeze(1),
             x = torch::linspace(-1, 1, width).unsqueeze(0);
  const auto disc = torch::sigmoid(20 * (0.6 - (x.square() + y.square()).sqrt()));
  return (disc * (1 + 0.5 * x) - 0.5 + 0.2 * y).unsqueeze(0);
}

TEST(CoordinateImages, LearnsAnImageToThirtyDecibelsSlow) {
  const OneThread one_thread;
  CoordinateImages phi({.height = 20, .width = 28, .fit = {.steps = 300}});
  Random random(1);
  const auto psi = phi.views(random);
  const auto target = toy(20, 28).unsqueeze(0);
  phi.fit(psi, target);
  EXPECT_GT(psnr(phi.render(psi), target), 30);
}

TEST(CoordinateImages, AreAsManyAndAsLargeAsAskedForAndStartAroundZero) {
  CoordinateImages phi({.images = 3, .channels = 2, .height = 4, .width = 6});
  Random random(1);
  const auto psi = phi.views(random);
  EXPECT_TRUE(torch::equal(psi, torch::tensor({{0.}, {1.}, {2.}}, f64)));
  const auto seen = phi.render(psi).detach();
  EXPECT_EQ(seen.sizes(), at::IntArrayRef({3, 2, 4, 6}));
  EXPECT_LT(seen.abs().max().item<double>(), 1);
  EXPECT_FALSE(torch::equal(seen[0], seen[1]));
  // Any images in any order.
  EXPECT_TRUE(torch::allclose(phi.render(torch::tensor({{2.}, {0.}, {2.}}, f64)),
                              seen.index_select(0, torch::tensor({2, 0, 2})), 1e-5, 1e-6));
  CoordinateImages again({.images = 3, .channels = 2, .height = 4, .width = 6}),
      other({.images = 3, .channels = 2, .height = 4, .width = 6, .seed = 1});
  EXPECT_TRUE(torch::equal(again.render(psi), seen));
  EXPECT_FALSE(torch::equal(other.render(psi), seen));
}

TEST(CoordinateImages, AnImageLearnsTheSameWhateverItsNeighbourDoes) {
  const OneThread one_thread;
  const auto learnt = [](const Tensor& second) {
    CoordinateImages phi({.images = 2, .height = 8, .width = 8});
    Random random(1);
    const auto psi = phi.views(random);
    phi.fit(psi, torch::stack({toy(8, 8), second}));
    return phi.render(psi).detach()[0];
  };
  EXPECT_TRUE(torch::equal(learnt(toy(8, 8)), learnt(-toy(8, 8))));
}

TEST(CoordinateImages, HaveTheGradientOfTheirFiniteDifferences) {
  const OneThread one_thread;
  CoordinateImages phi(
      {.images = 2, .channels = 2, .height = 3, .width = 4, .features = 3, .hidden_width = 5});
  phi.to(f64);
  const auto psi = torch::tensor({{1.}, {0.}, {1.}}, f64);
  at::Generator generator = training::torch_generator(2);
  const auto direction = normal({3, 2, 3, 4}, generator);
  expect_gradient(phi, [&] { return (phi.render(psi) * direction).sum(); });
}

TEST(CoordinateImages, SynthesisGoesOnFromTheirStateToTheSameBits) {
  const OneThread one_thread;
  GaussianDenoiser D(torch::zeros({1, 6, 6}), 0.5);
  const CoordinateImagesOptions options{.images = 2, .height = 6, .width = 6, .fit = {.steps = 3}};
  CoordinateImages whole(options), resumed(options);
  const SynthesisOptions rounds{.rounds = 4};
  synthesise(whole, D, D, rounds, {}, [&](const SynthesisRound& round) {
    if (round.number == 1) restore(resumed, whole.state());
  });
  synthesise(resumed, D, D, rounds, {}, {}, 2);
  const auto a = whole.state(), b = resumed.state();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(torch::equal(a[i].second, b[i].second)) << a[i].first;
}

TEST(CoordinateImages, RefuseSizesThatCannotBeAndTargetsThatAreNotFinite) {
  EXPECT_THAT([] { CoordinateImages({.height = 4}); },
              ThrowsUsageError(HasSubstr("4 x 0"), HasSubstr("at least 1")));
  EXPECT_THAT([] { CoordinateImages({.height = 4, .width = 4, .scale = 0}); },
              ThrowsUsageError(HasSubstr("scale 0")));
  CoordinateImages phi({.images = 2, .height = 4, .width = 4});
  auto target = torch::zeros({2, 1, 4, 4});
  target[1][0][2][2] = std::numeric_limits<float>::infinity();
  Random random(1);
  EXPECT_THAT([&] { phi.fit(phi.views(random), target); },
              ThrowsError(HasSubstr("target of view 1")));
}

}  // namespace
}  // namespace reprise::models
