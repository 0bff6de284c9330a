#include <torch/torch.h>

#include <functional>

#include "models/backbones/pooling.h"
#include "tests/support.h"

namespace reprise::models {
namespace {

using Pool = std::function<at::Tensor(const at::Tensor&)>;

/// y and dx of sum(weights y).
std::pair<at::Tensor, at::Tensor> both_ways(const Pool& pool, const at::Tensor& values) {
  const auto x = values.clone().requires_grad_();
  const auto y = pool(x);
  (y * at::arange(y.numel()).view(y.sizes())).sum().backward();
  return {y.detach(), x.grad()};
}

/// Few values, so that many are equal.
at::Tensor few_values(at::IntArrayRef shape) {
  torch::manual_seed(1);
  return at::randint(4, shape).to(at::kFloat);
}

TEST(Pooling, TheLargestIsFoundWhereLibTorchFindsIt) {
  const auto x = few_values({2, 3, 5, 8, 6});
  const std::vector<std::vector<std::vector<std::int64_t>>> windows{
      {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}},
      {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}},
      {{2, 2, 2}, {2, 2, 2}, {0, 1, 1}},
      {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}}};
  for (const auto& w : windows) {
    const auto [y, dx] = both_ways(
        [&](const at::Tensor& x) { return max_pool3d_deterministic(x, w[0], w[1], w[2]); }, x);
    const auto [expected, expected_dx] =
        both_ways([&](const at::Tensor& x) { return at::max_pool3d(x, w[0], w[1], w[2]); }, x);
    EXPECT_TRUE(y.equal(expected)) << at::IntArrayRef(w[0]);
    EXPECT_TRUE(dx.equal(expected_dx)) << at::IntArrayRef(w[0]);
  }
}

TEST(Pooling, MeansAreLibTorchs) {
  const auto near = [](const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() && (a - b).abs().max().item<double>() < 1e-3;
  };
  for (const auto& size : {std::vector<std::int64_t>{1, 1, 1}, {2, 3, 4}, {5, 8, 6}, {7, 9, 1}}) {
    const auto [y, dx] =
        both_ways([&](const at::Tensor& x) { return average_pool_deterministic(x, size); },
                  few_values({2, 3, 5, 8, 6}));
    const auto [expected, expected_dx] =
        both_ways([&](const at::Tensor& x) { return at::adaptive_avg_pool3d(x, size); },
                  few_values({2, 3, 5, 8, 6}));
    EXPECT_TRUE(near(y, expected)) << at::IntArrayRef(size);
    EXPECT_TRUE(near(dx, expected_dx)) << at::IntArrayRef(size);
  }
  const auto x = few_values({2, 3, 9, 6});
  EXPECT_TRUE(near(average_pool_deterministic(x, {7, 7}), at::adaptive_avg_pool2d(x, {7, 7})));
}

}  // namespace
}  // namespace reprise::models
