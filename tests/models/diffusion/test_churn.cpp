#include <cmath>
#include <limits>

#include "models/diffusion/churn.h"
#include "models/diffusion/noise_level.h"
#include "tests/models/exact.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

constexpr std::int64_t n = 20000;

/// The variance of `churns` churns in a row, from p(x; sigma) on, of data of deviation s.
double churned_variance(const ChurnOptions& options, double sigma, double s, int churns = 60) {
  GaussianDenoiser D(torch::zeros({1}, f64), s);
  at::Generator generator = training::torch_generator(1);
  auto x = std::hypot(s, sigma) * normal({n, 1}, generator);
  for (int i = 0; i < churns; ++i) x = churn(D, x, sigma, options, draw_unit_noise(x, generator));
  return variance(x);
}

TEST(Churn, AgreesWithNumPyOnEveryGoldenCase) {
  const auto& c = golden_case("churn_step");
  const auto& input = c.at("input");
  auto D = gaussian_of(input);
  const ChurnOptions options{.beta = input.at("beta"), .dt = input.at("dt")};
  const auto x = item(input, "x"), epsilon = item(input, "eps");
  expect_golden(churn(D, x, 1, options, epsilon), c.at("output").at("x"), c);
  expect_golden(churn(D, x, 1, options, torch::zeros_like(x)) - x, c.at("output").at("drift"), c);

  const auto& step_4 = golden_case("target");
  auto D_aux = gaussian_of(step_4.at("input"));
  expect_golden(churn_target(D_aux, item(step_4.at("input"), "x0"), item(step_4.at("input"), "x"),
                             item(step_4.at("input"), "x_churned"), 1),
                step_4.at("output"), step_4);

  const auto& law = golden_case("churn_stationary_variance");
  const double h = law.at("input").at("h");
  for (const auto& [form, name] :
       {std::pair{ChurnNoise::Langevin, "var"}, {ChurnNoise::Balanced, "balanced"}}) {
    std::vector<double> found;
    for (const double s : law.at("input").at("s").get<std::vector<double>>())
      found.push_back(
          stationary_variance({.dt = h, .noise = form}, law.at("input").at("sigma"), s));
    expect_golden(torch::tensor(found, f64), law.at("output").at(name), law);
  }
}

TEST(Churn, RepeatedEndsAtTheVarianceOfItsClosedFormSlow) {
  for (const double h : {0.1, 0.5, 1.0})
    for (const auto noise : {ChurnNoise::Langevin, ChurnNoise::Balanced})
      for (const double sigma : {0.5, 2.0}) {
        const ChurnOptions options{.dt = h, .noise = noise};
        const double expected = stationary_variance(options, sigma, 0.5);
        EXPECT_NEAR(churned_variance(options, sigma, 0.5) / expected, 1, variance_tolerance(n))
            << "h " << h << " sigma " << sigma;
      }
}

TEST(Churn, OnlyTwoFormsOfTheNoiseKeepTheLevelAsTheStepGoesToZero) {
  // beta = 3 tells the forms apart; a small step takes away the bias of a finite one.
  const auto ratio = [](ChurnNoise noise, double sigma) {
    return stationary_variance({.beta = 3, .dt = 1e-5, .noise = noise}, sigma, 0.5) /
           (0.25 + sigma * sigma);
  };
  for (const double sigma : {0.5, 2.0}) {
    EXPECT_NEAR(ratio(ChurnNoise::Langevin, sigma), 1, 1e-4);
    EXPECT_NEAR(ratio(ChurnNoise::Balanced, sigma), 1, 1e-4);
    EXPECT_NEAR(ratio(ChurnNoise::SigmaInRoot, sigma), 1 / sigma, 1e-4 / sigma);
    EXPECT_NEAR(ratio(ChurnNoise::BetaOutOfRoot, sigma), 3, 1e-3);
  }
  // And so it is when churns are made.
  for (const auto noise : {ChurnNoise::SigmaInRoot, ChurnNoise::BetaOutOfRoot}) {
    const ChurnOptions options{.beta = 3, .dt = 0.1, .noise = noise};
    const double found = churned_variance(options, 2, 0.5, 30);
    EXPECT_NEAR(found / stationary_variance(options, 2, 0.5), 1, variance_tolerance(n));
    EXPECT_GT(std::abs(found / 4.25 - 1), 0.3);
  }
}

