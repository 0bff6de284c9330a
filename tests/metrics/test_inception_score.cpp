#include <torch/torch.h>

#include <cmath>

#include "metrics/inception_score.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

TEST(InceptionScore, IsTheNumberOfClassesForSureItemsOfAllClassesAndOneForEqualItems) {
  const auto sure = torch::eye(4).repeat({5, 1});
  EXPECT_NEAR(inception_score(sure, 5).mean, 4, 1e-9);
  EXPECT_NEAR(inception_score(sure, 5).std_dev, 0, 1e-9);
  EXPECT_NEAR(inception_score(torch::full({20, 4}, 0.25), 2).mean, 1, 1e-9);
  EXPECT_NEAR(inception_score(torch::eye(4).slice(0, 1, 2).repeat({20, 1}), 1).mean, 1, 1e-9);
}

// Mean distribution (1/2, 1/2): each item has a KL of 0.8 log 1.6 + 0.2 log 0.4.
TEST(InceptionScore, IsTheValueWorkedOutByHand) {
  const auto p = torch::tensor({{0.8, 0.2}, {0.2, 0.8}}, torch::kDouble);
  EXPECT_NEAR(inception_score(p, 1).mean, std::exp(0.8 * std::log(1.6) + 0.2 * std::log(0.4)),
              1e-12);
}

// Five items in two splits: 0 and 1, then 2 to 4. The first is of two classes, the second of one.
TEST(InceptionScore, SplitsAreThoseOfThePublishedScore) {
  const auto p = torch::eye(2).index_select(0, torch::tensor({0, 1, 0, 0, 0}));
  const auto score = inception_score(p, 2);
  EXPECT_NEAR(score.mean, 1.5, 1e-12);
  EXPECT_NEAR(score.std_dev, 0.5, 1e-12);
}

TEST(InceptionScore, RefusesWhatIsNoDistribution) {
  EXPECT_THAT([] { inception_score(torch::zeros({4})); }, ThrowsUsageError(HasSubstr("[4]")));
  EXPECT_THAT([] { inception_score(torch::eye(3)); },
              ThrowsUsageError(HasSubstr("3 items"), HasSubstr("10 parts")));
  auto p = torch::eye(3);
  p[2][0] = 0.5;
  EXPECT_THAT([&] { inception_score(p, 1); }, ThrowsUsageError(HasSubstr("item 2")));
  p[1][1] = std::nan("");
  EXPECT_THAT([&] { inception_score(p, 1); }, ThrowsUsageError(HasSubstr("item 1")));
}

}  // namespace
}  // namespace reprise::metrics
