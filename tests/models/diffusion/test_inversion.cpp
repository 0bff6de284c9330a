#include <cmath>
#include <limits>

#include "models/diffusion/methods.h"
#include "tests/models/exact.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

TEST(GaussianDenoiser, ItsClosedFormsOfInversionAgreeWithNumPy) {
  for (const auto* name : {"ode_inversion_exact_1.0", "ode_inversion_exact_3.0"}) {
    const auto& c = golden_case(name);
    const auto& input = c.at("input");
    expect_golden(
        gaussian_of(input).ode_inverse(item(input, "x0"), input.at("sigma_min"), input.at("sigma")),
        c.at("output"), c);
  }
  const auto& c = golden_case("inversion_backprop_optimum");
  const auto& input = c.at("input");
  auto D = gaussian_of(input);
  const auto optimum = D.backprop_optimum(item(input, "x0"), input.at("sigma"));
  expect_golden(optimum, c.at("output"), c);
  EXPECT_LT(
      (D(optimum, input.at("sigma").get<double>()) - item(input, "x0")).abs().max().item<double>(),
      1e-14);
}

TEST(Inversion, AgreesWithNumPyOnEveryGoldenCase) {
  for (const auto& [name, grid, solver] : {std::tuple{"geo_euler", Grid::Geometric, Solver::Euler},
                                           {"geo_heun", Grid::Geometric, Solver::Heun},
                                           {"rho7_euler", Grid::Rho, Solver::Euler},
                                           {"rho7_heun", Grid::Rho, Solver::Heun}}) {
    const auto& c = golden_case(std::string("ode_inversion_N12_") + name);
    auto D = gaussian_of(c.at("input"));
    expect_golden(invert(D, item(c.at("input"), "x0"), 1,
                         {.method = Inversion::Ode, .grid = grid, .solver = solver}),
                  c.at("output"), c);
  }
  const auto& naive = golden_case("inversion_naive");
  GaussianDenoiser any(torch::zeros({3}, f64), 1);
  expect_golden(invert(any, item(naive.at("input"), "x0"), 1, {.method = Inversion::Naive},
                       item(naive.at("input"), "eps")),
                naive.at("output"), naive);

  const auto& c = golden_case("inversion_backprop_20_adam");
  const auto& input = c.at("input");
  auto D = gaussian_of(input);
  const auto x_0 = item(input, "x0"), epsilon = item(input, "eps");
  const auto x = invert(D, x_0, 1, {.rate = input.at("lr")}, epsilon);
  expect_golden(x, c.at("output").at("x"), c);
  const auto loss = [&](const Tensor& at) { return (D(at, 1.0) - x_0).square().mean(); };
  expect_golden(loss(x_0 + epsilon), c.at("output").at("loss_before"), c);
  expect_golden(loss(x), c.at("output").at("loss_after"), c);
}

/// Largest error of the ODE's inverse of data of deviation s, relative to the way from the mean.
double gaussian_error(double s, Solver solver, Grid grid, std::int64_t steps) {
  GaussianDenoiser D(torch::zeros({1}, f64), s);
  const auto x_0 = torch::ones({1, 1}, f64);
  const auto x =
      invert(D, x_0, 1, {.method = Inversion::Ode, .steps = steps, .grid = grid, .solver = solver});
  return std::abs((x / D.ode_inverse(x_0, 0.02, 1)).item<double>() - 1);
}

TEST(OdeInversion, ConvergesToItsClosedFormAtFirstOrderWithEulerAndSecondWithHeun) {
  for (const double s : {0.1, 0.5})
    for (const auto grid : {Grid::Geometric, Grid::Rho}) {
      const auto order = [&](Solver solver, std::int64_t steps) {
        return std::log2(gaussian_error(s, solver, grid, steps) /
                         gaussian_error(s, solver, grid, 2 * steps));
      };
      EXPECT_NEAR(order(Solver::Euler, 128), 1, 0.03) << "s " << s;
      EXPECT_NEAR(order(Solver::Heun, 64), 2, 0.06) << "s " << s;
      // At the document's 12 steps.
      EXPECT_LT(gaussian_error(s, Solver::Euler, grid, 12), 0.08);
      EXPECT_LT(gaussian_error(s, Solver::Heun, grid, 12), 0.013);
    }
  // Equal steps of sigma waste them where nothing happens.
  GaussianDenoiser D(torch::zeros({1}, f64), 0.1);
  const auto x_0 = torch::ones({1, 1}, f64);
  const InversionOptions even{
      .method = Inversion::Ode, .grid = Grid::Rho, .rho = 1, .solver = Solver::Euler};
  EXPECT_GT(std::abs((invert(D, x_0, 1, even) / D.ode_inverse(x_0, 0.02, 1)).item<double>() - 1),
            0.2);
}

