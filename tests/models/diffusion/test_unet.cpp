// The U-Net and its text encoder: shapes, how it starts, what conditions do, what it refuses, and
// that it learns.
#include <torch/torch.h>

#include <cmath>

#include "models/diffusion/diffusion_training.h"
#include "models/diffusion/unet.h"
#include "tests/models/exact.h"
#include "training/progress.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;

UNetOptions small(std::int64_t classes = 0, std::int64_t words = 0) {
  return {.image_channels = 2,
          .patch = 2,
          .channels = {8, 16},
          .blocks = 1,
          .attention = {1},
          .embedding = 16,
          .classes = classes,
          .words = words};
}

/// Wakes the layers that start at zero, so that every input matters.
void disturb(UNet& network) {
  const torch::NoGradGuard no_grad;
  const auto generator = training::torch_generator(5);
  for (auto& parameter : network.parameters())
    parameter.add_(torch::randn(parameter.sizes(), generator) * 0.1);
}

torch::Tensor pictures(std::int64_t n) {
  return torch::randn({n, 2, 8, 12}, training::torch_generator(1));
}
torch::Tensor levels(std::int64_t n) { return torch::linspace(-1, 1, n); }

TEST(UNet, StartsAsZeroSoThatTheDenoiserStartsAsTheBestGuessWithoutLearning) {
  Random random(1);
  UNet network(small(), random);
  EXPECT_EQ(network.forward(pictures(3), levels(3), {}).abs().max().item<float>(), 0);
  EXPECT_EQ(network.forward(pictures(3), levels(3), {}).sizes(), pictures(3).sizes());
}

/// unet.h's formulas in torch's own operations, without attention.
torch::Tensor composed(UNetBlock& block, const torch::Tensor& x, const torch::Tensor& e,
                       UNetBlockImpl::Resample resample) {
  const auto w = block->named_parameters();
  const auto norm = [&](const torch::Tensor& y, const std::string& name, std::int64_t groups) {
    return torch::group_norm(y, groups, w[name + ".weight"], w[name + ".bias"]);
  };
  const auto convolved = [&](const torch::Tensor& y, const std::string& name,
                             std::int64_t padding) {
    return torch::conv2d(y, w[name + ".weight"], w[name + ".bias"], 1, padding);
  };
  const auto resampled = [&](const torch::Tensor& y) {
    if (resample == UNetBlockImpl::Resample::Down) return torch::avg_pool2d(y, 2);
    if (resample == UNetBlockImpl::Resample::Up)
      return y.repeat_interleave(2, 2).repeat_interleave(2, 3);
    return y;
  };
  const auto affine = torch::linear(e, w["affine.weight"], w["affine.bias"])
                          .unsqueeze(-1)
                          .unsqueeze(-1)
                          .chunk(2, 1);
  auto h = convolved(resampled(torch::silu(norm(x, "norm0", 2))), "conv0", 1);
  h = convolved(torch::silu(norm(h, "norm1", 3) * (1 + affine[0]) + affine[1]), "conv1", 1);
  return (convolved(resampled(x), "skip", 0) + h) / std::sqrt(2.0);
}

TEST(UNet, ABlockAndItsGradientsAreThoseOfItsFormulaHoweverItResamples) {
  const auto generator = training::torch_generator(8);
  for (const auto resample : {UNetBlockImpl::Resample::None, UNetBlockImpl::Resample::Down,
                              UNetBlockImpl::Resample::Up}) {
    UNetBlock block(8, 12, 16, false, resample, 0.0);
    block->to(f64);
    auto of = block->parameters();
    {
      const torch::NoGradGuard no_gradient;
      for (auto& parameter : of) parameter.copy_(torch::randn(parameter.sizes(), generator, f64));
    }
    of.push_back(torch::randn({2, 8, 4, 6}, generator, f64).requires_grad_());
    of.push_back(torch::randn({2, 16}, generator, f64).requires_grad_());
    const auto y = block(of[of.size() - 2], of.back()),
               truth = composed(block, of[of.size() - 2], of.back(), resample);
    EXPECT_TRUE(y.allclose(truth, 1e-10, 1e-10));
    const auto above = torch::randn(truth.sizes(), generator, f64);
    const auto ours = torch::autograd::grad({y}, of, {above}),
               theirs = torch::autograd::grad({truth}, of, {above});
    for (std::size_t i = 0; i < of.size(); ++i)
      EXPECT_TRUE(ours[i].allclose(theirs[i], 1e-9, 1e-9)) << "gradient " << i;
  }
}