TEST(Churn, TheBiasOfAFiniteStepIsAsItsHeaderSays) {
  // sigma >> s: 1 / (1 - h/2).
  for (const double h : {0.1, 0.5, 1.0})
    EXPECT_NEAR(stationary_variance({.dt = h}, 1000, 0.5) / 1e6, 1 / (1 - h / 2), 1e-5);
  for (const double h : {0.1, 0.5, 1.0}) {
    const ChurnOptions balanced{.dt = h, .noise = ChurnNoise::Balanced};
    EXPECT_NEAR(stationary_variance(balanced, 2, 0), 4, 1e-12);
    for (const double sigma : {0.1, 0.5, 2.0}) {
      const double ratio = stationary_variance(balanced, sigma, 0.5) / (0.25 + sigma * sigma);
      EXPECT_LT(ratio, 1);
      EXPECT_GT(ratio, 1 - h / 2);
    }
  }
}

TEST(Churn, AtOneTheBalancedFormIsDWithNewNoise) {
  auto D = clusters();
  at::Generator generator = training::torch_generator(2);
  const auto x = D.sample(5, generator), epsilon = draw_unit_noise(x, generator);
  EXPECT_TRUE(torch::allclose(churn(D, x, 0.7, {.dt = 1, .noise = ChurnNoise::Balanced}, epsilon),
                              D(x, 0.7) + 0.7 * epsilon));
}

TEST(Churn, RaisesTheLikelihoodOfWhatIsUnlikely) {
  // [0025]: from anywhere, towards p(x; sigma). The clusters as they are; the start half a unit off
  // in every dimension.
  auto D = clusters();
  at::Generator generator = training::torch_generator(3);
  const auto sigma = torch::tensor(0.5, f64);
  const auto x_0 = D.sample(200, generator);
  const auto law = x_0 + 0.5 * draw_unit_noise(x_0, generator);
  auto x = law + 0.5;
  const double at_home = D.log_density(law, sigma).mean().item<double>(),
               before = D.log_density(x, sigma).mean().item<double>();
  for (int i = 0; i < 40; ++i)
    x = churn(D, x, 0.5, {.dt = 0.2, .noise = ChurnNoise::Balanced}, draw_unit_noise(x, generator));
  const double after = D.log_density(x, sigma).mean().item<double>();
  EXPECT_LT(before, at_home - 20);
  // The deviation of ln p in 64 dimensions is about sqrt(64 / 2), its mean's over 200 items 0.4.
  EXPECT_NEAR(after, at_home, 2.5);
}

TEST(NoiseLevel, ReadsTheLevelOfTrulyNoisedDataAndOnlyWithTheErrorOfD) {
  auto D = clusters();
  at::Generator generator = training::torch_generator(4);
  const auto held_out = D.sample(400, generator), x_0 = D.sample(400, generator);
  for (const double sigma : {0.05, 0.2, 1.0, 3.0}) {
    const double error = mmse(D, held_out, sigma, draw_unit_noise(held_out, generator));
    const auto x = x_0 + sigma * draw_unit_noise(x_0, generator);
    EXPECT_NEAR(noise_level(D, x, sigma, error).square().mean().item<double>() / (sigma * sigma), 1,
                2 * variance_tolerance(400 * 64));
    EXPECT_EQ(noise_level(D, x, sigma, error).sizes(), at::IntArrayRef({400}));
    if (sigma <= 0.2) {
      EXPECT_LT(rms(noise_level(D, x, sigma, 0)), 0.92 * sigma);
    }
  }
}