TEST(OdeInversion, ConvergesAtTheSameOrdersOnAMixtureOfManyDimensionsSlow) {
  auto D = clusters();
  const auto x_0 = D.sample(4, training::torch_generator(1));
  const auto at = [&](Solver solver, std::int64_t steps) {
    return invert(D, x_0, 1, {.method = Inversion::Ode, .steps = steps, .solver = solver});
  };
  const auto fine = at(Solver::Heun, 2048);
  const auto order = [&](Solver solver, std::int64_t steps) {
    return std::log2(rms(at(solver, steps) - fine) / rms(at(solver, 2 * steps) - fine));
  };
  EXPECT_NEAR(order(Solver::Euler, 128), 1, 0.1);
  EXPECT_NEAR(order(Solver::Heun, 64), 2, 0.15);
}

TEST(OdeInversion, UndoesWhatTheSamplerDid) {
  auto D = clusters();
  at::Generator generator = training::torch_generator(2);
  const auto x_0 = D.sample(4, generator), x = x_0 + draw_unit_noise(x_0, generator);
  Tensor down = x;
  const auto grid = sigma_grid(401, 1, 0.02, Grid::Geometric);
  for (std::size_t i = 0; i + 1 < grid.size(); ++i)
    down = ode_step(D, down, grid[i], grid[i + 1], Solver::Heun);
  EXPECT_LT(rms(invert(D, down, 1, {.method = Inversion::Ode, .steps = 400}) - x), 1e-3);
}

TEST(OdeInversion, DivergesOffTheManifold) {
  // What is not data is taken for noise of level sigma_min, and grows with it: document langevin,
  // [0048].
  auto D = clusters();
  const auto x_0 = D.sample(50, training::torch_generator(3));
  const double on = rms(invert(D, x_0, 1, {.method = Inversion::Ode}));
  const double law = rms(x_0 + draw_unit_noise(x_0, training::torch_generator(4)));
  EXPECT_NEAR(on, law, 0.1 * law);
  double before = on;
  for (const double shift : {0.5, 1.0, 2.0}) {
    const double off = rms(invert(D, x_0 + shift, 1, {.method = Inversion::Ode}));
    EXPECT_GT(off, 1.3 * before) << "shift " << shift;
    before = off;
  }
}

TEST(NoisedOdeInversion, StartsFromTheNoiseOfItsFirstLevel) {
  GaussianDenoiser D(torch::zeros({2}, f64), 0.4);
  at::Generator generator = training::torch_generator(5);
  const auto x_0 = normal({3, 2}, generator), epsilon = normal({3, 2}, generator);
  EXPECT_TRUE(torch::equal(invert(D, x_0, 3, {.method = Inversion::NoisedOde}, epsilon),
                           invert(D, x_0 + 0.02 * epsilon, 3, {.method = Inversion::Ode})));
}

TEST(BackpropInversion, ConvergesToTheOptimum) {
  GaussianDenoiser D(torch::tensor({0.1, -0.3, 0.5}, f64), torch::tensor({0.5, 0.7, 1.0}, f64));
  at::Generator generator = training::torch_generator(6);
  for (const double sigma : {0.3, 1.0}) {
    const auto x_0 = D.sample(20, generator);
    const auto x = invert(D, x_0, sigma, {.adam_steps = 500}, draw_unit_noise(x_0, generator));
    EXPECT_LT((x - D.backprop_optimum(x_0, sigma)).abs().max().item<double>(), 1e-3 * sigma)
        << "sigma " << sigma;
  }
}

TEST(BackpropInversion, TakesItsImageForADenoisedOne) {
  // The optimum for D(x), x ~ p(x; sigma), is x again. For a clean x_0 it lies (s^2 + sigma^2) /
  // s^2 farther out than p(x; sigma) is wide.
  GaussianDenoiser D(torch::zeros({1}, f64), 0.5);
  at::Generator generator = training::torch_generator(7);
  const auto x_0 = D.sample(20000, generator), x = x_0 + 3 * draw_unit_noise(x_0, generator);
  EXPECT_LT((D.backprop_optimum(D(x, 3.0), 3) - x).abs().max().item<double>(), 1e-11);
  EXPECT_NEAR(variance(D.backprop_optimum(x_0, 3)) / 9.25, 9.25 / 0.25,
              37 * variance_tolerance(20000));
  // 20 steps of 0.1 sigma stop early: they go no farther than 2 sigma.
  const auto epsilon = draw_unit_noise(x_0, generator);
  const auto stopped = invert(D, x_0, 3, {}, epsilon);
  EXPECT_LT((stopped - x_0 - 3 * epsilon).abs().max().item<double>(), 2.1 * 3);
  EXPECT_LT(variance(stopped) / 9.25, 0.25 * 37);
}

