#include <torch/torch.h>

#include "examples/balanced_accuracy.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

TEST(BalancedAccuracy, IsOneForRightLabelsAndOneOverCForASingleLabel) {
  const auto truth = torch::tensor({0, 0, 0, 0, 0, 0, 1, 3});  // class 2 does not occur
  EXPECT_DOUBLE_EQ(balanced_accuracy(truth, truth, 4), 1.0);
  EXPECT_DOUBLE_EQ(balanced_accuracy(torch::zeros_like(truth), truth, 4), 1.0 / 3);
}

TEST(BalancedAccuracy, EveryClassCountsTheSame) {
  EXPECT_DOUBLE_EQ(
      balanced_accuracy(torch::tensor({0, 0, 1, 0, 1}), torch::tensor({0, 0, 0, 0, 1}), 2),
      (0.75 + 1) / 2);
}

TEST(BalancedAccuracy, RefusesLabelsOutsideTheClasses) {
  EXPECT_THAT([] { balanced_accuracy(torch::tensor({2}), torch::tensor({0}), 2); },
              ThrowsUsageError(testing::HasSubstr("item 0 with label 2")));
}

}  // namespace
}  // namespace reprise::metrics
