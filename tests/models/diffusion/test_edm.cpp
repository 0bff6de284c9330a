#include <cmath>

#include "models/diffusion/edm.h"
#include "tests/models/exact.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

/// F(x) = weight x: the least network there is; it keeps what it was called with.
class Scale : public RawNetwork {
 public:
  explicit Scale(double weight)
      : weight(register_parameter("weight", torch::tensor(weight, f64))) {}
  Tensor forward(const Tensor& x, const Tensor& c_noise, const Tensor& labels) override {
    seen = x, seen_noise = c_noise, seen_labels = labels;
    return weight * x;
  }
  Tensor weight, seen, seen_noise, seen_labels;
};

TEST(Preconditioning, AgreesWithNumPyOnTheGoldenCase) {
  const auto& c = golden_case("edm_preconditioning");
  const auto sigma = tensor_of(c.at("input").at("sigma"));
  const double sigma_data = c.at("input").at("sigma_data");
  const auto p = preconditioning(sigma, sigma_data);
  expect_golden(p.c_skip, c.at("output").at("c_skip"), c);
  expect_golden(p.c_out, c.at("output").at("c_out"), c);
  expect_golden(p.c_in, c.at("output").at("c_in"), c);
  expect_golden(p.c_noise, c.at("output").at("c_noise"), c);
  expect_golden(loss_weight(sigma, sigma_data), c.at("output").at("weight"), c);
  EXPECT_TRUE(
      torch::allclose(loss_weight(sigma, sigma_data) * p.c_out.square(), torch::ones_like(sigma)));
}

TEST(PreconditionedDenoiser, WithANetworkOfZeroIsTheExactDenoiserOfAGaussian) {
  // c_skip x is what is best when all that is known of the data is its deviation.
  PreconditionedDenoiser D(std::make_shared<Scale>(0), 0.3);
  GaussianDenoiser exact(torch::zeros({4}, f64), 0.3);
  at::Generator generator = training::torch_generator(1);
  const auto x = normal({5, 4}, generator),
             sigma = torch::tensor({0.01, 0.1, 1.0, 10.0, 80.0}, f64);
  EXPECT_TRUE(torch::allclose(D(x, sigma), exact(x, sigma, {}), 1e-13, 1e-15));
}

TEST(PreconditionedDenoiser, WithAMeanANetworkOfZeroIsTheExactDenoiserOfAGaussianAroundIt) {
  const auto mu = torch::tensor({-1.0, 0.5, 0.25}, f64);
  PreconditionedDenoiser D(std::make_shared<Scale>(0), 0.3, mu);
  GaussianDenoiser exact(mu, 0.3);
  auto generator = training::torch_generator(4);
  const auto x = normal({5, 3}, generator);
  EXPECT_TRUE(D(x, 0.7).allclose(exact(x, 0.7), 1e-12));
}

TEST(PreconditionedDenoiser, ShowsItsNetworkInputsOfVarianceOneAndTheLevelOfEachItem) {
  const auto F = std::make_shared<Scale>(1);
  PreconditionedDenoiser D(F, 0.5);
  at::Generator generator = training::torch_generator(2);
  const std::int64_t n = 20000;
  for (const double sigma : {0.01, 0.5, 80.0}) {
    const auto labels = torch::full({n}, 3);
    D(0.5 * normal({n, 1}, generator) + sigma * normal({n, 1}, generator), sigma, labels);
    EXPECT_NEAR(variance(F->seen), 1, variance_tolerance(static_cast<double>(n)))
        << "sigma " << sigma;
    EXPECT_EQ(F->seen_noise.sizes(), at::IntArrayRef({n}));
    EXPECT_NEAR(F->seen_noise[n - 1].item<double>(), std::log(sigma) / 4, 1e-12);
    EXPECT_TRUE(torch::equal(F->seen_labels, labels));
  }
  D(torch::zeros({2, 1}, f64), torch::tensor({1.0, 80.0}, f64));
  EXPECT_NEAR(F->seen_noise[1].item<double>(), std::log(80) / 4, 1e-12);
  EXPECT_TRUE(D.named_parameters().contains("F.weight"));
}

TEST(TrainingLoss, IsOneAtEveryLevelForANetworkOfZero) {
  // F's best output has variance 1 on data of deviation sigma_data (Karras et al. 2022, eq 117).
  const auto F = std::make_shared<Scale>(0);
  PreconditionedDenoiser D(F, 0.5);
  at::Generator generator = training::torch_generator(3);
  const std::int64_t n = 20000;
  for (const double sigma : {0.01, 0.5, 80.0}) {
    const auto x_0 = 0.5 * normal({n, 1}, generator);
    const auto loss =
        training_loss(D, x_0, torch::full({n}, sigma, f64), draw_unit_noise(x_0, generator), 0.5);
    EXPECT_NEAR(loss.item<double>(), 1, variance_tolerance(static_cast<double>(n)))
        << "sigma " << sigma;
  }
  const auto x_0 = torch::ones({2, 1}, f64);
  training_loss(D, x_0, torch::ones({2}, f64), x_0).backward();
  EXPECT_NE(F->weight.grad().item<double>(), 0);
}