TEST(BackpropInversion, LowersTheLossOnAMixtureAndNoItemSeesAnother) {
  auto D = clusters();
  at::Generator generator = training::torch_generator(8);
  const auto x_0 = D.sample(6, generator), epsilon = draw_unit_noise(x_0, generator);
  // At a higher sigma the way is longer than 20 steps go: a clean x_0 is no denoised one.
  for (const double sigma : {0.1, 0.3}) {
    const auto loss = [&](const Tensor& x) {
      return (D(x, sigma) - x_0).square().mean().item<double>();
    };
    const auto x = invert(D, x_0, sigma, {}, epsilon);
    EXPECT_LT(loss(x), 0.5 * loss(x_0 + sigma * epsilon)) << "sigma " << sigma;
    for (const std::int64_t i : {0, 5}) {
      const auto alone = invert(D, x_0.slice(0, i, i + 1), sigma, {}, epsilon.slice(0, i, i + 1));
      EXPECT_LT((alone[0] - x[i]).abs().max().item<double>(), 1e-9);
    }
  }
}

/// A denoiser with a weight.
class Halving : public Denoiser {
 public:
  Tensor forward(const Tensor& x, const Tensor& /*sigma*/, const Tensor& /*labels*/) override {
    return weight * x;
  }
  Tensor weight = register_parameter("weight", torch::tensor(0.5));
};

TEST(Inversion, GivesTheWeightsNoGradientAndWorksWhereNoneIsRecorded) {
  Halving D;
  const auto x_0 = torch::ones({2, 3}), epsilon = torch::zeros({2, 3});
  Tensor recorded;
  for (const auto method :
       {Inversion::Naive, Inversion::Ode, Inversion::NoisedOde, Inversion::Backprop}) {
    recorded = invert(D, x_0, 1, {.method = method}, epsilon);
    EXPECT_FALSE(recorded.requires_grad());
    EXPECT_FALSE(D.weight.grad().defined());
  }
  const torch::NoGradGuard no_gradient;
  EXPECT_TRUE(torch::equal(invert(D, x_0, 1, {}, epsilon), recorded));
  EXPECT_GT(recorded.min().item<double>(), 1.5);
  EXPECT_TRUE(torch::equal(x_0, torch::ones({2, 3})));
}

TEST(Inversion, NamesWhatCannotBe) {
  Halving D;
  const auto x_0 = torch::ones({3, 2}), epsilon = torch::zeros({3, 2});
  EXPECT_THAT([&] { invert(D, x_0, 0, {}, epsilon); },
              ThrowsUsageError(HasSubstr("an inversion"), HasSubstr("sigma = 0")));
  EXPECT_THAT([&] { invert(D, x_0, 1, {}); },
              ThrowsUsageError(HasSubstr("noise of shape none"), HasSubstr("[3, 2]")));
  EXPECT_THAT([&] { invert(D, x_0, 1, {.method = Inversion::Naive}, torch::zeros({2})); },
              ThrowsUsageError(HasSubstr("[2]")));
  EXPECT_THAT([&] { invert(D, x_0, 0.02, {.method = Inversion::Ode}); },
              ThrowsUsageError(HasSubstr("sigma_min = 0.02")));
  EXPECT_THAT([&] { invert(D, x_0, 1, {.method = Inversion::Ode, .steps = 0}); },
              ThrowsUsageError(HasSubstr("0 steps")));
  EXPECT_THAT([&] { invert(D, x_0, 1, {.method = Inversion::Ode, .sigma_min = 0}); },
              ThrowsUsageError(HasSubstr("sigma_min")));
  EXPECT_THAT([&] { invert(D, x_0, 1, {.adam_steps = 0}, epsilon); },
              ThrowsUsageError(HasSubstr("0 steps of Adam")));
  EXPECT_THAT([&] { invert(D, x_0, 1, {.rate = 0}, epsilon); },
              ThrowsUsageError(HasSubstr("rate")));
  auto broken = x_0.clone();
  broken[1][0] = std::numeric_limits<float>::quiet_NaN();
  broken[2][1] = std::numeric_limits<float>::infinity();
  for (const auto method :
       {Inversion::Naive, Inversion::Ode, Inversion::NoisedOde, Inversion::Backprop})
    EXPECT_THAT([&] { invert(D, broken, 1, {.method = method}, epsilon); },
                ThrowsError(HasSubstr("2 of 3"), HasSubstr("index 1")));
  EXPECT_THAT(
      [&] {
        const c10::InferenceMode inference;
        invert(D, x_0, 1, {}, epsilon);
      },
      ThrowsError(HasSubstr("InferenceMode")));
  EXPECT_THAT([] { find_inversion("ddim"); }, ThrowsUsageError(HasSubstr("noised_ode")));
  EXPECT_EQ(find_inversion("backprop").algorithm, Inversion::Backprop);
}

}  // namespace
}  // namespace reprise::models
