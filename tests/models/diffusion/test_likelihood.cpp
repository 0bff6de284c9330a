// The likelihood by the probability-flow ODE, against densities known in closed form.
#include <torch/torch.h>

#include "models/diffusion/likelihood.h"
#include "tests/models/exact.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;

TEST(Likelihood, OfAGaussianIsItsOwnWhateverTheSigns) {
  // D is linear: the trace is the same for all signs, and the law at every level is Gaussian.
  const auto mu = torch::tensor({0.5, -0.25, 1.0, 0.0}, f64);
  GaussianDenoiser D(mu, 0.5);
  auto generator = training::torch_generator(1);
  const auto x = mu + 0.5 * normal({6, 4}, generator);
  const LikelihoodOptions options{.steps = 200, .sigma_data = 0.5};
  const auto nll = negative_log_likelihood(D, x, random_signs(x, generator), options, mu);
  const auto exact = -D.log_density(x, torch::tensor(options.sigma_min, f64)) / 4;
  EXPECT_LT((nll - exact).abs().max().item<double>(), 2e-3);
}

TEST(Likelihood, OfAMixtureIsItsOwnOnAverageOverSigns) {
  auto D = clusters();
  auto generator = training::torch_generator(2);
  const auto x = D.sample(40, generator) + 0.05 * normal({40, 64}, generator);
  const LikelihoodOptions options{
      .steps = 60, .sigma_min = 0.05, .sigma_max = 40, .sigma_data = 0.5};
  const auto nll = negative_log_likelihood(D, x, random_signs(x, generator), options);
  const auto exact = -D.log_density(x, torch::tensor(0.05, f64)) / 64;
  EXPECT_NEAR(nll.mean().item<double>(), exact.mean().item<double>(), 0.05);
}

TEST(Likelihood, FallsAsAnImageLeavesTheData) {
  auto D = clusters();
  auto generator = training::torch_generator(3);
  const auto x = D.sample(20, generator);
  const auto signs = random_signs(x, generator);
  const LikelihoodOptions options{.steps = 30, .sigma_min = 0.05};
  const auto at = [&](double shift) {
    return negative_log_likelihood(D, x + shift, signs, options).mean().item<double>();
  };
  EXPECT_LT(at(0), at(0.2));
  EXPECT_LT(at(0.2), at(0.5));
}

TEST(Likelihood, RefusesSignsOfAnotherShape) {
  GaussianDenoiser D(torch::zeros({2}, f64), 0.5);
  EXPECT_THAT(
      [&] {
        negative_log_likelihood(D, torch::zeros({3, 2}, f64), torch::ones({2}, f64), {});
      },
      ThrowsUsageError(HasSubstr("[2]"), HasSubstr("[3, 2]")));
  EXPECT_THAT(
      [&] {
        negative_log_likelihood(D, torch::zeros({3, 2}, f64), torch::ones({3, 2}, f64),
                                {.steps = 0});
      },
      ThrowsUsageError(HasSubstr("0 steps")));
}

}  // namespace
}  // namespace reprise::models