TEST(TrainingSigma, IsLogNormal) {
  const auto log_sigma = training_sigma(20000, {}, training::torch_generator(4)).log().to(f64);
  EXPECT_NEAR(log_sigma.mean().item<double>(), -1.2, 5 * 1.2 / std::sqrt(20000));
  EXPECT_NEAR(variance(log_sigma) / 1.44, 1, variance_tolerance(20000));
  EXPECT_THAT([] { training_sigma(1, {.P_std = -1}, training::torch_generator(4)); },
              ThrowsUsageError(HasSubstr("-1")));
}

TEST(SigmaGrid, IsEdmsScheduleOnTheGoldenCase) {
  const auto& c = golden_case("edm_schedule_18");
  expect_golden(torch::tensor(sampling_schedule({}), f64), c.at("output"), c);
}

TEST(SigmaGrid, ReachesBothEndsExactlyUpAndDown) {
  for (const auto grid : {Grid::Rho, Grid::Geometric}) {
    const auto up = sigma_grid(13, 0.02, 1, grid), down = sigma_grid(13, 1, 0.02, grid);
    EXPECT_EQ(up.front(), 0.02);
    EXPECT_EQ(up.back(), 1);
    for (std::size_t i = 0; i < 13; ++i) EXPECT_NEAR(up[i], down[12 - i], 1e-14);
  }
  const auto geometric = sigma_grid(5, 0.1, 1.6, Grid::Geometric);
  EXPECT_NEAR(geometric[1] / geometric[0], 2, 1e-12);
  EXPECT_NEAR(sigma_grid(3, 1, 9, Grid::Rho, 1)[1], 5, 1e-12);
  EXPECT_EQ(sigma_grid(1, 80, 0.002).size(), 1U);
}

TEST(EdmSample, AgreesWithNumPyOnTheGoldenCase) {
  const auto& c = golden_case("heun_sampler_18_gaussian");
  auto D = gaussian_of(c.at("input"));
  const auto x = edm_sample(D, item(c.at("input"), "x_T"));
  expect_golden(x, c.at("output").at("x"), c);
  // 18 steps end 5 to 7 % from the exact end of the path, up to 0.09 deviations of the data here.
  const auto off =
      (x[0] - tensor_of(c.at("output").at("exact"))) / tensor_of(c.at("input").at("s"));
  EXPECT_LT(off.abs().max().item<double>(), 0.1);
}

/// The error of one data deviation at the end of the path from sigma_max.
double sampling_error(Solver solver, std::int64_t steps) {
  GaussianDenoiser D(torch::zeros({1}, f64), 0.5);
  const double exact = 0.5 / std::sqrt(0.25 + 80 * 80);
  return std::abs(
      edm_sample(D, torch::ones({1, 1}, f64), {.steps = steps, .solver = solver}).item<double>() /
          exact -
      1);
}

TEST(EdmSample, ConvergesAtFirstOrderWithEulerAndSecondWithHeun) {
  EXPECT_NEAR(std::log2(sampling_error(Solver::Euler, 256) / sampling_error(Solver::Euler, 512)), 1,
              0.05);
  EXPECT_NEAR(std::log2(sampling_error(Solver::Heun, 64) / sampling_error(Solver::Heun, 128)), 2,
              0.1);
}

TEST(EdmSample, WithChurnStillGivesTheDataAndIsRandomSlow) {
  GaussianDenoiser D(torch::full({1}, 0.2, f64), 0.5);
  at::Generator generator = training::torch_generator(5);
  const auto x_T = 80 * normal({10000, 1}, generator);
  const SamplerOptions churned{.steps = 80, .S_churn = 10, .S_min = 0.05, .S_max = 50};
  const auto x = edm_sample(D, x_T, churned, training::torch_generator(6));
  // Step by step, on a Gaussian, the variance of these steps can be worked out: it ends 1.3 % above
  // the data's.
  EXPECT_NEAR(variance(x) / 0.25, 1.013, variance_tolerance(10000));
  EXPECT_NEAR(x.mean().item<double>(), 0.2, 5 * 0.5 / 100);
  EXPECT_TRUE(torch::equal(x, edm_sample(D, x_T, churned, training::torch_generator(6))));
  EXPECT_FALSE(torch::equal(x, edm_sample(D, x_T, churned, training::torch_generator(7))));
  // Without noise in range nothing is drawn: the deterministic sampler.
  auto outside = churned;
  outside.S_min = 100, outside.S_max = 200;
  EXPECT_TRUE(torch::equal(edm_sample(D, x_T, outside, training::torch_generator(6)),
                           edm_sample(D, x_T, {.steps = 80})));
}

