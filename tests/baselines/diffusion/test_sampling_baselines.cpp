#include "baselines/diffusion/multidiffusion.h"
#include "baselines/diffusion/repaint.h"
#include "baselines/diffusion/sdedit.h"
#include "tests/models/exact.h"

namespace reprise::baselines {
namespace {

using models::Canvas;
using models::clusters;
using models::f64;
using models::GaussianDenoiser;
using models::MixtureDenoiser;
using models::rms;
using testing::HasSubstr;
using torch::Tensor;
using training::torch_generator;

/// Windows of 4 values that are all 1 or all -1, or nearly.
MixtureDenoiser two_signs() {
  const auto ones = torch::ones({1, 4}, f64);
  return {torch::ones({2}, f64), torch::cat({ones, -ones}), torch::full({2}, 0.05, f64)};
}

TEST(SdEdit, FromALevelFarAboveTheDataGivesTheDataAndFromALowOneTheImageSlow) {
  const auto mean = torch::tensor({-0.5, 0.5}, f64);
  GaussianDenoiser D(mean, 0.5);
  const auto x_0 = torch::full({20000, 2}, 2.0, f64);
  const auto edited = [&](double sigma) {
    return sdedit(D, x_0, sigma, {.steps = 40}, torch_generator(1));
  };
  const auto forgot = edited(80);
  // Of 2 - mean, s / sqrt(s^2 + 80^2) is left.
  EXPECT_LT((forgot.mean(0) - mean).abs().max().item<double>(), 0.02 + 5 * 0.5 / std::sqrt(20000));
  EXPECT_NEAR(forgot.var(0).mean().item<double>() / 0.25, 1,
              models::variance_tolerance(40000) + 0.02);
  double before = rms(edited(0.01) - x_0);
  EXPECT_LT(before, 0.02);
  for (const double sigma : {0.1, 0.5, 2.0, 80.0}) {
    const double distance = rms(edited(sigma) - x_0);
    EXPECT_GT(distance, before) << sigma;
    before = distance;
  }
}

TEST(SdEdit, FollowsItsLabelsAndRefusesToGoUp) {
  auto D = two_signs();
  const auto labels = torch::tensor({0, 1, 0});
  const auto edited = sdedit(D, torch::zeros({3, 4}, f64), 3, {}, torch_generator(2), labels);
  EXPECT_LT(rms(edited - torch::tensor({{1.}, {-1.}, {1.}}, f64)), 0.1);
  for (const double sigma : {0.002, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(
        [&] {
          sdedit(D, torch::zeros({1, 4}, f64), sigma, {}, torch_generator(2));
        },
        ThrowsUsageError(HasSubstr("sigma_min = 0.002")));
}

/// Which share of the clusters' unknown halves becomes that of the same cluster.
double completed(const RepaintOptions& options) {
  auto D = clusters();
  const auto mean = D.named_buffers()["means"].repeat({10, 1});
  const auto mask = (torch::arange(64) < 32).to(torch::kDouble);
  const auto found = repaint(D, mean, mask, options, torch_generator(3));
  EXPECT_TRUE(torch::equal(found.slice(1, 0, 32), mean.slice(1, 0, 32)));
  const auto distance = (found - mean).slice(1, 32).square().mean(1).sqrt();
  return distance.lt(0.2).to(torch::kDouble).mean().item<double>();
}

TEST(RePaint, TheKnownHalfDecidesTheOther) {
  for (const bool stochastic : {true, false})
    EXPECT_GT(completed({.levels = {.steps = 25}, .resamplings = 5, .stochastic = stochastic}), 0.9)
        << stochastic;
  // Resampling is what makes both halves agree.
  EXPECT_LT(completed({.levels = {.steps = 25}, .resamplings = 1}),
            completed({.levels = {.steps = 25}, .resamplings = 5}) + 1e-9);
}

TEST(RePaint, WithNothingKnownDrawsTheDataAndWithAllKnownReturnsItSlow) {
  GaussianDenoiser D(torch::tensor({0.3}, f64), 0.5);
  const auto x_0 = torch::full({20000, 1}, 7.0, f64);
  // DDPM's step narrows the law by its own length; the ODE's hardly does.
  for (const auto& [stochastic, steps, tolerance] :
       {std::tuple{true, 400, 0.08}, {false, 40, 0.04}}) {
    const RepaintOptions options{
        .levels = {.steps = steps}, .resamplings = 1, .stochastic = stochastic};
    const auto drawn = repaint(D, x_0, torch::zeros({1}), options, torch_generator(4));
    EXPECT_NEAR(drawn.mean().item<double>(), 0.3, 0.03);
    EXPECT_NEAR(models::variance(drawn) / 0.25, 1, tolerance);
  }
  EXPECT_TRUE(torch::equal(repaint(D, x_0, torch::ones({20000, 1}), {}, torch_generator(4)), x_0));
}

TEST(RePaint, RefusesMasksThatDoNotFit) {
  GaussianDenoiser D(torch::zeros({3}, f64), 1);
  const auto x_0 = torch::zeros({2, 3}, f64);
  const auto with = [&](const Tensor& mask, RepaintOptions options = {}) {
    return [=, &D] { repaint(D, x_0, mask, options, torch_generator(1)); };
  };
  EXPECT_THAT(with(torch::zeros({2})), ThrowsUsageError(HasSubstr("[2]"), HasSubstr("[2, 3]")));
  EXPECT_THAT(with(torch::full({3}, 0.5)), ThrowsUsageError(HasSubstr("other than 0 and 1")));
  EXPECT_THAT(with(torch::zeros({3}), {.resamplings = 0}),
              ThrowsUsageError(HasSubstr("0 resamplings")));
}

TEST(MultiDiffusion, WithOneWindowIsTheSampler) {
  auto D = clusters();
  for (const double S_churn : {0.0, 10.0}) {
    const MultiDiffusionOptions options{.sampler = {.S_churn = S_churn}, .batch = 2};
    Canvas canvas(torch::zeros({5, 64}, f64)), crops(torch::zeros({5, 64}, f64));
    const auto labels = torch::arange(5);
    multidiffusion(canvas, D, options, torch_generator(5), labels);
    sample_independent_crops(crops, D, options, torch_generator(5), labels);
    auto generator = torch_generator(5);
    const auto plain = models::edm_sample(D, 80 * torch::randn({5, 64}, generator, f64),
                                          options.sampler, generator, labels);
    EXPECT_TRUE(torch::allclose(canvas.content(), plain, 1e-9, 1e-9));
    EXPECT_TRUE(torch::allclose(crops.content(), plain, 1e-9, 1e-9));
  }
}

TEST(MultiDiffusion, OfValuesThatKnowNothingOfEachOtherIsTheSamplerOnTheCanvas) {
  // Windows can then not disagree: whatever the stride, D of the canvas is that of every value.
  GaussianDenoiser of_window(torch::full({4}, 0.3, f64), 0.5),
      of_canvas(torch::full({10}, 0.3, f64), 0.5);
  const auto plain =
      models::edm_sample(of_canvas, 80 * torch::randn({2, 10}, torch_generator(6), f64));
  for (const bool wrap : {false, true})
    for (const std::int64_t stride : {0, 1, 3, 4}) {
      Canvas canvas(torch::zeros({2, 10}, f64), {.window = 4, .wrap = wrap});
      multidiffusion(canvas, of_window, {.stride = stride, .batch = 3}, torch_generator(6));
      EXPECT_TRUE(torch::allclose(canvas.content(), plain, 1e-9, 1e-9)) << wrap << stride;
    }
}

TEST(MultiDiffusion, MakesNeighboursAgreeWhereIndependentCropsDoNot) {
  auto D = two_signs();
  const auto changes_of_sign = [](const Tensor& content) {
    return content.slice(1, 1).sign().ne(content.slice(1, 0, -1).sign()).sum().item<double>() /
           static_cast<double>(content.size(0));
  };
  Canvas together(torch::zeros({200, 12}, f64), {.window = 4}),
      apart(torch::zeros({200, 12}, f64), {.window = 4});
  multidiffusion(together, D, {.stride = 1}, torch_generator(7));
  sample_independent_crops(apart, D, {}, torch_generator(7));
  EXPECT_NEAR(changes_of_sign(apart.content()), 1, 0.2);  // one of two seams
  EXPECT_LT(changes_of_sign(together.content()), 0.7);
}

TEST(MultiDiffusion, GivesEveryObjectItsCondition) {
  auto D = two_signs();
  const auto wanted = torch::tensor({{1.}, {-1.}, {1.}}, f64), labels = torch::tensor({0, 1, 0});
  Canvas together(torch::zeros({3, 10}, f64), {.window = 4}),
      apart(torch::zeros({3, 10}, f64), {.window = 4});
  multidiffusion(together, D, {}, torch_generator(8), labels);
  sample_independent_crops(apart, D, {}, torch_generator(8), labels);
  EXPECT_LT(rms(together.content() - wanted), 0.1);
  EXPECT_LT(rms(apart.content() - wanted), 0.1);
}

TEST(MultiDiffusion, RefusesStridesThatLeaveGapsAndConditionsForOtherObjects) {
  auto D = two_signs();
  Canvas canvas(torch::zeros({2, 12}, f64), {.window = 4});
  const auto with = [&](MultiDiffusionOptions options, Tensor conditions = {}) {
    return [=, &D, &canvas] { multidiffusion(canvas, D, options, torch_generator(1), conditions); };
  };
  for (const std::int64_t stride : {5, -1})
    EXPECT_THAT(with({.stride = stride}), ThrowsUsageError(HasSubstr("from 1 to the window")));
  EXPECT_THAT(with({.batch = 0}), ThrowsUsageError(HasSubstr("0 windows")));
  EXPECT_THAT(with({}, torch::zeros({3}, torch::kLong)),
              ThrowsUsageError(HasSubstr("3 conditions for 2 objects")));
}

}  // namespace
}  // namespace reprise::baselines