TEST(UNet, TheSameSeedDrawsTheSameWeightsAndAnotherSeedOthers) {
  Random a(1), b(1), c(2);
  UNet first(small(3), a), same(small(3), b), other(small(3), c);
  const auto one = first.parameters(), two = same.parameters(), three = other.parameters();
  bool differs = false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(one[i].equal(two[i]));
    differs = differs || !one[i].equal(three[i]);
  }
  EXPECT_TRUE(differs);
}

TEST(UNet, NoItemOfABatchSeesAnother) {
  Random random(2);
  UNet network(small(3), random);
  disturb(network);
  network.eval();
  const auto labels = torch::tensor({0, 2, -1}, at::kLong);
  const auto all = network.forward(pictures(3), levels(3), labels);
  for (int i = 0; i < 3; ++i)
    EXPECT_LT((all[i] - network.forward(pictures(3).slice(0, i, i + 1),
                                        levels(3).slice(0, i, i + 1), labels.slice(0, i, i + 1))[0])
                  .abs()
                  .max()
                  .item<float>(),
              1e-5);
}

TEST(UNet, NoiseAndClassMatterAndALabelBelowZeroIsNoLabel) {
  Random random(3);
  UNet network(small(3), random);
  disturb(network);
  network.eval();
  const auto x = pictures(1);
  const auto c = torch::tensor({0.2F});
  const auto plain = network.forward(x, c, {});
  EXPECT_TRUE(plain.equal(network.forward(x, c, torch::tensor({-1}, at::kLong))));
  EXPECT_FALSE(plain.allclose(network.forward(x, c, torch::tensor({1}, at::kLong))));
  EXPECT_FALSE(network.forward(x, c, torch::tensor({0}, at::kLong))
                   .allclose(network.forward(x, c, torch::tensor({1}, at::kLong))));
  EXPECT_FALSE(plain.allclose(network.forward(x, torch::tensor({0.3F}), {})));
}

TEST(UNet, TextsOfTheSameWordsInAnotherOrderDifferAndWordsThatAreNotThereDoNotMatter) {
  Random random(4);
  UNet network(small(0, 6), random);
  disturb(network);
  network.eval();
  const auto says = [&](std::vector<std::int64_t> words) {
    return network.forward(pictures(1), torch::tensor({0.2F}),
                           torch::tensor(words, at::kLong).unsqueeze(0));
  };
  EXPECT_FALSE(says({1, 2}).allclose(says({2, 1})));
  EXPECT_TRUE(says({1, 2}).allclose(says({1, 2, 0, 0}), 1e-5, 1e-6));
  EXPECT_TRUE(says({-1, -1}).equal(network.forward(pictures(1), torch::tensor({0.2F}), {})));
  EXPECT_TRUE(says({0, 0}).isfinite().all().item<bool>());
}

