#include "models/diffusion/synthesis.h"
#include "models/representations/canvas.h"
#include "tests/models/exact.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

const ChurnOptions kBalanced{.dt = 1, .noise = ChurnNoise::Balanced};

TEST(Synthesis, OnAGaussianEndsAtItsClosedFormNearTheLawOfTheDataSlow) {
  // A round takes x_0 - mean to (1 - a h c gain) (x_0 - mean), and adds noise that the inversion
  // (`noise`) and the churn bring:
  // tests/models/diffusion/test_churn.cpp, law_of_pixels(). From 3 away, with sigma falling.
  const auto mean = torch::tensor({-0.5, 0.0, 0.5, 1.0}, f64);
  const double s = 0.5;
  GaussianDenoiser D(mean, s);
  const SynthesisOptions options{
      .rounds = 60, .sigma_first = 3, .sigma_last = 0.1, .churning = {.dt = 0.8}, .batch = 1000};
  for (const auto method : {Inversion::Naive, Inversion::Ode}) {
    const bool naive = method == Inversion::Naive;
    double away = 3, variance = 0;
    for (const double sigma :
         sigma_grid(options.rounds, options.sigma_first, options.sigma_last, Grid::Geometric)) {
      const double a = s * s / (s * s + sigma * sigma), hc = 0.8 * (1 - a),
                   noise = naive ? sigma : 0;
      const double kept =
          1 - a * hc * (naive ? 1 : std::sqrt((s * s + sigma * sigma) / (s * s + 0.02 * 0.02)));
      away *= kept;
      variance = kept * kept * variance + a * a * (hc * hc * noise * noise + 1.6 * sigma * sigma);
    }
    Canvas phi((mean + 3).expand({1000, 4}));
    auto run = options;
    run.inversion = {.method = method};
    synthesise(phi, D, D, run);
    const auto end = phi.content().detach() - mean;
    EXPECT_LT((end.mean(0) - away).abs().max().item<double>(), 5 * s / std::sqrt(1000));
    EXPECT_NEAR(end.var(0).mean().item<double>() / variance, 1, 0.01 + variance_tolerance(4000));
    EXPECT_LT(std::abs(away), 0.01);
    EXPECT_NEAR(variance / (s * s), 1, 0.1);
  }
}

TEST(Synthesis, GoesOnFromAStoredRoundToTheSameBits) {
  auto D = clusters();
  const SynthesisOptions options{.rounds = 5, .batch = 4, .seed = 7};
  const CanvasOptions panorama{.window = 64, .wrap = true};
  at::Generator generator = training::torch_generator(1);
  const auto start = normal({2, 100}, generator);
  Canvas whole(start, panorama);
  Tensor stored;
  synthesise(whole, D, D, options, {}, [&](const SynthesisRound& round) {
    if (round.number == 2) stored = whole.state()[0].second.detach().clone();
  });
  Canvas resumed(stored, panorama);
  synthesise(resumed, D, D, options, {}, {}, 3);
  EXPECT_TRUE(torch::equal(resumed.content(), whole.content()));
  const auto end = whole.content().detach().clone();
  synthesise(whole, D, D, options, {}, {}, 5);  // nothing is left to do
  EXPECT_TRUE(torch::equal(whole.content(), end));
}

TEST(Synthesis, DependsOnTheSeedAndNotOnHowManyViewsGoAtOnce) {
  auto D = clusters();
  const auto end = [&](std::int64_t batch, std::uint64_t seed) {
    Canvas phi(torch::zeros({5, 64}, f64));
    synthesise(phi, D, D, {.rounds = 3, .batch = batch, .seed = seed}, {.D = torch::arange(5)});
    return phi.content().detach().clone();
  };
  const auto all = end(64, 1);
  for (const std::int64_t batch : {1, 2, 5})
    EXPECT_TRUE(torch::allclose(end(batch, 1), all, 1e-9, 1e-9)) << batch;
  EXPECT_FALSE(torch::allclose(end(64, 2), all, 1e-3, 1e-3));
}

