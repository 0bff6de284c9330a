// What digit adaptation is compared with keeps the promises of training/adaptation.h, and each row
// is what it stands for.
#include "baselines/adaptation/classifiers.h"
#include "baselines/adaptation/cogan.h"
#include "baselines/adaptation/methods.h"
#include "baselines/adaptation/subspace_alignment.h"
#include "tests/adaptation_contract.h"

namespace reprise::baselines {
namespace {

using testing_contracts::AdaptationContract;
using testing_contracts::AdapterCase;
using testing_contracts::two_lights;
using training::Domain;

AdapterOptions small_adapters(std::int64_t iterations) {
  AdapterOptions options{.subspace = 8};
  options.common.width_G = options.common.width_D = 4;
  options.common.batch = 8;
  options.common.evaluate_every = 10;
  options.common.training.iterations = iterations;
  options.common.training.G.learning_rate = options.common.training.D.learning_rate = 2e-3;
  options.cogan = options.common;
  options.cogan.own_front_D = false;
  options.cogan.lambda_f = 0;
  options.rate_source_only = options.rate_dann = 2e-3;
  return options;
}

std::vector<AdapterCase> adapter_cases() {
  std::vector<AdapterCase> all;
  const auto quick = adapters(small_adapters(2)), learning = adapters(small_adapters(200));
  for (std::size_t i = 0; i < quick.size(); ++i)
    all.push_back({.method = quick[i], .learning = learning[i].make});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, AdaptationContract, testing::ValuesIn(adapter_cases()),
                         testing_contracts::name_of_adapter);

TEST(Adapters, TheReversedGradientIsMinusLambdaTimesTheGradient) {
  auto x = torch::tensor({1.0, -2.0}, torch::requires_grad());
  const auto y = reverse_gradient(x, 0.5);
  EXPECT_TRUE(y.detach().allclose(x.detach(), 1e-6, 1e-6));
  (y * torch::tensor({3.0, 4.0})).sum().backward();
  EXPECT_TRUE(x.grad().allclose(torch::tensor({-1.5, -2.0})));
}

TEST(Adapters, AnInterruptedCoganEndsWithTheSameBits) {
  testing_contracts::expect_goes_on([](const std::filesystem::path& checkpoint) {
    auto options = small_adapters(10).common;
    options.evaluate_every = 2;
    options.training.window = 2;
    options.training.checkpoint = checkpoint;
    return std::make_unique<Cogan>(options);
  });
}

/// Learned from `target`, asked of `asked`.
at::Tensor learned_with(SourceClassifierOptions options, const at::Tensor& target,
                        const at::Tensor& asked) {
  torch::set_num_threads(1);
  auto data = two_lights(20, 16).data;
  data.target = target;
  options.width = 4, options.batch = 8, options.iterations = 10, options.evaluate_every = 5,
  options.learning_rate = 2e-3;
  SourceClassifier classifier(options);
  training::Progress silent(nullptr);
  classifier.fit(data, 5, silent);
  return classifier.probabilities(asked, Domain::B);
}

// Source only learns nothing from the target; DANN does, once its warm-up is over.
TEST(Adapters, OnlyDannHeedsTheTargetAndOnlyAfterItsWarmUp) {
  const auto target = two_lights(20, 16).data.target;
  const auto heeds = [&](const SourceClassifierOptions& options) {
    return !learned_with(options, target, target).equal(learned_with(options, -target, target));
  };
  EXPECT_FALSE(heeds({}));
  EXPECT_TRUE(heeds({.adversarial = true}));
  EXPECT_FALSE(heeds({.adversarial = true, .warm_up = 1}));
}

// A target that is the source turned round in its subspace: the nearest neighbour is found where
// alignment brings it.
TEST(Adapters, SubspaceAlignmentBringsTheSourcesDirectionsToTheTargets) {
  torch::manual_seed(1);
  const auto labels = torch::randint(2, {200}, at::kLong);
  const auto along = 4 * (labels.to(at::kFloat) - 0.5) + 0.2 * torch::randn({200});
  const auto pictures = [&](std::int64_t pixel) {
    auto x = 0.05 * torch::randn({200, 4});
    x.select(1, pixel).add_(0.2 * along);
    return x.view({200, 1, 2, 2});
  };
  SubspaceAlignment aligned(1);
  training::Progress silent(nullptr);
  aligned.fit({pictures(0), labels, pictures(3)}, 0, silent);
  const auto right = aligned.probabilities(pictures(3), Domain::B)
                         .argmax(1)
                         .eq(labels)
                         .to(at::kFloat)
                         .mean()
                         .item<double>();
  EXPECT_GT(std::max(right, 1 - right), 0.95);  // a direction has no sign
  EXPECT_GT(aligned.probabilities(pictures(0), Domain::A)
                .argmax(1)
                .eq(labels)
                .to(at::kFloat)
                .mean()
                .item<double>(),
            0.95);
}

}  // namespace
}  // namespace reprise::baselines
