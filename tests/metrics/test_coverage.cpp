#include <torch/torch.h>

#include <cmath>

#include "core/random.h"
#include "metrics/coverage.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

torch::Tensor column(const std::vector<double>& values) {
  return torch::tensor(values, torch::kDouble).unsqueeze(1);
}

/// [n, 4]: uniform in the unit cube.
torch::Tensor cube(std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  auto set = torch::empty({n, 4}, torch::kDouble);
  for (std::int64_t i = 0; i < set.numel(); ++i) set.data_ptr<double>()[i] = random.uniform();
  return set;
}

// k = 1. Real: 0, 1, 3 with radii 1, 1, 2. Generated: 0.5, 1.5, 9 with radii 1, 1, 7.5. 9 is
// further than 2 from 3: precision 2/3. All of 0, 1 and 3 lie within the balls: 0 and 1 in that of
// 0.5, 3 in that of 9.
TEST(PrecisionRecall, AreThoseWorkedOutByHand) {
  const auto found = precision_recall(column({0, 1, 3}), column({0.5, 1.5, 9}), 1);
  EXPECT_NEAR(found.precision, 2.0 / 3, 1e-12);
  EXPECT_NEAR(found.recall, 1, 1e-12);
  const auto back = precision_recall(column({0.5, 1.5, 9}), column({0, 1, 3}), 1);
  EXPECT_NEAR(back.precision, found.recall, 1e-12);
  EXPECT_NEAR(back.recall, found.precision, 1e-12);
}

TEST(PrecisionRecall, AreOneForTheSameSetAndZeroForOneFarAway) {
  const auto a = cube(50, 1);
  const auto same = precision_recall(a, a), away = precision_recall(a, a + 9);
  EXPECT_EQ(same.precision, 1);
  EXPECT_EQ(same.recall, 1);
  EXPECT_EQ(away.precision, 0);
  EXPECT_EQ(away.recall, 0);
}

// Sixteen items again and again: all of them look real, none of the others is covered.
TEST(PrecisionRecall, RecallIsLostByAFewItemsAgainAndAgainAndPrecisionIsNot) {
  const auto real = cube(256, 2);
  const auto sixteen = cube(256, 3).slice(0, 0, 16).repeat({16, 1});
  const auto fresh = precision_recall(real, cube(256, 4)), found = precision_recall(real, sixteen);
  EXPECT_GT(fresh.recall, 0.6);
  EXPECT_GT(found.precision, 0.6);
  EXPECT_EQ(found.recall, 0);
}

TEST(Repeats, AreTheQuantileForRealItemsAndOneForItemsAgainAndAgain) {
  const auto real = cube(400, 5);
  EXPECT_NEAR(repeat_fraction(cube(400, 6), real), repeat_quantile, 0.02);
  EXPECT_EQ(repeat_fraction(cube(16, 7).repeat({25, 1}), real), 1);
  // A repetition need not be exact.
  EXPECT_GT(repeat_fraction(cube(16, 7).repeat({25, 1}) + 1e-3 * cube(400, 8), real), 0.99);
  // Half of the items are there twice.
  EXPECT_NEAR(repeat_fraction(
                  torch::cat({cube(200, 9), cube(200, 10).slice(0, 0, 100).repeat({2, 1})}), real),
              0.5, 0.03);
}

TEST(Copies, AreTheQuantileForFreshItemsAndOneForTrainingItems) {
  const auto training = cube(300, 11), fresh = cube(400, 12);
  EXPECT_NEAR(copy_fraction(fresh, training, fresh), repeat_quantile, 0.005);
  EXPECT_NEAR(copy_fraction(cube(400, 13), training, fresh), repeat_quantile, 0.02);
  EXPECT_EQ(copy_fraction(training.slice(0, 0, 64), training, fresh), 1);
  EXPECT_NEAR(
      copy_fraction(torch::cat({training.slice(0, 0, 50), cube(50, 14) + 5}), training, fresh), 0.5,
      1e-12);
}

TEST(Coverage, RefusesWhatItCannotCompare) {
  const auto a = torch::zeros({5, 3});
  EXPECT_THAT(
      [&] {
        precision_recall(a, torch::zeros({5, 2}));
      },
      ThrowsUsageError(HasSubstr("generated"), HasSubstr("[5, 2]")));
  EXPECT_THAT(
      [&] {
        precision_recall(a, torch::zeros({3, 3}));
      },
      ThrowsUsageError(HasSubstr("4 items or more")));
  EXPECT_THAT([&] { precision_recall(a, a, 0); }, ThrowsUsageError(HasSubstr("number 0")));
  auto bad = torch::zeros({5, 3});
  bad[1][1] = std::nan("");
  EXPECT_THAT([&] { precision_recall(bad, a); },
              ThrowsUsageError(HasSubstr("real items is not finite")));
  EXPECT_THAT(
      [&] {
        repeat_fraction(a, torch::zeros({6, 3}));
      },
      ThrowsUsageError(HasSubstr("[5, 3]"), HasSubstr("[6, 3]")));
  EXPECT_THAT(
      [&] {
        copy_fraction(a, torch::zeros({0, 3}), a);
      },
      ThrowsUsageError(HasSubstr("training"), HasSubstr("[0, 3]")));
}

// 2200 x 2100 pairs are more than a block of rows has.
TEST(Coverage, BlockByBlockIsThatOfWholeMatricesSlow) {
  const auto a = cube(2200, 3), b = cube(2100, 4) + 0.1;
  const auto radius = [](const torch::Tensor& set) {
    return std::get<0>(torch::cdist(set, set, 2, 2).fill_diagonal_(INFINITY).kthvalue(3, 1))
        .unsqueeze(0);
  };
  const auto inside = [&](const torch::Tensor& items, const torch::Tensor& set) {
    return torch::cdist(items, set, 2, 2)
        .le(radius(set))
        .any(1)
        .to(torch::kDouble)
        .mean()
        .item<double>();
  };
  const auto found = precision_recall(a, b);
  EXPECT_EQ(found.precision, inside(b, a));
  EXPECT_EQ(found.recall, inside(a, b));
  EXPECT_LT(found.precision, 1);
  EXPECT_NEAR(repeat_fraction(a, cube(2200, 5)), 0.02, 0.01);
}

}  // namespace
}  // namespace reprise::metrics
