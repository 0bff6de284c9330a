// A denoiser in bfloat16: near the same in float32, not the same, and nothing of it stays behind.
#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include "models/diffusion/bfloat16.h"
#include "tests/models/small_prior.h"
#include "tests/support.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

TEST(BFloat16Denoiser, IsNearTheSameInFloat32AndOfItsType) {
  const auto prior = small_prior();
  BFloat16Denoiser D(prior.D);
  const auto x = torch::randn({3, 1, 8, 8}, training::torch_generator(1)),
             labels = torch::tensor({0, 1, -1});
  const torch::NoGradGuard no_grad;
  const auto exact = (*prior.D)(x, 1.0, labels), rough = D(x, 1.0, labels);
  EXPECT_EQ(rough.scalar_type(), at::kFloat);
  const auto away = (rough - exact).abs().max().item<double>() / exact.abs().max().item<double>();
  EXPECT_LT(away, 0.02);
  EXPECT_GT(away, 1e-5);  // it was computed in fewer bits
}

TEST(BFloat16Denoiser, SeesTheWeightsAsTheyAreNow) {
  const auto prior = small_prior();
  BFloat16Denoiser D(prior.D);
  const auto x = torch::randn({3, 1, 8, 8}, training::torch_generator(1));
  const auto before = D(x, 1.0);
  const torch::NoGradGuard no_grad;
  for (auto& parameter : prior.D->parameters()) parameter.mul_(1.5);
  EXPECT_GT((D(x, 1.0) - before).abs().max().item<double>(), 0.01);
}

TEST(BFloat16Denoiser, LeavesNothingBehindAlsoAfterAnError) {
  const auto prior = small_prior();
  BFloat16Denoiser D(prior.D);
  const auto type = at::autocast::get_autocast_dtype(at::kCPU);
  D(torch::zeros({1, 1, 8, 8}), 1.0);
  EXPECT_THROW(D(torch::zeros({1, 2, 8, 8}), 1.0), std::exception);
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  EXPECT_EQ(at::autocast::get_autocast_dtype(at::kCPU), type);
  const auto product = torch::mm(torch::ones({2, 2}), torch::ones({2, 2}));
  EXPECT_EQ(product.scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace reprise::models
