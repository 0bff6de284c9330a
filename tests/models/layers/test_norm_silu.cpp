// The U-Net's norm, scale, shift and SiLU as one operation, against torch's own operations: values,
// every gradient, both types.
#include <torch/torch.h>

#include "models/layers/norm_silu.h"
#include "tests/support.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

struct Case {
  torch::nn::GroupNorm norm{nullptr};
  Tensor x, scale_shift, above;
};

/// Channels that no vector's width divides, and in float64 or float32.
Case draw_case(at::ScalarType type, std::int64_t groups = 3, std::int64_t channels = 15) {
  const auto generator = training::torch_generator(1);
  const auto normal = [&](at::IntArrayRef shape) {
    return torch::randn(shape, generator, torch::kFloat64).to(type);
  };
  Case c;
  c.norm = torch::nn::GroupNorm(torch::nn::GroupNormOptions(groups, channels));
  c.norm->to(type);
  {
    const torch::NoGradGuard no_gradient;
    c.norm->weight.copy_(normal({channels}));
    c.norm->bias.copy_(normal({channels}));
  }
  c.x = (3 * normal({4, channels, 5, 7}) + 2)
            .contiguous(at::MemoryFormat::ChannelsLast)
            .requires_grad_();
  c.scale_shift = normal({4, 2 * channels}).requires_grad_();
  c.above = normal({4, channels, 5, 7});
  return c;
}

Tensor composed(Case& c, bool conditioned) {
  const auto parts = c.scale_shift.unsqueeze(-1).unsqueeze(-1).chunk(2, 1);
  const auto normed = c.norm(c.x);
  return torch::silu(conditioned ? normed * (1 + parts[0]) + parts[1] : normed);
}

std::vector<Tensor> gradients(const Case& c, const Tensor& y, bool conditioned) {
  std::vector<Tensor> of{c.x, c.norm->weight, c.norm->bias};
  if (conditioned) of.push_back(c.scale_shift);
  return torch::autograd::grad({y}, of, {c.above});
}

void expect_close(const Tensor& value, const Tensor& truth, double tolerance) {
  EXPECT_EQ(value.sizes(), truth.sizes());
  EXPECT_LE((value - truth).abs().max().item<double>(),
            tolerance * truth.abs().max().item<double>());
}

void expect_as_composed(at::ScalarType type, double tolerance) {
  for (const bool conditioned : {true, false}) {
    auto c = draw_case(type);
    const auto y = norm_silu(c.norm, c.x, conditioned ? c.scale_shift : Tensor()),
               truth = composed(c, conditioned);
    expect_close(y, truth, tolerance);
    const auto ours = gradients(c, y, conditioned), theirs = gradients(c, truth, conditioned);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      SCOPED_TRACE("input " + std::to_string(i) + (conditioned ? ", with scale and shift" : ""));
      expect_close(ours[i], theirs[i], tolerance);
    }
  }
}

TEST(NormSilu, ValuesAndGradientsAreThoseOfTheComposedOperations) {
  expect_as_composed(torch::kFloat64, 1e-12);
  expect_as_composed(torch::kFloat32, 3e-6);
}

TEST(NormSilu, TheNormAloneIsTorchsToo) {
  auto c = draw_case(torch::kFloat64);
  const auto y = apply_group_norm(c.norm, c.x), truth = c.norm(c.x);
  expect_close(y, truth, 1e-12);
  const auto ours = gradients(c, y, false), theirs = gradients(c, truth, false);
  for (std::size_t i = 0; i < ours.size(); ++i) expect_close(ours[i], theirs[i], 1e-12);
}

TEST(InstanceNorm, AloneAndWithReluIsTorchs) {
  for (const bool relu : {false, true}) {
    auto c = draw_case(torch::kFloat64);
    const auto normed = torch::instance_norm(c.x, {}, {}, {}, {}, true, 0.1, 1e-5, false);
    const auto y = relu ? instance_norm_relu(c.x) : instance_norm(c.x),
               truth = relu ? torch::relu(normed) : normed;
    expect_close(y, truth, 1e-12);
    expect_close(torch::autograd::grad({y}, {c.x}, {c.above})[0],
                 torch::autograd::grad({truth}, {c.x}, {c.above})[0], 1e-10);
  }
  // A picture of one place is its own mean.
  EXPECT_EQ(instance_norm(torch::ones({2, 3, 1, 1})).abs().max().item<double>(), 0);
}

TEST(NormSilu, GivesTheSameBitsWithAndWithoutGradientsInAnyLayoutAndWithAnyNumberOfThreads) {
  const auto c = draw_case(torch::kFloat32);
  const auto before = at::get_num_threads();
  at::set_num_threads(1);
  const auto y = norm_silu(c.norm, c.x, c.scale_shift);
  const auto first = gradients(c, y, true);
  at::set_num_threads(3);
  const auto again = gradients(c, norm_silu(c.norm, c.x, c.scale_shift), true);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(first[i].equal(again[i]));
  at::set_num_threads(before);
  const torch::NoGradGuard no_gradient;
  EXPECT_TRUE(y.equal(norm_silu(c.norm, c.x.contiguous(), c.scale_shift)));
  EXPECT_TRUE(y.is_contiguous(at::MemoryFormat::ChannelsLast));
}

TEST(NormSilu, ALargeMeanCostsNoMoreThanTheDigitsOfItsInput) {
  auto c = draw_case(torch::kFloat32);
  const torch::NoGradGuard no_gradient;
  const auto shifted = (c.x + 1000).to(torch::kFloat32);
  const auto y = norm_silu(c.norm, shifted, c.scale_shift);
  c.x = shifted.to(torch::kFloat64);
  c.scale_shift = c.scale_shift.to(torch::kFloat64);
  c.norm->to(torch::kFloat64);
  expect_close(y, composed(c, true), 2e-4);
}

TEST(NormSilu, SaturatesWithoutAnOverflow) {
  auto c = draw_case(torch::kFloat32);
  const torch::NoGradGuard no_gradient;
  c.norm->weight.mul_(1000);
  const auto y = norm_silu(c.norm, c.x), truth = composed(c, false);
  EXPECT_TRUE(y.isfinite().all().item<bool>());
  expect_close(y, truth, 1e-6);
  EXPECT_GE(y.min().item<float>(), -0.2785F);  // SiLU's least value
}

TEST(NormSilu, AVarianceThatOverflowsIsSeen) {
  auto c = draw_case(torch::kFloat32);
  const torch::NoGradGuard no_gradient;
  c.x.select(0, 1).mul_(1e30);
  const auto y = norm_silu(c.norm, c.x);
  EXPECT_TRUE(y[0].isfinite().all().item<bool>());
  EXPECT_TRUE(y[1].isnan().all().item<bool>());
}

TEST(NormSilu, AChannelOfEqualValuesHasNoVariance) {
  auto c = draw_case(torch::kFloat64, 15);
  const torch::NoGradGuard no_gradient;
  c.x.fill_(7);
  expect_close(norm_silu(c.norm, c.x), torch::silu(c.norm->bias).view({1, -1, 1, 1}).expand_as(c.x),
               1e-12);
}

TEST(NormSilu, SaysThatItHasNoSecondDerivative) {
  const auto c = draw_case(torch::kFloat64);
  const auto y = norm_silu(c.norm, c.x, c.scale_shift);
  EXPECT_THAT([&] { torch::autograd::grad({y}, {c.x}, {c.above}, true, true); },
              ThrowsError(HasSubstr("second derivative"), HasSubstr("create_graph")));
}

}  // namespace
}  // namespace reprise::models
