#include "baselines/diffusion/renoising.h"
#include "models/representations/canvas.h"
#include "tests/models/exact.h"
#include "tests/support.h"

namespace reprise::baselines {
namespace {

using models::Canvas;
using models::f64;
using models::GaussianDenoiser;

TEST(Renoising, ARoundIsTheDenoiserOfTheNoisyPicture) {
  // Gaussian data of deviation s: D(x + sigma eps) = a (x + sigma eps), a = s^2 / (s^2 + sigma^2).
  const double s = 0.5, sigma = 1.5, a = s * s / (s * s + sigma * sigma);
  GaussianDenoiser D(torch::zeros({1}, f64), s);
  Canvas phi(torch::full({20000, 1}, 2.0, f64));
  renoise(phi, D, {.rounds = 1, .sigma_first = sigma, .sigma_last = sigma, .seed = 1});
  EXPECT_NEAR(phi.content().mean().item<double>(), 2 * a, 4 * a * sigma / std::sqrt(20000));
  EXPECT_NEAR(phi.content().std().item<double>(), a * sigma, 0.02 * a * sigma);
}

TEST(Renoising, LevelsFallByEqualRatiosAndTheCallerMayHoldAPart) {
  GaussianDenoiser D(torch::zeros({2}, f64), 0.5);
  Canvas phi(torch::zeros({8, 2}, f64));
  std::vector<double> levels;
  renoise(phi, D, {.rounds = 3, .sigma_first = 4, .sigma_last = 1, .seed = 2}, {},
          [&](const models::SynthesisRound& round) {
            const torch::NoGradGuard no_grad;
            levels.push_back(round.sigma);
            phi.content().select(1, 0).fill_(7);
          });
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_NEAR(levels[1], 2, 1e-12);
  EXPECT_TRUE(phi.content().select(1, 0).eq(7).all().item<bool>());
}

TEST(Renoising, RefusesConditionsThatAreNotOneAnObject) {
  GaussianDenoiser D(torch::zeros({1}, f64), 0.5);
  Canvas phi(torch::zeros({4, 1}, f64));
  EXPECT_THROW(renoise(phi, D, {.rounds = 1}, torch::zeros({3}, at::kLong)), UsageError);
}

}  // namespace
}  // namespace reprise::baselines