TEST(Synthesis, ItsRoundIsANudgeOfTheRenderingFromSigmaFirstToSigmaLast) {
  auto D = clusters();
  const SynthesisOptions options{.rounds = 3, .sigma_first = 4, .sigma_last = 1};
  Canvas phi(torch::zeros({2, 64}, f64));
  std::vector<double> sigmas;
  synthesise(phi, D, D, options, {}, [&](const SynthesisRound& round) {
    sigmas.push_back(round.sigma);
    if (round.number == 0) {
      EXPECT_TRUE(round.x_0.eq(0).all().item<bool>());
    }
    EXPECT_TRUE(torch::allclose(
        round.nudge.target,
        churn_target(D, round.x_0, round.nudge.x_sigma, round.nudge.x_churned, round.sigma)));
    EXPECT_TRUE(torch::equal(phi.content(), round.nudge.target));  // which pixels follow at once
  });
  ASSERT_EQ(sigmas.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(sigmas[i], std::pow(2, 2 - i), 1e-12);
}

TEST(Synthesis, ConditionsSteerEveryObjectToWhatItWasAskedFor) {
  auto D = clusters();
  at::Generator generator = training::torch_generator(2);
  const auto mean = D.named_buffers()["means"];
  // Each starts at the cluster before the one that is asked for.
  const auto asked = torch::arange(8);
  Canvas phi(mean.roll(1, 0).clone());
  synthesise(phi, D, D, {.rounds = 12, .sigma_first = 5, .churning = kBalanced}, {.D = asked});
  EXPECT_TRUE(torch::equal(torch::cdist(phi.content(), mean).argmin(1), asked));
  EXPECT_LT(rms(phi.content() - mean), 0.2);
}

TEST(Synthesis, PartsOfOneCanvasAreAskedForByConditionsOfTheirOwn) {
  // Data that are about 0.3 everywhere or -0.3 everywhere; the left half of the canvas is asked for
  // the first, the right for the second.
  const auto sign = torch::tensor({{1.0}, {-1.0}}, f64);
  MixtureDenoiser D(torch::ones({2}, f64), 0.3 * sign.expand({2, 16}), torch::full({2}, 0.1, f64));
  Canvas phi(torch::zeros({1, 128}, f64), {.axis = 0, .window = 16});
  const auto half = [](const torch::Tensor& psi) {
    return (psi.select(1, 1) + 8 >= 64).to(torch::kLong);
  };
  synthesise(phi, D, D, {.rounds = 12, .sigma_first = 1, .sigma_last = 0.1, .churning = kBalanced},
             {.D = torch::arange(2), .D_aux = torch::arange(2), .row = half});
  EXPECT_NEAR(phi.content().slice(1, 0, 48).mean().item<double>(), 0.3, 0.1);
  EXPECT_NEAR(phi.content().slice(1, 80).mean().item<double>(), -0.3, 0.1);
}

TEST(Synthesis, AfterARoundTheCallerMayHoldAKnownPart) {
  // Data that are about 0.3 everywhere or -0.3 everywhere: half of an item says which.
  const auto sign = torch::tensor({{1.0}, {-1.0}}, f64);
  MixtureDenoiser D(torch::ones({2}, f64), 0.3 * sign.expand({2, 64}), torch::full({2}, 0.1, f64));
  const auto truth = 0.3 * sign.repeat({6, 1}).expand({12, 64});
  Canvas phi(torch::zeros({12, 64}, f64));
  const auto hold = [&] {
    const torch::NoGradGuard no_grad;
    phi.content().slice(1, 0, 32).copy_(truth.slice(1, 0, 32));
  };
  hold();
  synthesise(phi, D, D, {.sigma_first = 1, .sigma_last = 0.1, .churning = {.dt = 0.5}}, {},
             [&](const SynthesisRound&) { hold(); });
  EXPECT_TRUE(torch::equal(phi.content().slice(1, 0, 32), truth.slice(1, 0, 32)));
  EXPECT_LT(rms((phi.content() - truth).slice(1, 32)), 0.2);
}

TEST(Synthesis, RefusesRunsWithoutRoundsAndConditionsForOtherObjects) {
  auto D = clusters();
  Canvas phi(torch::zeros({2, 64}, f64));
  const auto run = [&](SynthesisOptions options, const Conditions& conditions = {},
                       std::int64_t first = 0) {
    return [&phi, &D, options, conditions, first] {
      synthesise(phi, D, D, options, conditions, {}, first);
    };
  };
  EXPECT_THAT(run({.rounds = 0}), ThrowsUsageError(HasSubstr("0 rounds")));
  EXPECT_THAT(run({.batch = 0}), ThrowsUsageError(HasSubstr("0 views at once")));
  EXPECT_THAT(run({}, {.D = torch::zeros({3}, torch::kLong)}),
              ThrowsUsageError(HasSubstr("3 conditions for 2 objects")));
  EXPECT_THAT(run({}, {.D_aux = torch::zeros({1}, torch::kLong)}),
              ThrowsUsageError(HasSubstr("1 conditions")));
  EXPECT_THAT(run({.rounds = 4}, {}, 5), ThrowsUsageError(HasSubstr("round 5 of 4")));
  EXPECT_THAT(run({.rounds = 4}, {}, -1), ThrowsUsageError(HasSubstr("round -1")));
  EXPECT_THAT(run({.churning = {.dt = 3}}), ThrowsUsageError(HasSubstr("below 2")));
  EXPECT_TRUE(phi.content().eq(0).all().item<bool>());
}

}  // namespace
}  // namespace reprise::models
