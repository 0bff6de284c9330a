#include <torch/torch.h>

#include "baselines/methods.h"
#include "examples/running_mean.h"
#include "models/backbones/known_backbones.h"
#include "tests/sequence_methods.h"
#include "tests/support.h"

namespace reprise::baselines {
namespace {

TEST(RunningMean, OnOneFrameItIsThePlainCnnAndOnEqualFramesToo) {
  Random random(1);
  const auto cnn = models::make_small_network({.size = 8, .trunk = "3 p", .width = 6}, random);
  const models::MethodStart kept{.draw_output = false};
  const auto plain = methods().front().make(cnn, kept, random),
             mean = running_mean().make(cnn, kept, random);
  const auto x = torch::rand({2, 1, 3, 4, 4});
  EXPECT_TRUE(torch::allclose(plain->forward(x), mean->forward(x), 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(plain->forward(x.repeat({1, 4, 1, 1, 1})),
                              mean->forward(x.repeat({1, 4, 1, 1, 1})), 1e-5, 1e-6));
}

TEST(RunningMean, StartsFromTheOutputLayerThatAllMethodsShare) {
  EXPECT_EQ(testing_contracts::start_fault(running_mean()), "");
}

}  // namespace
}  // namespace reprise::baselines

namespace reprise::testing_contracts {

// Every test of the contract, as for the entries of the registries.
INSTANTIATE_TEST_SUITE_P(Example, SequenceContract,
                         testing::Values(case_of(baselines::running_mean())), name_of_case);

}  // namespace reprise::testing_contracts
