#include <cmath>
#include <limits>

#include "tests/models/exact.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

TEST(GaussianDenoiser, AgreesWithNumPyOnEveryGoldenCase) {
  for (const auto* sigma : {"0.2", "1.0", "3.0"}) {
    const auto& c = golden_case(std::string("denoiser_gaussian_sigma") + sigma);
    auto D = gaussian_of(c.at("input"));
    expect_golden(D(item(c.at("input"), "x"), c.at("input").at("sigma").get<double>()),
                  c.at("output"), c);
  }
}

TEST(MixtureDenoiser, AgreesWithNumPyOnEveryGoldenCaseItsJacobianIncluded) {
  for (const auto* name :
       {"denoiser_mixture_sigma0.3", "denoiser_mixture_sigma1.5", "denoiser_mixture_sigma0.05"}) {
    const auto& c = golden_case(name);
    const auto& input = c.at("input");
    MixtureDenoiser D(tensor_of(input.at("pi")), tensor_of(input.at("mu")),
                      tensor_of(input.at("s")));
    const auto x = item(input, "x").requires_grad_();
    const auto sigma = tensor_of(input.at("sigma"));
    const auto denoised = D(x, sigma);
    expect_golden(denoised.detach(), c.at("output").at("D"), c);
    expect_golden(score(D, x, sigma).detach(), c.at("output").at("score"), c);
    // The Jacobian of a denoiser is symmetric: a covariance over sigma^2.
    expect_golden(torch::autograd::grad({denoised[0][0]}, {x})[0], c.at("output").at("J_e0"), c);
  }
}

/// Deviations of every component and dimension their own.
MixtureDenoiser uneven() {
  at::Generator generator = training::torch_generator(3);
  return {torch::tensor({0.2, 0.5, 0.3}, f64), normal({3, 5}, generator),
          0.2 + torch::rand({3, 5}, generator, f64)};
}

TEST(MixtureDenoiser, ItsScoreIsTheGradientOfItsLogDensity) {
  auto D = uneven();
  at::Generator generator = training::torch_generator(4);
  const auto x = normal({6, 5}, generator).requires_grad_();
  const auto sigma = torch::tensor({0.1, 0.2, 0.5, 1.0, 3.0, 40.0}, f64);
  const auto labels = torch::tensor({-1, 0, 1, 2, -1, -1});
  for (const auto& given : {Tensor(), labels}) {
    const auto gradient = torch::autograd::grad({D.log_density(x, sigma, given).sum()}, {x})[0];
    EXPECT_LT((gradient - score(D, x, sigma, given)).abs().max().item<double>(), 1e-9);
  }
}

TEST(MixtureDenoiser, ItsDensityIntegratesToOneWithAndWithoutLabel) {
  MixtureDenoiser D(torch::tensor({1.0, 3.0}, f64), torch::tensor({{-1.0}, {0.5}}, f64),
                    torch::tensor({0.3, 0.0}, f64));
  const auto x = torch::linspace(-8, 8, 16001, f64).unsqueeze(1);
  for (const auto& labels :
       {Tensor(), torch::zeros({16001}, torch::kInt64), torch::ones({16001}, torch::kInt64)})
    EXPECT_NEAR(D.log_density(x, torch::tensor(0.2, f64), labels).exp().sum().item<double>() * 1e-3,
                1, 1e-9);
}

TEST(MixtureDenoiser, LeavesAnErrorThatNothingInTheInputExplains) {
  // D is E[x_0 | x]: its error is orthogonal to every function of x. Each mean below has the
  // standard error of n products.
  auto D = uneven();
  at::Generator generator = training::torch_generator(5);
  const std::int64_t n = 20000;
  const auto x_0 = D.sample(n, generator);
  for (const double sigma : {0.3, 1.0}) {
    const auto x = x_0 + sigma * draw_unit_noise(x_0, generator);
    const auto error = D(x, sigma) - x_0;
    for (const auto& seen : {torch::ones_like(x), x, x.square(), (3 * x).sin(), x.roll(1, 1)}) {
      const auto product = error * seen;
      const auto off = product.mean(0) / (product.std(0) / std::sqrt(static_cast<double>(n)));
      EXPECT_LT(off.abs().max().item<double>(), 5) << "sigma " << sigma;
    }
  }
}

TEST(MixtureDenoiser, AnItemsLevelIsItsOwn) {
  auto D = uneven();
  at::Generator generator = training::torch_generator(6);
  const auto x = normal({3, 5}, generator);
  const auto together = D(x, torch::tensor({0.1, 1.0, 7.0}, f64));
  EXPECT_LT((together[1] - D(x.slice(0, 1, 2), 1.0)[0]).abs().max().item<double>(), 1e-14);
  EXPECT_LT((together[2] - D(x.slice(0, 2, 3), 7.0)[0]).abs().max().item<double>(), 1e-14);
}

TEST(MixtureDenoiser, ALabelIsItsComponentAndMinusOneIsNone) {
  const auto means = torch::tensor({{-1.0, 0.0}, {1.0, 2.0}}, f64),
             deviations = torch::tensor({0.3, 0.7}, f64);
  MixtureDenoiser D(torch::tensor({0.9, 0.1}, f64), means, deviations);
  GaussianDenoiser second(means[1], 0.7);
  const auto x = torch::tensor({{-1.0, 0.1}, {0.4, 0.2}}, f64), sigma = torch::tensor(0.8, f64);
  EXPECT_TRUE(torch::allclose(D(x, sigma, torch::tensor({1, 1})), second(x, sigma), 1e-14, 1e-14));
  EXPECT_TRUE(torch::allclose(D.log_density(x, sigma, torch::tensor({1, 1})),
                              second.log_density(x, sigma), 1e-14, 1e-14));
  EXPECT_TRUE(torch::equal(D(x, sigma, torch::tensor({-1, -1})), D(x, sigma)));
}