TEST(NoiseLevel, ReadsAWrongLevelAsItsFormulaSays) {
  const double s = 0.5;
  GaussianDenoiser D(torch::zeros({64}, f64), s);
  at::Generator generator = training::torch_generator(5);
  const auto x_0 = D.sample(1000, generator);
  for (const double sigma : {0.2, 1.0, 3.0})
    for (const double q : {0.9, 1.0, 1.1}) {
      const auto read =
          noise_level(D, x_0 + q * sigma * draw_unit_noise(x_0, generator), sigma, D.mmse(sigma));
      const double c = sigma * sigma / (s * s + sigma * sigma);
      EXPECT_NEAR(read.square().mean().item<double>() / (sigma * sigma), 1 + c * c * (q * q - 1),
                  variance_tolerance(64000))
          << "sigma " << sigma << " q " << q;
    }
}

TEST(NoiseLevel, IsKeptByManyChurnsOnAMixtureSlow) {
  // Claims 9 and 21 of the document.
  auto D = clusters();
  at::Generator generator = training::torch_generator(6);
  const auto x_0 = D.sample(400, generator);
  for (const double sigma : {0.2, 1.0}) {
    const double error = mmse(D, x_0, sigma, draw_unit_noise(x_0, generator));
    for (const auto& [noise, low, high] :
         {std::tuple{ChurnNoise::Langevin, 1.0, 1.04}, {ChurnNoise::Balanced, 0.98, 1.015}}) {
      auto x = x_0 + sigma * draw_unit_noise(x_0, generator);
      for (int i = 0; i < 50; ++i)
        x = churn(D, x, sigma, {.dt = 0.1, .noise = noise}, draw_unit_noise(x, generator));
      const double level = rms(noise_level(D, x, sigma, error)) / sigma;
      EXPECT_GT(level, low) << "sigma " << sigma;
      EXPECT_LT(level, high) << "sigma " << sigma;
    }
  }
}

/// The variance of pixels that Algorithm 1 is repeated on: x_0 <- x^_0.
double variance_of_pixels(const InversionOptions& inversion, double s, double sigma, double h,
                          int iterations, std::int64_t count) {
  GaussianDenoiser D(torch::zeros({1}, f64), s);
  at::Generator generator = training::torch_generator(7);
  auto x_0 = D.sample(count, generator);
  for (int i = 0; i < iterations; ++i)
    x_0 = nudge(D, D, x_0, sigma, inversion, {.dt = h}, generator).target;
  return variance(x_0);
}

/// What it tends to for an inversion x_sigma = gain x_0 + noise epsilon: x^_0 = (1 - a h c gain)
/// x_0 - a h c noise epsilon + a kappa epsilon', with a = s^2 / (s^2 + sigma^2), c = 1 - a.
double law_of_pixels(double s, double sigma, double h, double gain, double noise) {
  const double a = s * s / (s * s + sigma * sigma), c = 1 - a, kept = 1 - a * h * c * gain;
  return a * a * (h * h * c * c * noise * noise + 2 * h * sigma * sigma) / (1 - kept * kept);
}

TEST(AlgorithmOne, RepeatedOnPixelsHasALawThatTheInversionSetsSlow) {
  const double s = 1, sigma = 1, h = 0.5, a = s * s / (s * s + sigma * sigma);
  const double ode_gain = std::sqrt((s * s + sigma * sigma) / (s * s + 0.02 * 0.02));
  EXPECT_NEAR(variance_of_pixels({.method = Inversion::Naive}, s, sigma, h, 25, n) /
                  law_of_pixels(s, sigma, h, 1, sigma),
              1, variance_tolerance(n));
  // 12 Heun steps are 1 % off in the gain.
  EXPECT_NEAR(variance_of_pixels({.method = Inversion::Ode}, s, sigma, h, 25, n) /
                  law_of_pixels(s, sigma, h, ode_gain, 0),
              1, variance_tolerance(n) + 0.01);
  const std::int64_t few = 4000;
  EXPECT_NEAR(variance_of_pixels({.adam_steps = 60, .rate = 0.2}, s, sigma, h, 20, few) /
                  law_of_pixels(s, sigma, h, 1 / a, 0),
              1, variance_tolerance(few) + 0.02);
}

