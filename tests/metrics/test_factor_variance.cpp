#include <torch/torch.h>

#include <cmath>

#include "metrics/factor_variance.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

TEST(FactorVariance, BelongsToTheFactorThatMakesIt) {
  const auto rows = torch::arange(6, torch::kDouble).view({3, 1, 2}).expand({3, 5, 2});
  const auto by_content = factor_variance(rows), by_motion = factor_variance(rows.transpose(0, 1));
  EXPECT_NEAR(by_content.content, 1, 1e-12);
  EXPECT_NEAR(by_content.motion, 0, 1e-12);
  EXPECT_NEAR(by_content.total, 16.0 / 3, 1e-12);  // (0, 1), (2, 3), (4, 5): 2 * (4 + 0 + 4) / 3
  EXPECT_NEAR(by_motion.motion, 1, 1e-12);
  EXPECT_NEAR(by_motion.content, 0, 1e-12);
}

// Sum of 0, 2 by content and 0, 4 by motion: squares 4 * 1 and 4 * 4. Product of -1, 1 and -1, 1:
// all of it hangs on the pair.
TEST(FactorVariance, SplitsASumAndGivesAProductToBoth) {
  const auto sum = factor_variance(torch::tensor({{0.0, 4.0}, {2.0, 6.0}}).unsqueeze(2));
  EXPECT_NEAR(sum.content, 0.2, 1e-12);
  EXPECT_NEAR(sum.motion, 0.8, 1e-12);
  EXPECT_NEAR(sum.both, 0, 1e-12);
  EXPECT_NEAR(factor_variance(torch::tensor({{1.0, -1.0}, {-1.0, 1.0}}).unsqueeze(2)).both, 1,
              1e-12);
}

TEST(FactorVariance, OfEqualItemsIsZeroAndNotNaN) {
  const auto none = factor_variance(torch::full({2, 3, 4}, 7.0));
  EXPECT_EQ(none.total, 0);
  EXPECT_EQ(none.content, 0);
}

TEST(FactorVariance, RefusesWhatIsNoGrid) {
  EXPECT_THAT([] { factor_variance(torch::zeros({4, 3})); }, ThrowsUsageError(HasSubstr("[4, 3]")));
  EXPECT_THAT(
      [] {
        factor_variance(torch::zeros({1, 3, 2}));
      },
      ThrowsUsageError(HasSubstr("2 contents")));
  EXPECT_THAT(
      [] {
        factor_variance(torch::full({2, 2, 2}, std::nan("")));
      },
      ThrowsUsageError(HasSubstr("not finite")));
}

}  // namespace
}  // namespace reprise::metrics
