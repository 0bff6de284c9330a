#include <gtest/gtest.h>
#include <torch/torch.h>

#include "models/layers/product.h"
#include "training/precision.h"

namespace reprise::models {
namespace {

/// torch's default generator, seeded before every test: the same numbers on every run.
class ProductTransposed : public testing::Test {
 protected:
  void SetUp() override { torch::manual_seed(1); }
};
using Linear = ProductTransposed;

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST_F(ProductTransposed, IsThePlainProductForMatricesAndTransposedViews) {
  const auto a = torch::randn({7, 5}), b = torch::randn({9, 5});
  EXPECT_LT(largest_difference(multiply_transposed(a, b), a.mm(b.t())), 1e-5);
  EXPECT_LT(largest_difference(multiply_transposed(a.t(), torch::randn({9, 7}).fill_(1)),
                               a.t().mm(torch::ones({7, 9}))),
            1e-5);
  const auto c = torch::randn({5, 9});
  EXPECT_LT(largest_difference(multiply_transposed(a, c.t()), a.mm(c)), 1e-5);
}

TEST_F(ProductTransposed, KeepsFloat64Exact) {
  const auto a = torch::randn({7, 5}, torch::kFloat64), b = torch::randn({9, 5}, torch::kFloat64);
  EXPECT_LT(largest_difference(multiply_transposed(a, b), a.mm(b.t())), 1e-12);
}

TEST_F(ProductTransposed, TakesRowsOfALargerMatrix) {
  const auto a = torch::randn({4, 6}), b = torch::randn({12, 6});
  EXPECT_LT(
      largest_difference(multiply_transposed(a, b.narrow(0, 3, 5)), a.mm(b.narrow(0, 3, 5).t())),
      1e-5);
}

TEST_F(ProductTransposed, WithABiasAndReluIsWhatTheyAreOneByOne) {
  const auto w = torch::randn({5, 9}), b = torch::randn({9});
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    const auto x = torch::randn({70, 5}, type),
               together = linear_relu(x, w.to(type).t(), b.to(type));
    EXPECT_LT(largest_difference(together, (x.mm(w.to(type)) + b.to(type)).relu()), 1e-5);
    EXPECT_GT((together == 0).sum().item<std::int64_t>(), 0);
    EXPECT_EQ(together.scalar_type(), type);
  }
}

TEST_F(ProductTransposed, SameInputSameBits) {
  const auto a = torch::randn({64, 33}), b = torch::randn({65, 33});
  EXPECT_TRUE(multiply_transposed(a, b).equal(multiply_transposed(a, b)));
}

TEST_F(Linear, IsTorchsOwnWithTorchsOwnGradients) {
  for (const bool frozen_input : {false, true}) {
    const auto x = torch::randn({2, 3, 5}), w = torch::randn({4, 5}), b = torch::randn({4}),
               weight = torch::randn({2, 3, 4});
    std::vector<at::Tensor> ours, theirs;
    for (auto* side : {&ours, &theirs}) {
      const auto leaf = [](const at::Tensor& t) { return t.clone().requires_grad_(); };
      const auto xs = frozen_input ? x.clone() : leaf(x), ws = leaf(w), bs = leaf(b);
      const auto y = side == &ours ? linear(xs, ws, bs) : torch::nn::functional::linear(xs, ws, bs);
      (y * weight).sum().backward();
      *side = {y.detach(), ws.grad(), bs.grad()};
      if (!frozen_input) side->push_back(xs.grad());
    }
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_LT(largest_difference(ours[i], theirs[i]), 1e-5) << i;
  }
}

TEST_F(ProductTransposed, WithABFloat16SideRoundsBothAndGivesFloat32) {
  const auto a = torch::randn({7, 64}), b = torch::randn({9, 64});
  const auto product = multiply_transposed(a, b.to(torch::kBFloat16));
  EXPECT_EQ(product.scalar_type(), torch::kFloat);
  const auto rounded =
      a.to(torch::kBFloat16).to(torch::kFloat).mm(b.to(torch::kBFloat16).to(torch::kFloat).t());
  EXPECT_LT(((product - rounded).abs() / (rounded.abs() + 1)).max().item<double>(), 0x1p-8);
}

TEST_F(Linear, InPassesOfBFloat16IsNearTheSameWithItsGradients) {
  const auto run = [&](training::Precision precision) {
    torch::manual_seed(1);
    const auto x = torch::randn({3, 4, 32}).requires_grad_(),
               w = torch::randn({6, 32}).requires_grad_(), b = torch::randn({6}).requires_grad_();
    torch::Tensor y;
    {
      const training::PrecisionGuard passes(precision, torch::kCPU);
      y = linear(x, w, b);
    }
    EXPECT_EQ(y.scalar_type(), torch::kFloat);
    y.square().mean().backward();
    return std::vector{y.detach(), x.grad(), w.grad(), b.grad()};
  };
  const auto whole = run(training::Precision::Float32), narrow = run(training::Precision::BFloat16);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(narrow[i].scalar_type(), torch::kFloat);
    const auto apart =
        (whole[i] - narrow[i]).norm().item<double>() / whole[i].norm().item<double>();
    EXPECT_LT(apart, 0.01) << i;
    EXPECT_GT(apart, 0) << i;
  }
}

}  // namespace
}  // namespace reprise::models
