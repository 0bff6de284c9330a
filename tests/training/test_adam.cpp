#include "tests/support.h"
#include "tests/training/toy.h"
#include "training/adam.h"
#include "training/torch_generator.h"

namespace reprise::training {
namespace {

TEST(LearningRate, RisesLinearlyThenFallsAsAHalfCosine) {
  EXPECT_DOUBLE_EQ(learning_rate_factor(0, 4, 12), 0.25);
  EXPECT_DOUBLE_EQ(learning_rate_factor(3, 4, 12), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate_factor(4, 4, 12), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate_factor(8, 4, 12), 0.5);
  EXPECT_NEAR(learning_rate_factor(12, 4, 12), 0, 1e-15);
  EXPECT_DOUBLE_EQ(learning_rate_factor(0, 0, 10), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate_factor(5, 20, 10),
                   0.3);  // warm-up longer than the run: it only rises
}

/// Parameters of several shapes, and a stream of gradients for them.
struct Problem {
  std::vector<torch::Tensor> parameters;
  Problem() {
    at::Generator generator = torch_generator(3);
    for (const auto& shape : {std::vector<std::int64_t>{5, 7}, {7}, {}, {2, 3, 3, 3}})
      parameters.push_back(torch::randn(shape, generator).requires_grad_());
    parameters.push_back(
        torch::randn({6, 4}, generator).t().detach().requires_grad_());  // dense, but not row-major
  }
  void set_gradients(int step) {
    at::Generator generator = torch_generator(100 + step);
    for (auto& parameter : parameters)
      parameter.mutable_grad() = torch::randn(parameter.sizes(), generator) * 3;
  }
};

TEST(Adam, AgreesWithTorchsAdamWStepByStep) {
  Problem ours, theirs;
  Adam adam({{ours.parameters, 2e-3}}, 0.05);
  torch::optim::AdamW reference(theirs.parameters,
                                torch::optim::AdamWOptions(1e-3).weight_decay(0.05));
  for (int step = 0; step < 12; ++step) {
    ours.set_gradients(step);
    theirs.set_gradients(step);
    adam.step(0.5);
    reference.step();
    for (std::size_t i = 0; i < ours.parameters.size(); ++i)
      EXPECT_LT((ours.parameters[i] - theirs.parameters[i]).abs().max().item<double>(), 2e-6)
          << "step " << step << ", parameter " << i;
  }
}

TEST(Adam, EveryGroupHasItsOwnRate) {
  const auto a = torch::zeros(3).requires_grad_(), b = torch::zeros(3).requires_grad_(),
             c = torch::zeros(3).requires_grad_();
  Adam adam({{{a}, 1e-3}, {{b}, 1e-1}, {{c}, 0}}, 0);
  for (const auto& parameter : {a, b, c}) parameter.mutable_grad() = torch::full({3}, 4.0);
  adam.step(1);
  // The first step of Adam is the learning rate, whatever the gradient's size.
  EXPECT_NEAR(a[0].item<double>(), -1e-3, 1e-8);
  EXPECT_NEAR(b[0].item<double>(), -1e-1, 1e-6);
  EXPECT_EQ(c[0].item<double>(), 0);
}

TEST(Adam, AParameterWithoutGradientIsLeftAlone) {
  const auto used = torch::zeros(2).requires_grad_(), unused = torch::ones(2).requires_grad_();
  Adam adam({{{used, unused}, 1e-2}}, 0.1);
  used.mutable_grad() = torch::ones(2);
  adam.clip(1);
  adam.step(1);
  EXPECT_LT(used[0].item<double>(), 0);
  EXPECT_EQ(unused[0].item<double>(), 1);
}

TEST(Adam, ClippingScalesAllGradientsToOneGlobalNorm) {
  Problem problem;
  Adam adam({{problem.parameters, 1e-3}}, 0);
  problem.set_gradients(1);
  std::vector<torch::Tensor> before;
  double square = 0;
  for (const auto& parameter : problem.parameters) {
    before.push_back(parameter.grad().clone());
    square += parameter.grad().square().sum().item<double>();
  }
  const double norm = std::sqrt(square);
  adam.clip(norm / 4);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_LT((problem.parameters[i].grad() - before[i] / 4).abs().max().item<double>(), 1e-5);
  adam.clip(norm);  // already below
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_LT((problem.parameters[i].grad() - before[i] / 4).abs().max().item<double>(), 1e-5);
}

TEST(Adam, AParameterWithGapsInMemoryIsRefused) {
  EXPECT_THAT(
      [] {
        Adam({{{torch::zeros({4, 4}).slice(1, 0, 2)}, 1e-3}}, 0);
      },
      ThrowsError(testing::HasSubstr("gaps or overlaps")));
}

TEST(TorchGenerator, TheSameSeedGivesTheSameNumbersAndTheDefaultGeneratorIsNotTouched) {
  const auto before = at::detail::getDefaultCPUGenerator().get_state();
  at::Generator a = torch_generator(9), b = torch_generator(9), c = torch_generator(10);
  const auto numbers = torch::randn(8, a);
  EXPECT_TRUE(at::equal(numbers, torch::randn(8, b)));
  EXPECT_FALSE(at::equal(numbers, torch::randn(8, c)));
  EXPECT_TRUE(at::equal(before, at::detail::getDefaultCPUGenerator().get_state()));
}

}  // namespace
}  // namespace reprise::training
