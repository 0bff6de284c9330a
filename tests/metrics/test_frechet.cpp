#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "core/memory.h"
#include "core/random.h"
#include "metrics/frechet.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

/// [n, d]: a standard Gaussian.
torch::Tensor normal(std::int64_t n, std::int64_t d, Random random) {
  auto set = torch::empty({n, d}, torch::kDouble);
  for (std::int64_t i = 0; i < n * d; ++i) set.data_ptr<double>()[i] = random.normal();
  return set;
}

torch::Tensor features_of(const nlohmann::json& rows) {
  std::vector<torch::Tensor> all;
  for (const auto& row : rows)
    all.push_back(torch::tensor(row.get<std::vector<double>>(), torch::kDouble));
  return torch::stack(all);
}

TEST(Frechet, AgreesWithEveryGoldenCaseSingularOrNot) {
  const auto& golden = fixture_json("frechet.json");
  ASSERT_EQ(golden["cases"].size(), 3U);
  for (const auto& c : golden["cases"]) {
    const auto a = features_of(c["a"]), b = features_of(c["b"]);
    const double expected = c["frechet"], tolerance = a.size(0) <= a.size(1) ? 1e-3 : 1e-6;
    EXPECT_NEAR(frechet_distance(a, b), expected, tolerance * expected);
    EXPECT_NEAR(frechet_distance(b, a), expected, tolerance * expected);
  }
}

TEST(Frechet, IsZeroForTheSameSetAndTheSquareOfTheShiftForAShiftedOne) {
  for (const auto n : {5, 40}) {  // fewer items than features, and more
    const auto a = normal(n, 10, Random(1)), shift = torch::linspace(-1, 2, 10, torch::kDouble);
    EXPECT_NEAR(frechet_distance(a, a), 0, 1e-12);
    EXPECT_NEAR(frechet_distance(a, a.flip(0)), 0, 1e-12);
    EXPECT_NEAR(frechet_distance(a, a + shift), shift.square().sum().item<double>(), 1e-10);
  }
}

TEST(Frechet, OfOneFeatureIsTheSquaredDifferenceOfMeansAndOfDeviations) {
  const auto a = torch::tensor({0.0, 2.0}, torch::kDouble).reshape({2, 1});  // mean 1, variance 2
  const auto b =
      torch::tensor({0.0, 4.0, 8.0}, torch::kDouble).reshape({3, 1});  // mean 4, variance 16
  EXPECT_NEAR(frechet_distance(a, b), 9 + std::pow(4 - std::sqrt(2.0), 2), 1e-12);
}

TEST(Frechet, OfAScaledSetIsTheSquaredScaleTimesItsSpread) {
  const auto a = normal(30, 4, Random(2)), centred = a - a.mean(0);
  EXPECT_NEAR(frechet_distance(centred, 3 * centred),
              4 * centred.square().sum().item<double>() / 29, 1e-10);
}

TEST(KernelDistance, HasTheValueWorkedOutByHand) {
  const auto a = torch::tensor({0.0, 1.0}).reshape({2, 1}),
             b = torch::tensor({2.0, 3.0}).reshape({2, 1});
  // k(0, 1) = 1; k(2, 3) = 7³; k(0, 2) + k(0, 3) + k(1, 2) + k(1, 3) = 1 + 1 + 27 + 64
  EXPECT_DOUBLE_EQ(kernel_distance(a, b), 1 + 343 - 93.0 / 2);
  EXPECT_DOUBLE_EQ(kernel_distance(b, a), 1 + 343 - 93.0 / 2);
}

TEST(KernelDistance, HasNoBiasWhereTheFrechetDistanceIsNothingElse) {
  constexpr int draws = 200;
  double kernel = 0, kernel_squares = 0, frechet = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const auto both = normal(40, 6, Random(3).split("draw", draw));
    const auto a = both.slice(0, 0, 20), b = both.slice(0, 20);
    const double value = kernel_distance(a, b);
    kernel += value / draws, kernel_squares += value * value / draws,
        frechet += frechet_distance(a, b) / draws;
  }
  const double error_of_mean = std::sqrt((kernel_squares - kernel * kernel) / draws);
  EXPECT_LT(std::abs(kernel), 3 * error_of_mean);
  EXPECT_LT(error_of_mean, 0.05);
  EXPECT_GT(frechet, 1);
}

TEST(KernelDistance, GrowsWithTheShift) {
  const auto a = normal(50, 6, Random(4)), b = normal(50, 6, Random(5));
  double before = kernel_distance(a, b);
  for (const double shift : {0.5, 1.0, 2.0, 4.0}) {
    const double now = kernel_distance(a, b + shift);
    EXPECT_GT(now, 1.5 * before) << shift;
    before = now;
  }
}

TEST(FeatureDistances, RefuseWhatHasNoDistance) {
  for (const auto distance : {frechet_distance, kernel_distance}) {
    EXPECT_THAT(
        [&] {
          distance(torch::zeros({5, 3}), torch::zeros({5, 4}));
        },
        ThrowsUsageError(HasSubstr("[5, 3]"), HasSubstr("[5, 4]")));
    EXPECT_THAT([&] { distance(torch::zeros({5}), torch::zeros({5})); },
                ThrowsUsageError(HasSubstr("[N, d]")));
    EXPECT_THAT(
        [&] {
          distance(torch::zeros({5, 3}), torch::zeros({1, 3}));
        },
        ThrowsUsageError(HasSubstr("set b has 1 items")));
    auto broken = torch::zeros({5, 3});
    broken[2][1] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(
        [&] {
          distance(broken, torch::zeros({5, 3}));
        },
        ThrowsUsageError(HasSubstr("1 of the 5 items of set a")));
  }
}

/// Of whole matrices, as the formula stands.
double kernel_of_whole_matrices(const torch::Tensor& a, const torch::Tensor& b) {
  const auto k = [](const torch::Tensor& x, const torch::Tensor& y) {
    return (x.matmul(y.t()) / static_cast<double>(x.size(1)) + 1).pow(3);
  };
  const auto others = [&](const torch::Tensor& x) {
    const auto n = static_cast<double>(x.size(0));
    return (k(x, x).sum() - k(x, x).trace()).item<double>() / (n * (n - 1));
  };
  return others(a) + others(b) - 2 * k(a, b).mean().item<double>();
}

// 2500 x 2300 pairs are more than a block has, and the last block of rows is a part of one.
TEST(KernelDistance, BlockByBlockIsThatOfWholeMatricesSlow) {
  const auto a = normal(2500, 3, Random(1)), b = normal(2300, 3, Random(2)) + 0.5;
  const double whole = kernel_of_whole_matrices(a, b);
  EXPECT_NEAR(kernel_distance(a, b), whole, 1e-12 * std::abs(whole));
  EXPECT_EQ(kernel_distance(a.slice(0, 0, 300), b.slice(0, 0, 200)),
            kernel_of_whole_matrices(a.slice(0, 0, 300), b.slice(0, 0, 200)))
      << "one block is the whole matrix, bit by bit";
}

// Whole matrices of 12000 x 12000 float64 would be 1.15 GB each.
TEST(KernelDistance, NeedsNoMemoryForAllPairsSlow) {
  const auto a = normal(12000, 4, Random(1)), b = normal(12000, 4, Random(2));
  const PeakMemory peak;
  kernel_distance(a, b);
  EXPECT_LT(peak.bytes(), 200 << 20);
}

}  // namespace
}  // namespace reprise::metrics