TEST(AlgorithmOne, InTheLimitKeepsTheDataWithTheNaiveInversionAndBlursWithTheOthers) {
  for (const double sigma : {0.2, 1.0, 3.0}) {
    const double s = 0.5, total = s * s + sigma * sigma, a = s * s / total, h = 1e-6;
    EXPECT_NEAR(law_of_pixels(s, sigma, h, 1, sigma) / (s * s), 1, 1e-5);
    EXPECT_NEAR(law_of_pixels(s, sigma, h, std::sqrt(1 / a), 0) / (s * s * s / std::sqrt(total)), 1,
                1e-5);
    // The variance of D(x; sigma): the denoised law.
    EXPECT_NEAR(law_of_pixels(s, sigma, h, 1 / a, 0) / (a * s * s), 1, 1e-5);
  }
}

TEST(AlgorithmOne, AddsToTheImageWhatTheChurnChangedAndConditionsEachDenoiserApart) {
  const auto means = torch::tensor({{-2.0, 0.0}, {2.0, 0.0}}, f64);
  MixtureDenoiser D(torch::ones({2}, f64), means, torch::full({2}, 0.3, f64));
  GaussianDenoiser D_aux(torch::zeros({2}, f64), 1.5);
  at::Generator generator = training::torch_generator(8), again = training::torch_generator(8);
  const auto x_0 = torch::tensor({{0.1, 0.2}, {0.3, -0.5}}, f64), labels = torch::tensor({0, 1});
  const ChurnOptions options{.dt = 0.4};
  const auto found = nudge(D, D_aux, x_0, 0.8, {}, options, generator, labels);
  const auto x_sigma = invert(D_aux, x_0, 0.8, {}, draw_unit_noise(x_0, again));
  const auto churned = churn(D, x_sigma, 0.8, options, draw_unit_noise(x_0, again), labels);
  EXPECT_TRUE(torch::equal(found.x_sigma, x_sigma));
  EXPECT_TRUE(torch::equal(found.x_churned, churned));
  EXPECT_TRUE(torch::allclose(found.target, x_0 + D_aux(churned, 0.8) - D_aux(x_sigma, 0.8)));
  EXPECT_FALSE(torch::equal(
      found.x_churned,
      churn(D, x_sigma, 0.8, options, draw_unit_noise(x_0, training::torch_generator(9)), labels)));
}

TEST(Churn, RefusesStepsThatDivergeAndLevelsThatCannotBe) {
  for (const double h : {0.0, -0.1, 2.0, 7.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT([&] { churn_noise({.dt = h}, 1); },
                ThrowsUsageError(HasSubstr("h = beta dt"), HasSubstr("below 2")));
  EXPECT_THAT([] { churn_noise({.beta = -1, .dt = -0.3}, 1); },
              ThrowsUsageError(HasSubstr("beta = -1")));
  EXPECT_THAT([] { churn_noise({.dt = 1.01, .noise = ChurnNoise::Balanced}, 1); },
              ThrowsUsageError(HasSubstr("h from 0 to 1")));
  EXPECT_NEAR(churn_noise({.dt = 1.99}, 1), std::sqrt(3.98), 1e-12);
  EXPECT_THAT([] { churn_noise({}, 0); },
              ThrowsUsageError(HasSubstr("a churn"), HasSubstr("sigma = 0")));
  GaussianDenoiser D(torch::zeros({2}, f64), 1);
  const auto x = torch::zeros({3, 2}, f64);
  EXPECT_THAT([&] { churn(D, x, 1, {}, torch::zeros({2}, f64)); },
              ThrowsUsageError(HasSubstr("[2]"), HasSubstr("[3, 2]")));
  EXPECT_THAT([&] { nudge(D, D, x, 1, {}, {.dt = 3}, training::torch_generator(1)); },
              ThrowsUsageError(HasSubstr("below 2")));
  EXPECT_THAT([&] { nudge(D, D, x / 0, 1, {}, {}, training::torch_generator(1)); },
              ThrowsError(HasSubstr("not finite"), HasSubstr("index 0")));
  EXPECT_THAT([&] { noise_level(D, x, 1, -1); }, ThrowsUsageError(HasSubstr("-1")));
  EXPECT_THAT([] { parse_churn_noise("white"); },
              ThrowsUsageError(HasSubstr("langevin or balanced")));
}

}  // namespace
}  // namespace reprise::models
