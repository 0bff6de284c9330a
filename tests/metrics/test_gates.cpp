#include <torch/torch.h>

#include <cmath>

#include "metrics/gates.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

TEST(Gates, AgreeWithNumPyOnTheGoldenActivations) {
  const auto& cases = fixture_json("gates.json")["cases"];
  ASSERT_FALSE(cases.empty());
  for (const auto& c : cases) {
    const auto& a = c["activations"];
    std::vector<double> flat;
    for (const auto& sequence : a)
      for (const auto& step : sequence)
        for (const auto& value : step) flat.push_back(value);
    const auto activations = torch::tensor(flat, torch::kDouble)
                                 .reshape({static_cast<std::int64_t>(a.size()),
                                           static_cast<std::int64_t>(a[0].size()), -1});
    const auto shares = saturation(activations);
    EXPECT_TRUE(torch::allclose(shares.left,
                                torch::tensor(c["left"].get<std::vector<double>>(), torch::kDouble),
                                0, 1e-12));
    EXPECT_TRUE(torch::allclose(
        shares.right, torch::tensor(c["right"].get<std::vector<double>>(), torch::kDouble), 0,
        1e-12));
    EXPECT_TRUE(torch::equal(gate_histogram(activations),
                             torch::tensor(c["histogram"].get<std::vector<std::int64_t>>())));
  }
}

TEST(Gates, TheBordersAreActiveInBothPrecisions) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const auto shares =
        saturation(torch::tensor({{0.1, 0.05, 0.95}, {0.9 - 1e-7, 0.5, 0.95}}, type));
    EXPECT_TRUE(torch::equal(shares.left, torch::tensor({0.0, 0.5, 0.0}, torch::kDouble)));
    EXPECT_TRUE(torch::equal(shares.right, torch::tensor({0.0, 0.0, 1.0}, torch::kDouble)));
  }
  EXPECT_DOUBLE_EQ(saturation(torch::tensor({0.9}, torch::kDouble)).right.item<double>(), 0.0);
}

TEST(Gates, AnEdgeBelongsToTheBinAboveAndOneToTheLast) {
  const auto edges = torch::arange(0, 11, torch::kDouble) / 10;
  EXPECT_TRUE(torch::equal(gate_histogram(edges),
                           torch::tensor({1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, torch::kLong)));
}

TEST(Gates, LeftRightAndActiveSharesAddUpToOne) {
  const auto activations = torch::arange(0, 700, torch::kDouble).reshape({10, 14, 5}) / 699;
  const auto shares = saturation(activations);
  EXPECT_NEAR(shares.left.mean().item<double>() + shares.right.mean().item<double>() +
                  active_fraction(activations),
              1.0, 1e-12);
  EXPECT_EQ(gate_histogram(activations, 7).sum().item<std::int64_t>(), 700);
}

TEST(Gates, ALayerIsKeptOnlyWhenMostActivationsSaturate) {
  EXPECT_TRUE(keeps_layer(torch::tensor({0.01, 0.99, 0.5})));
  EXPECT_FALSE(keeps_layer(torch::tensor({0.01, 0.5})));
  EXPECT_FALSE(keeps_layer(torch::tensor({0.4, 0.99, 0.5})));
}

TEST(Gates, ActivationsThatAreNoGatesAreRefused) {
  EXPECT_THAT(
      [] {
        saturation(torch::tensor({0.5, 1.5, std::nan("")}));
      },
      ThrowsUsageError(HasSubstr("2 of 3"), HasSubstr("sigmoid")));
  EXPECT_THAT(
      [] {
        gate_histogram(torch::zeros({0, 3}));
      },
      ThrowsUsageError(HasSubstr("[..., units]")));
  EXPECT_THAT([] { gate_histogram(torch::zeros({3}), 0); }, ThrowsUsageError(HasSubstr("0 bins")));
}

}  // namespace
}  // namespace reprise::metrics