TEST(UNet, SaysWhatItWasMadeForWhenItIsGivenSomethingElse) {
  Random random(5);
  UNet network(small(3), random), texts(small(0, 4), random), plain(small(), random);
  const auto run = [](UNet& net, const torch::Tensor& x, const torch::Tensor& labels) {
    net.forward(x, levels(x.size(0)), labels);
  };
  EXPECT_THAT(
      [&] {
        run(network, torch::zeros({1, 2, 6, 8}), {});
      },
      ThrowsUsageError(HasSubstr("[1, 2, 6, 8]"), HasSubstr("that 4 divides")));
  EXPECT_THAT(
      [&] {
        run(network, torch::zeros({1, 1, 8, 8}), {});
      },
      ThrowsUsageError(HasSubstr("[N, 2, H, W]")));
  EXPECT_THAT([&] { run(network, pictures(1), torch::tensor({3}, at::kLong)); },
              ThrowsUsageError(HasSubstr("label 3"), HasSubstr("3 classes")));
  EXPECT_THAT([&] { run(network, pictures(2), torch::tensor({1}, at::kLong)); },
              ThrowsUsageError(HasSubstr("for 2 items")));
  EXPECT_THAT([&] { run(plain, pictures(1), torch::tensor({1}, at::kLong)); },
              ThrowsUsageError(HasSubstr("conditioned on nothing")));
  EXPECT_THAT(
      [&] {
        run(texts, pictures(1), torch::tensor({{1, 4}}, at::kLong));
      },
      ThrowsUsageError(HasSubstr("word 4")));
  auto options = small(3, 4);
  EXPECT_THAT([&] { UNet(options, random); },
              ThrowsUsageError(HasSubstr("both classes and words")));
  options = small();
  options.attention = {2};
  EXPECT_THAT([&] { UNet(options, random); },
              ThrowsUsageError(HasSubstr("attention at level 2 of 2")));
}

TEST(UNet, ItsOptionsComeBackFromAFile) {
  auto options = small(3);
  options.dropout = 0.25;
  EXPECT_EQ(to_json(unet_options(to_json(options), "here")), to_json(options));
  EXPECT_THAT(
      [] {
        unet_options(nlohmann::json{{"patch", 2}}, "prior.safetensors");
      },
      ThrowsUsageError(HasSubstr("prior.safetensors"), HasSubstr("image_channels")));
}

TEST(UNet, TheLargestHasAboutAsManyWeightsAsEdmsNetworkForCifar10Slow) {
  // Karras et al. 2022, table 7: 55.7 million.
  Random random(6);
  const UNet network({.image_channels = 3,
                      .patch = 1,
                      .channels = {256, 256, 256},
                      .blocks = 4,
                      .attention = {1},
                      .embedding = 512,
                      .dropout = 0.13},
                     random);
  std::int64_t weights = 0;
  for (const auto& parameter : network.parameters()) weights += parameter.numel();
  EXPECT_NEAR(static_cast<double>(weights), 55.7e6, 2e6);
}

/// Two kinds of picture: bright on the left (class 0) or on the right (class 1).
LabelledItems halves(std::int64_t n, Random& random) {
  const auto labels = torch::empty({n}, at::kLong);
  auto x = torch::full({n, 1, 8, 8}, -0.5F);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto right = random.below(2);
    labels[i] = right;
    x[i].slice(2, right * 4, right * 4 + 4) += random.uniform(0.8, 1.2);
  }
  return {x, labels};
}

TEST(UNetSlow, LearnsPicturesAndTheirClassesAndSamplesThemSlow) {
  at::set_num_threads(1);
  Random random(7);
  auto network = std::make_shared<UNet>(UNetOptions{.image_channels = 1,
                                                    .patch = 2,
                                                    .channels = {16, 16},
                                                    .blocks = 1,
                                                    .attention = {1},
                                                    .embedding = 32,
                                                    .classes = 2},
                                        random);
  PreconditionedDenoiser D(network);
  DiffusionTask task{.draw = halves,
                     .validation = halves(64, random),
                     .batches_per_epoch = 150,
                     .batch = 32,
                     .learning_rate = 3e-3,
                     .noise = {-0.6, 1.3}};
  training::Progress silent(nullptr);
  const auto report = fit_denoiser(D, task, {.epochs = 2, .ema_decay = 0.98, .seed = 3}, silent);
  EXPECT_LT(report.validation_error.back(), 0.25);  // 1 is what a network that knows nothing has

  const auto labels = torch::tensor({0, 1}, at::kLong).repeat({8});
  auto generator = training::torch_generator(9);
  const auto x =
      edm_sample(D, torch::randn({16, 1, 8, 8}, generator) * 20, {.sigma_max = 20}, {}, labels);
  const auto left = x.slice(3, 0, 4).flatten(1).mean(1),
             right = x.slice(3, 4, 8).flatten(1).mean(1);
  EXPECT_GE(((right > left) == (labels == 1)).sum().item<std::int64_t>(), 15);
}

}  // namespace
}  // namespace reprise::models
