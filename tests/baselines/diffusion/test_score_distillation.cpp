#include "baselines/diffusion/score_distillation.h"
#include "models/representations/canvas.h"
#include "models/representations/coordinate_images.h"
#include "tests/models/exact.h"
#include "tests/models/representations.h"

namespace reprise::baselines {
namespace {

using models::Canvas;
using models::clusters;
using models::f64;
using models::GaussianDenoiser;
using models::rms;
using testing::HasSubstr;
using torch::Tensor;

TEST(ScoreDistillation, ItsGradientIsTheWeightedWayToTheDenoisedImage) {
  // Data that are one point: D is that point, whatever the noise.
  const auto mean = torch::tensor({0.5, -0.25, 1.0}, f64);
  GaussianDenoiser D(mean, 0.0);
  for (const auto weight : {DistillationWeight::Denoised, DistillationWeight::Noise}) {
    Canvas phi(torch::zeros({4, 3}, f64));
    distil(phi, D, {.steps = 3, .weight = weight}, {}, [&](const DistillationStep& step) {
      auto expected = (step.x_0 - mean) / 3;
      if (weight == DistillationWeight::Noise) expected = expected / step.sigma.unsqueeze(1);
      EXPECT_TRUE(torch::allclose(phi.content().grad(), expected));
    });
  }
}

TEST(ScoreDistillation, LevelsAreDrawnAViewFromTheRangeThatSinks) {
  GaussianDenoiser D(torch::zeros({1}, f64), 0.5);
  Canvas phi(torch::zeros({2000, 1}, f64));
  std::vector<double> highest;
  distil(phi, D, {.steps = 3, .sigma_min = 0.1, .sigma_max = 10, .sigma_last = 0.4}, {},
         [&](const DistillationStep& step) {
           EXPECT_GE(step.sigma.min().item<double>(), 0.1);
           highest.push_back(step.sigma.max().item<double>());
           // Even in the logarithm: its middle is the geometric mean.
           EXPECT_NEAR(step.sigma.log().mean().item<double>(),
                       0.5 * std::log(0.1 * (step.number == 0   ? 10
                                             : step.number == 1 ? 2
                                                                : 0.4)),
                       0.15);
         });
  ASSERT_EQ(highest.size(), 3U);
  for (const auto& [found, top] :
       {std::pair{highest[0], 10.0}, {highest[1], 2.0}, {highest[2], 0.4}}) {
    EXPECT_LE(found, top);
    EXPECT_GT(found, 0.95 * top);
  }
}

TEST(ScoreDistillation, EndsNearTheModeThatWasAskedForAndCloserThanDataAre) {
  auto D = clusters();
  const auto mean = D.named_buffers()["means"];
  const auto asked = torch::arange(8);
  Canvas phi(mean.roll(1, 0));
  distil(phi, D, {.steps = 400, .rate = 0.02}, asked);
  EXPECT_TRUE(torch::equal(torch::cdist(phi.content(), mean).argmin(1), asked));
  EXPECT_LT(rms(phi.content() - mean), 0.07);  // data are 0.1 from it
}

TEST(ScoreDistillation, MovesARepresentationThatIsANetworkAndRepeatsItself) {
  const models::OneThread one_thread;
  const auto mean = torch::linspace(-1, 1, 36).view({1, 6, 6});
  GaussianDenoiser D(mean, 0.1);
  const auto end = [&](std::uint64_t seed) {
    models::CoordinateImages phi({.images = 2, .height = 6, .width = 6});
    distil(phi, D, {.steps = 150, .rate = 3e-3, .sigma_max = 1, .seed = seed});
    Random random(1);
    return phi.render(phi.views(random)).detach();
  };
  const auto found = end(1);
  EXPECT_LT(rms(found - mean), 0.15);
  EXPECT_TRUE(torch::equal(end(1), found));
  EXPECT_FALSE(torch::equal(end(2), found));
}

TEST(ScoreDistillation, RefusesLevelsAndConditionsThatCannotBe) {
  GaussianDenoiser D(torch::zeros({2}, f64), 1);
  Canvas phi(torch::zeros({2, 2}, f64));
  const auto with = [&](DistillationOptions options, Tensor conditions = {}) {
    return [=, &D, &phi] { distil(phi, D, options, conditions); };
  };
  EXPECT_THAT(with({.steps = 0}), ThrowsUsageError(HasSubstr("0 steps")));
  EXPECT_THAT(with({.sigma_min = 0}), ThrowsUsageError(HasSubstr("sigma_min")));
  EXPECT_THAT(with({.sigma_min = 4}), ThrowsUsageError(HasSubstr("not below sigma_min")));
  EXPECT_THAT(with({.sigma_last = 0.01}), ThrowsUsageError(HasSubstr("at last to 0.01")));
  EXPECT_THAT(with({}, torch::zeros({3}, torch::kLong)),
              ThrowsUsageError(HasSubstr("3 conditions")));
  Canvas broken(torch::full({1, 2}, std::numeric_limits<double>::infinity(), f64));
  EXPECT_THAT([&] { distil(broken, D, {}); }, ThrowsError(HasSubstr("rendering of view 0")));
}

}  // namespace
}  // namespace reprise::baselines