TEST(EdmSample, RaisesTheLevelByGammaAndAtMostBySqrtTwo) {
  // One step from sigma to 0 ends in D(x_hat; sigma_hat): on a Gaussian, its variance tells
  // sigma_hat and the noise put in.
  GaussianDenoiser D(torch::zeros({1}, f64), 1);
  at::Generator generator = training::torch_generator(8);
  const auto noise = normal({20000, 1}, generator);
  for (const auto& [S_churn, gamma] : {std::pair{0.2, 0.2}, {9.0, std::sqrt(2) - 1}}) {
    const auto x = edm_sample(D, std::sqrt(5.0) * noise,
                              {.steps = 1, .sigma_max = 2, .S_churn = S_churn}, generator);
    const double sigma_hat = 2 * (1 + gamma);
    EXPECT_NEAR(variance(x) * (1 + sigma_hat * sigma_hat), 1, variance_tolerance(20000))
        << "S_churn " << S_churn;
  }
}

TEST(EdmSample, WhatIsStochasticRaisesAllLevelsByTheMostAndForgetsWhereItBegan) {
  const auto most = make_stochastic({.steps = 1, .sigma_max = 2});
  GaussianDenoiser unit(torch::zeros({1}, f64), 1);
  at::Generator generator = training::torch_generator(9);
  const auto raised =
      edm_sample(unit, std::sqrt(5.0) * normal({20000, 1}, generator), most, generator);
  EXPECT_NEAR(variance(raised) * (1 + 8), 1, variance_tolerance(20000)) << "from 2 to 2 sqrt(2)";
  EXPECT_EQ(most.S_min, 0.05);
  // Half of the deviation is missing at the start: the ODE keeps that error to the end, new noise
  // washes it out.
  GaussianDenoiser D(torch::zeros({1}, f64), 0.5);
  const auto start = 0.5 * std::sqrt(4.25) * normal({20000, 1}, generator);
  EXPECT_LT(variance(edm_sample(D, start, {.steps = 40, .sigma_max = 2})), 0.3 * 0.25);
  EXPECT_GT(
      variance(edm_sample(D, start, make_stochastic({.steps = 40, .sigma_max = 2}), generator)),
      0.9 * 0.25);
}

TEST(GuidedDenoiser, AtOneIsTheDenoiserAtZeroTheGuideAndBeyondOneLeadsOn) {
  const auto means = torch::tensor({{-1.0, 0.0}, {1.0, 2.0}}, f64);
  const auto D =
      std::make_shared<MixtureDenoiser>(torch::ones({2}, f64), means, torch::full({2}, 0.4, f64));
  at::Generator generator = training::torch_generator(9);
  const auto x = normal({3, 2}, generator), sigma = torch::tensor(0.9, f64),
             labels = torch::tensor({0, 1, 1});
  const auto conditioned = (*D)(x, sigma, labels), free = (*D)(x, sigma);
  EXPECT_TRUE(torch::equal(GuidedDenoiser(D, D, 1)(x, sigma, labels), conditioned));
  EXPECT_TRUE(torch::equal(GuidedDenoiser(D, D, 0)(x, sigma, labels), free));
  EXPECT_TRUE(torch::allclose(GuidedDenoiser(D, D, 3)(x, sigma, labels),
                              conditioned + 2 * (conditioned - free)));
  EXPECT_TRUE(torch::allclose(GuidedDenoiser(D, D, 3)(x, sigma), free));
  EXPECT_EQ(GuidedDenoiser(D, D, 3).buffers().size(), 3U);
}

TEST(Edm, NamesWhatCannotBe) {
  EXPECT_THAT([] { sigma_grid(0, 1, 2); }, ThrowsUsageError(HasSubstr("0 levels")));
  EXPECT_THAT([] { sigma_grid(3, 0, 2); },
              ThrowsUsageError(HasSubstr("first point"), HasSubstr("sigma = 0")));
  EXPECT_THAT([] { sigma_grid(3, 1, 2, Grid::Rho, 0); }, ThrowsUsageError(HasSubstr("rho = 0")));
  EXPECT_THAT([] { PreconditionedDenoiser(std::make_shared<Scale>(0), 0); },
              ThrowsUsageError(HasSubstr("sigma_data")));
  GaussianDenoiser D(torch::zeros({1}), 1);
  EXPECT_THAT(
      [&] {
        edm_sample(D, torch::zeros({1, 1}), {.S_churn = 4});
      },
      ThrowsUsageError(HasSubstr("without a generator")));
  EXPECT_THAT(
      [&] {
        edm_sample(D, torch::zeros({1, 1}), {.S_churn = -1});
      },
      ThrowsUsageError(HasSubstr("S_churn = -1")));
}

}  // namespace
}  // namespace reprise::models