TEST(MixtureDenoiser, OnPointsItEndsAtTheNearest) {
  const auto points = torch::tensor({{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}}, f64);
  MixtureDenoiser D(torch::ones({3}, f64), points, torch::zeros({3}, f64));
  const auto x = torch::tensor({{0.2, 0.1}, {0.9, 0.3}, {-0.4, 0.8}}, f64);
  EXPECT_LT((D(x, 0.05) - points).abs().max().item<double>(), 1e-12);
  // Far from all of them, or in much noise: their mean.
  EXPECT_LT((D(x, 1e4) - points.mean(0)).abs().max().item<double>(), 1e-7);
}

TEST(MixtureDenoiser, SamplesHaveItsWeightsMeansAndDeviations) {
  MixtureDenoiser D(torch::tensor({3.0, 1.0}, f64), torch::tensor({{-50.0}, {50.0}}, f64),
                    torch::tensor({0.5, 2.0}, f64));
  const double n = 20000;
  const auto x = D.sample(20000, training::torch_generator(7));
  const auto second = x.masked_select(x > 0), first = x.masked_select(x <= 0);
  EXPECT_NEAR(static_cast<double>(first.numel()) / n, 0.75, 5 * std::sqrt(0.75 * 0.25 / n));
  EXPECT_NEAR(first.mean().item<double>(), -50, 5 * 0.5 / std::sqrt(0.75 * n));
  EXPECT_NEAR(variance(first) / 0.25, 1, variance_tolerance(0.75 * n));
  EXPECT_NEAR(second.mean().item<double>(), 50, 5 * 2 / std::sqrt(0.25 * n));
  EXPECT_NEAR(variance(second) / 4, 1, variance_tolerance(0.25 * n));
  EXPECT_TRUE(torch::equal(x, D.sample(20000, training::torch_generator(7))));
}

TEST(GaussianDenoiser, ItsErrorIsThatOfItsFormula) {
  at::Generator generator = training::torch_generator(8);
  const auto mean = normal({1, 4, 4}, generator);
  GaussianDenoiser D(mean, torch::rand({1, 4, 4}, generator, f64) + 0.2);
  const auto x_0 = D.sample(4000, generator);
  EXPECT_EQ(x_0.sizes(), at::IntArrayRef({4000, 1, 4, 4}));
  const auto squared = (D(x_0 + 0.7 * draw_unit_noise(x_0, generator), 0.7) - x_0).square();
  EXPECT_NEAR(squared.mean().item<double>() / D.mmse(0.7), 1, 2 * variance_tolerance(64000));
}

TEST(ExactDenoiser, KeepsTheTypeAndShapeOfItsInputAndComputesInItsOwn) {
  GaussianDenoiser D(torch::full({1, 2, 2}, 0.1, f64), 0.5);
  const auto x = torch::rand({3, 1, 2, 2}, training::torch_generator(9), torch::kFloat32);
  const auto denoised = D(x, 0.4);
  EXPECT_EQ(denoised.scalar_type(), torch::kFloat32);
  EXPECT_EQ(denoised.sizes(), x.sizes());
  EXPECT_LT((denoised - D(x.to(f64), 0.4)).abs().max().item<double>(), 1e-7);
  EXPECT_TRUE(torch::equal(D(x, torch::tensor(0.0, f64)), x));
}

TEST(ExactDenoiser, NamesWhatCannotBe) {
  const auto pi = torch::ones({2}, f64), means = torch::zeros({2, 3}, f64),
             s = torch::ones({2}, f64);
  EXPECT_THAT([&] { MixtureDenoiser(torch::ones({3}, f64), means, s); },
              ThrowsUsageError(HasSubstr("weights [3]"), HasSubstr("[2, 3]")));
  EXPECT_THAT([&] { MixtureDenoiser(pi, means, torch::ones({3}, f64)); },
              ThrowsUsageError(HasSubstr("deviations [3]")));
  EXPECT_THAT([&] { MixtureDenoiser(torch::zeros({2}, f64), means, s); },
              ThrowsUsageError(HasSubstr("weight")));
  EXPECT_THAT([&] { MixtureDenoiser(pi, means, -s); }, ThrowsUsageError(HasSubstr("below 0")));
  EXPECT_THAT([&] { MixtureDenoiser(pi, means / 0, s); },
              ThrowsUsageError(HasSubstr("not finite")));
  MixtureDenoiser D(pi, means, s);
  const auto x = torch::zeros({4, 3}, f64);
  EXPECT_THAT(
      [&] {
        D(torch::zeros({4, 2}, f64), 1.0);
      },
      ThrowsUsageError(HasSubstr("[4, 2]"), HasSubstr("[3]")));
  EXPECT_THAT([&] { D(x, torch::ones({3}, f64)); },
              ThrowsUsageError(HasSubstr("levels of shape [3]"), HasSubstr("[4, 3]")));
  EXPECT_THAT([&] { D(x, 1.0, torch::full({4}, 2)); }, ThrowsUsageError(HasSubstr("from 0 to 1")));
  EXPECT_THAT([&] { D(x, 1.0, torch::zeros({3}, torch::kInt64)); },
              ThrowsUsageError(HasSubstr("labels [3] for 4")));
  for (const double sigma : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()})
    EXPECT_THAT([&] { D(x, sigma); }, ThrowsUsageError(HasSubstr("sigma = ")));
}

}  // namespace
}  // namespace reprise::models
