// What training/inverter.h promises, asked of every inverter that is registered.
#include <limits>

#include "models/diffusion/churn.h"
#include "models/diffusion/methods.h"
#include "models/diffusion/noise_level.h"
#include "tests/models/exact.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

struct EveryInverter : testing::TestWithParam<InversionMethod> {
  static constexpr std::int64_t items = 6;
  const InversionMethod& method() const { return GetParam(); }
  const InversionOptions options{.method = method().algorithm};
  MixtureDenoiser D = clusters();
  const Tensor x_0 = D.sample(items, training::torch_generator(1)),
               epsilon = draw_unit_noise(x_0, training::torch_generator(2));
  Tensor inverted(const Tensor& image, const Tensor& noise, double sigma = 1) {
    return method().make(options)(D, image, sigma, noise, {});
  }
};

TEST_P(EveryInverter, GivesALatentLikeItsImageAndTheSameOneAgain) {
  const auto before = x_0.clone(), x = inverted(x_0, epsilon);
  EXPECT_EQ(x.sizes(), x_0.sizes());
  EXPECT_EQ(x.scalar_type(), x_0.scalar_type());
  EXPECT_TRUE(x.isfinite().all().item<bool>());
  EXPECT_TRUE(x.equal(inverted(x_0, epsilon)));
  EXPECT_TRUE(x.equal(invert(D, x_0, 1, options, epsilon)))
      << "invert() takes the one that its options say";
  EXPECT_TRUE(x_0.equal(before));
}

TEST_P(EveryInverter, NeedsTheNoiseThatItSaysItDraws) {
  const auto other = draw_unit_noise(x_0, training::torch_generator(3));
  EXPECT_EQ(inverted(x_0, epsilon).equal(inverted(x_0, other)), !method().draws_noise);
  if (!method().draws_noise) EXPECT_TRUE(inverted(x_0, {}).equal(inverted(x_0, epsilon)));
}

TEST_P(EveryInverter, NoItemSeesAnother) {
  const auto together = inverted(x_0, epsilon);
  for (std::int64_t i = 0; i < items; ++i) {
    const auto alone = inverted(x_0.slice(0, i, i + 1), epsilon.slice(0, i, i + 1));
    EXPECT_LT((alone[0] - together[i]).abs().max().item<double>(), 1e-9) << "item " << i;
  }
}

TEST_P(EveryInverter, NoGradientFlowsToTheImage) {
  const auto image = x_0.clone().requires_grad_();
  const auto x = invert(D, image, 1, options, epsilon);
  EXPECT_FALSE(x.requires_grad());
  EXPECT_FALSE(image.grad().defined());
}

TEST_P(EveryInverter, KeepsTheLevelOfTheNoiseOnDataWithinAFactorOfTwo) {
  const auto many = D.sample(200, training::torch_generator(4)),
             noise = draw_unit_noise(many, training::torch_generator(5));
  for (const double sigma : {0.3, 1.0}) {
    const auto level =
        noise_level(D, inverted(many, noise, sigma), sigma, mmse(D, many, sigma, noise))
            .mean()
            .item<double>() /
        sigma;
    EXPECT_GT(level, 0.5) << "sigma " << sigma;
    EXPECT_LT(level, 2) << "sigma " << sigma;
  }
}

TEST_P(EveryInverter, TheDenoiserSeesTheImageInTheLatentBetterThanInNoiseAlone) {
  for (const double sigma : {0.3, 1.0}) {
    const auto seen = rms(D(inverted(x_0, epsilon, sigma), sigma) - x_0),
               in_noise = rms(D(sigma * epsilon, sigma) - x_0);
    EXPECT_LT(seen, in_noise) << "sigma " << sigma;
  }
}

/// Counts what is asked of it.
class Counting : public Denoiser {
 public:
  Tensor forward(const Tensor& x, const Tensor& /*sigma*/, const Tensor& /*labels*/) override {
    ++evaluations;
    with_gradient = with_gradient || x.requires_grad();
    return 0.5 * x;
  }
  std::int64_t evaluations = 0;
  bool with_gradient = false;
};

TEST_P(EveryInverter, EvaluatesTheDenoiserAsOftenAsItSays) {
  for (const auto solver : {Solver::Euler, Solver::Heun}) {
    Counting counting;
    const InversionOptions some{
        .method = method().algorithm, .steps = 5, .solver = solver, .adam_steps = 7};
    method().make(some)(counting, x_0, 1, epsilon, {});
    EXPECT_EQ(counting.evaluations, method().evaluations(some));
    EXPECT_EQ(counting.with_gradient, method().needs_gradient);
  }
}

TEST_P(EveryInverter, RefusesWhatCannotBeInverted) {
  EXPECT_THAT([&] { invert(D, x_0, 0, options, epsilon); },
              ThrowsUsageError(HasSubstr("sigma = 0")));
  const auto at_the_start = [&] { return invert(D, x_0, options.sigma_min, options, epsilon); };
  if (method().climbs)
    EXPECT_THAT(at_the_start, ThrowsUsageError(HasSubstr("sigma_min")));
  else
    EXPECT_NO_THROW(at_the_start());
  auto broken = x_0.clone();
  broken[2][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([&] { invert(D, broken, 1, options, epsilon); },
              ThrowsError(HasSubstr("1 of 6"), HasSubstr("index 2")));
  if (method().draws_noise)
    EXPECT_THAT([&] { invert(D, x_0, 1, options, epsilon[0]); },
                ThrowsUsageError(HasSubstr("[64]"), HasSubstr("[6, 64]")));
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryInverter, testing::ValuesIn(inversion_methods()),
                         [](const auto& instance) { return instance.param.info.id; });

TEST(Inverters, AreFoundByTheirNameAndAnUnknownNameListsThem) {
  for (const auto& method : inversion_methods()) {
    EXPECT_EQ(find_inversion(method.info.id).algorithm, method.algorithm);
    EXPECT_EQ(find_inversion_method(method.algorithm).info.id, method.info.id)
        << "two methods have one algorithm";
    EXPECT_THAT([] { find_inversion("ddim"); }, ThrowsUsageError(HasSubstr(method.info.id)));
  }
}

}  // namespace
}  // namespace reprise::models
